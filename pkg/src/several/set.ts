/** Several indexes, searched as one. Pages of a single index never load this file. */
import { IbidError } from '../error.js';
import type { Hit, HitIndex, SearchOptions, SearchResponse } from '../search-types.js';
import type { LoadOptions } from '../types.js';
import { inTime, Member } from './member.js';
import { type Located, located, mergedResponses, named, type Weighted } from './merge.js';
import { byField } from './order.js';
import type { LoadSetOptions, OpenIndex, SetResponse } from './types.js';

/** The most hits that an index gives, and as many as it gives by default. */
const MOST = 50;
const USUAL = 5;

/**
 * Several indexes, searched as one: their hits are merged by relevance, which each index calibrates, times its weight, or
 * by the field that `sort` names.
 *
 * ```ts
 * const ibid = await Ibid.load({ indexes: ['/guide.ibid', { index: '/api.ibid', name: 'API', weight: 0.8 }] });
 * const hits = await ibid.search('rotate the keys');
 * ```
 */
export class IbidSet<I extends OpenIndex> {
  readonly #members: readonly Member<I>[];

  private constructor(members: readonly Member<I>[]) {
    this.#members = members;
  }

  /** @internal Opens indexes side by side, and fails if none can be opened. */
  static async load<I extends OpenIndex>(
    { indexes, ...shared }: LoadSetOptions,
    open: (options: LoadOptions) => Promise<I>,
  ): Promise<IbidSet<I>> {
    if (indexes.length === 0) throw new IbidError('invalid-option', '`indexes` names no index.');
    const members: Member<I>[] = [];
    for (const given of indexes) {
      const isAddress = typeof given === 'string' || given instanceof URL;
      const { index, name, weight = 1 } = isAddress ? { index: given } : given;
      const url = typeof index === 'string' || index instanceof URL ? String(index) : '';
      const wanted = name ?? nameOf(url);
      const same = members.filter((member) => member.index.name.replace(/ \d+$/, '') === wanted).length;
      const own = same === 0 ? wanted : `${wanted} ${same + 1}`;
      members.push(new Member(() => open({ ...shared, index }), { name: own, url }, weight));
    }
    const opening = members.map((member) => member.open());
    // If all fail, the first one says why.
    await Promise.any(opening).catch(() => opening[0]);
    return new IbidSet(members);
  }

  /** The indexes that are open. */
  get loaded(): I[] {
    return this.#members.flatMap(({ ibid }) => ibid ?? []);
  }

  /** @internal The pages that the author of each index names as popular, each once. */
  async popular() {
    const opened = await inTime(this.#members, (member) => member.open());
    const pages = opened.flatMap(({ member, value }) =>
      (value?.info.popular ?? []).map((page) => located(page, member.index)),
    );
    return [...new Map(pages.map((page) => [`${page.url}#${page.anchor}`, page])).values()];
  }

  /** As {@link Ibid.search}, over all indexes. Fails if none of them answers. */
  async search(query: string, options: SearchOptions = {}): Promise<Hit[]> {
    return (await this.query(query, options)).hits;
  }

  /** As {@link Ibid.query}, over all indexes. A filter must suit each of them. */
  async query(query: string, options: SearchOptions = {}): Promise<SetResponse> {
    const { limit = USUAL, offset = 0 } = options;
    const all = { ...options, offset: 0, limit: Math.min(MOST, offset + limit) };
    return await this.each((ibid) => ibid.query(query, all), offset, limit, options.sort);
  }

  /** @internal Merges what a search of each index finds from its beginning. */
  async each(
    search: (ibid: I) => Promise<SearchResponse>,
    offset: number,
    limit: number,
    sort?: SearchOptions['sort'],
  ): Promise<SetResponse> {
    const outcomes = await this.#asked(search);
    const answers = outcomes.flatMap(({ value }) => value ?? []);
    const silent = outcomes
      .filter(({ value }) => value === undefined)
      .map(({ member, error }) => ({ name: member.index.name, error }));
    return { ...mergedResponses(answers, offset, limit, sort === undefined ? sort : this.#order(sort)), silent };
  }

  #order(sort: NonNullable<SearchOptions['sort']>) {
    const sorted = typeof sort === 'string' ? sort : sort.field;
    const field = this.loaded.flatMap(({ info }) => info.fields).find(({ name }) => name === sorted);
    return byField(sort, field?.type);
  }

  /**
   * Finds the open index that knows most about a question, by relevance times weight, and a hit of its own with its
   * address.
   */
  async closest(question: string): Promise<{ ibid: I; locate: <H extends Located>(hit: H) => H }> {
    const outcomes = await this.#asked((ibid) => ibid.query(question, { limit: 1 }));
    const value = ({ found, weight }: Weighted) => (found.hits[0]?.relevance ?? 0) * weight;
    const [best] = outcomes
      .flatMap(({ member, value }) => (value === undefined ? [] : { ...value, index: member.index }))
      .sort((one, other) => value(other) - value(one)) as [Weighted & { ibid: I; index: HitIndex }];
    return { ibid: best.ibid, locate: (hit) => located(hit, best.index) };
  }

  /** Gives the memory of all indexes back. */
  free(): void {
    for (const ibid of this.loaded) ibid.free();
  }

  async #asked(search: (ibid: I) => Promise<SearchResponse>) {
    const outcomes = await inTime(this.#members, async (member) => {
      const ibid = await member.open();
      return { ibid, found: named(await search(ibid), member.index), weight: member.weight };
    });
    const failures = outcomes.flatMap(({ error }) => error ?? []);
    const given = failures.find(({ code }) => code === 'aborted');
    if (given !== undefined || failures.length === outcomes.length) throw given ?? failures[0];
    return outcomes;
  }
}

/** Takes the last part of an address that tells it from others: `site.ibid` is the name that most indexes have. */
function nameOf(url: string): string {
  const parts = url.replace(/[?#].*$|\.ibid$/g, '').split('/');
  const named = parts.filter((part) => !/^(?:|site|[a-z][a-z\d+.-]*:)$/.test(part));
  return named.at(-1) ?? 'site';
}
