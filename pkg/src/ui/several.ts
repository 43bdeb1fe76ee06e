/** Several indexes in one search box. Pages of a single index never load this file. */
import { Ibid } from '../ibid.js';
import type { PageHits } from '../search-types.js';
import type { IbidSet } from '../several/set.js';
import type { Choice, Found } from './types.js';

/** Opens the indexes of an element, with the names and weights that its attributes list. */
export function openAll(element: HTMLElement, addresses: readonly string[]): Promise<IbidSet<Ibid>> {
  const [names, weights] = ['names', 'weights'].map((name) => element.getAttribute(name)?.split(','));
  const indexes = addresses.map((index, at) => ({
    index,
    name: names?.[at]?.trim(),
    weight: Number(weights?.[at] ?? 1),
  }));
  return Ibid.load({ indexes });
}

/** Finds pages in all indexes but those that have nothing of what was chosen. `search` finds an index's best. */
export async function findInAll(
  ibid: IbidSet<Ibid>,
  search: (one: Ibid, limit: number) => Promise<Found>,
  { chosen, isGrouped }: { chosen(): Choice | undefined; isGrouped: boolean },
  [from, limit]: [number, number],
): Promise<Found> {
  const searchOne = async (one: Ibid): Promise<Found> => {
    const names = new Set(one.info.fields.map(({ name }) => name));
    if ([...(chosen()?.values.keys() ?? [])].some((field) => !names.has(field)))
      return { hits: [], pages: [], total: 0, facets: [] };
    return await search(one, from + limit);
  };
  const { pages = [], ...found } = await ibid.each(searchOne, from, limit, chosen()?.sort);
  return { ...found, pages: isGrouped ? byIndex(pages) : pages };
}

/** Puts the pages of each index together, that of the best page first. */
function byIndex(pages: readonly PageHits[]): PageHits[] {
  const nameOf = ({ hits: [best] }: PageHits) => best?.index?.name;
  return [...new Set(pages.map(nameOf))].flatMap((name) => pages.filter((page) => nameOf(page) === name));
}
