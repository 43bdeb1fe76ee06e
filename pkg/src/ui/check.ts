import type { Answer, Claim, Flag } from '../ask/answer-types.js';
import { Marks } from '../render/marks.js';
import { startOf } from '../render/signs.js';
import type { Mark, Shown } from '../render/types.js';
import type { Span } from '../search-types.js';
import { el } from './dom.js';
import { filled, type Words } from './words.js';

/** Takes marks of emphasis and code off a sentence. */
const plain = (sentence: string) => sentence.replace(/\*\*|`/g, '');

/** A sentence in a source: it and its values there as marks, and the words of the values that are not there. */
export interface Evidence {
  marks: Flag[];
  absent: string[];
}

const statusOf = (claim: Claim | undefined) => claim?.check?.status ?? '';

/** The check of an answer as its readers see it: signs for what was checked, and a count of all of it. */
export class Check {
  /** The parts of the answer that are shown. */
  readonly shown: Shown;
  readonly #answer: Answer;
  readonly #words: Words;
  readonly #marks: readonly Mark[];

  constructor(answer: Answer, words: Words) {
    this.#answer = answer;
    this.#words = words;
    const { tree, sources } = answer;
    // A quote needs no sign. A sentence that could not be compared is no doubt, and is counted.
    const claims = answer.mode === 'model' ? answer.claims : [];
    const flags = answer.flags.filter(({ kind }) => kind !== 'not_comparable');
    this.shown = { tree, sources, claims, flags };
    this.#marks = new Marks(this.shown).all;
  }

  /** The numbers of sentences that were found in their sources, that were not, and that could not be checked, in words. */
  get count(): string {
    const all = this.#answer.claims.filter(({ check }) => check !== undefined).length;
    if (all === 0) return '';
    const signed = this.#marks.filter(({ claim }) => claim !== undefined);
    const found = signed.filter(({ claim }) => statusOf(claim) === 'supported').length;
    const counts = { found, all, not: signed.length - found, open: all - signed.length };
    return filled(this.#words.checked, counts);
  }

  describe(mark: Mark): string {
    return this.doubtOf(mark) || this.#words.supported;
  }

  /** Finds the objection to a sentence; none where it was found in its source. */
  doubtOf({ claim, flags }: Mark): string {
    const { unsupported, uncited, doubt } = this.#words;
    const named: Record<string, string> = { unsupported, uncited };
    // That a sentence cites nothing is said already.
    const messages = flags.filter(({ kind }) => kind !== 'uncited_claim').map(({ message }) => message);
    return [named[statusOf(claim)] ?? (messages.length > 0 ? `${doubt}.` : ''), ...messages].join(' ').trim();
  }

  /** Finds the number of the source that says what a sentence says, or comes closest to it. */
  sourceOf({ claim, flags }: Mark): number | undefined {
    const { evidence = [], alternatives = [] } = claim?.check ?? {};
    return (flags.find(({ source }) => source)?.source ?? alternatives[0] ?? evidence[0])?.number;
  }

  /** Finds the evidence in a source for a sentence and against it. */
  evidenceIn(number: number | undefined, claim?: Claim, flags: readonly Flag[] = []): Evidence {
    const { evidence = [], alternatives = [] } = claim?.check ?? {};
    const place = [...evidence, ...alternatives].find((each) => each.number === number);
    const { span: whole, values = [] } = place ?? {};
    const marks: Flag[] = [];
    const mark = (kind: string, span: Span | null | undefined) => span && marks.push({ kind, span, message: '' });
    mark('evidence', whole);
    for (const { found } of values) mark('value', found);
    for (const { source } of flags) {
      const isPart = whole && source && source.span.end - source.span.start < whole.end - whole.start;
      if (source?.number === number) mark(isPart ? 'value' : 'evidence', source?.span);
    }
    const absent = values.filter(({ found }) => !found);
    return { marks, absent: absent.map(({ span }) => plain(this.#answer.text.slice(span.start, span.end))) };
  }

  /** Lists the doubtful sentences, each of which leads to its sign in the answer, and doubts about the whole of it. */
  list(place: HTMLElement): HTMLElement[] {
    const { text, flags } = this.#answer;
    const doubtful = this.#marks.filter((mark) => this.doubtOf(mark) !== '');
    const items = doubtful.map((mark) => {
      const { start, end } = mark.claim ?? mark.flags[0]?.span ?? { start: 0, end: 0 };
      const lead = el('button', { type: 'button', class: 'plain' }, plain(mark.claim?.text ?? text.slice(start, end)));
      lead.addEventListener('click', () => {
        const sign = place.querySelector<HTMLElement>(`.ibid-sign[data-start="${startOf(mark)}"]`);
        sign?.scrollIntoView({ block: 'center' });
        sign?.focus();
      });
      return el('li', {}, lead, ` ${this.doubtOf(mark)}`);
    });
    const whole = flags.filter(({ span }) => span.start >= span.end).map(({ message }) => el('li', {}, message));
    const all = [...whole, ...items];
    if (all.length === 0) return [];
    const summary = el('summary', {}, `${this.#words.doubt} (${all.length})`);
    return [el('details', { part: 'doubts' }, summary, el('ul', {}, ...all))];
  }
}
