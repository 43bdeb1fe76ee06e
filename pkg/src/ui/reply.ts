import type { Answer, AskEvent, Source } from '../ask/answer-types.js';
import { AnswerView } from '../render/view.js';
import { Check } from './check.js';
import { el } from './dom.js';
import type { IbidElement } from './element.js';
import { fold } from './fold.js';
import { icon } from './icons.js';
import { address, pageTitle, section } from './pages.js';
import { openPassage } from './passage.js';
import { fillRow } from './results.js';
import { answerText, citedSources, sourceAddress, sourceTitle } from './sources.js';
import type { Turn } from './turn.js';
import { filled } from './words.js';

/** The most passages that are shown if none answers. */
const MOST_NEAREST = 3;

/** The element that was asked. */
interface Owner extends Pick<IbidElement, 'located'> {
  feedback(question: string, helpful: boolean, mode: Answer['mode']): void;
}

/** The reply to one question: its text as it comes, then what came of its check, and its sources. */
export class Reply {
  readonly #owner: Owner;
  readonly #turn: Turn;
  readonly #view: AnswerView;
  readonly #sources = new Map<number, Source>();
  #text = '';
  #check: Check | undefined;

  constructor(owner: Owner, turn: Turn) {
    this.#owner = owner;
    this.#turn = turn;
    turn.answer.setAttribute('aria-busy', 'true');
    this.#view = new AnswerView(turn.answer, {
      onCitation: (source, claim) =>
        openPassage(turn, owner, { source, ...this.#check?.evidenceIn(source.number, claim) }),
      onMark: (mark) => {
        const number = this.#check?.sourceOf(mark);
        const evidence = this.#check?.evidenceIn(number, mark.claim, mark.flags);
        const source = this.#sources.get(number ?? 0);
        openPassage(turn, owner, { source, said: this.#check?.doubtOf(mark), ...evidence });
      },
      citationLabel: ({ number, title }) => filled(turn.words.source, { number, title }),
      describe: (mark) => this.#check?.describe(mark) ?? '',
    });
  }

  take(event: AskEvent): void {
    const turn = this.#turn;
    const { words } = turn;
    if (event.type === 'search') turn.say(filled(words.searching, { query: event.query }));
    else if (event.type === 'sources') {
      for (const source of event.sources) this.#sources.set(source.number, source);
      turn.say(filled(words.reading, { count: event.sources.length }));
    } else if (event.type === 'text') {
      this.#text = (event.restart ? '' : this.#text) + event.delta;
      turn.say(words.writing);
      this.#view.showPartial(this.#text, this.#sources);
    } else if (event.type === 'turn' && event.purpose !== undefined && event.purpose !== 'answer')
      turn.say(words.checking);
    else if (event.type === 'retry') turn.say(words.retrying);
  }

  finish(answer: Answer): void {
    const { words, answer: place, below, question } = this.#turn;
    this.#turn.say('');
    place.removeAttribute('aria-busy');
    const cited = citedSources(answer);
    below.replaceChildren();
    if (answer.mode === 'extractive' && cited.length === 0) {
      this.#view.clear();
      const nearest = this.#nearest();
      const said = nearest.length > 0 ? words.weak : filled(words.nothing, { query: question });
      place.append(el('p', {}, said));
      below.append(...nearest, this.#tools(answer));
      return;
    }
    for (const source of answer.sources) this.#sources.set(source.number, source);
    this.#check = new Check(answer, words);
    this.#view.showComplete(this.#check.shown);
    if (answer.mode === 'guard') {
      place.classList.add('emergency');
      place.setAttribute('role', 'alert');
      return;
    }
    const { note } = this.#turn;
    if (answer.mode === 'extractive') {
      place.after(fold(place, words.unfold) ?? '');
      note.textContent = words.verbatim;
    } else {
      const { count } = this.#check;
      if (count !== '') below.append(el('p', { class: 'note', part: 'checked' }, count));
      const written = cited.length > 0 ? words.generated : words.unsourced;
      note.textContent = filled(written, { model: answer.model ?? '' });
      below.append(...this.#check.list(place));
    }
    if (cited.length > 0) below.append(this.#sourceList(cited));
    else if (!answer.answerable) below.append(...this.#nearest());
    below.append(this.#tools(answer));
  }

  /** Shows the passages found for this question that come nearest to it, and the search with the question. */
  #nearest(): HTMLElement[] {
    const { words, question } = this.#turn;
    const found = [...this.#sources.values()].sort((a, b) => b.score - a.score).slice(0, MOST_NEAREST);
    const rows = found.map((source) => {
      const href = address(this.#owner.located(source));
      const title = [pageTitle(source), section(source)].filter(Boolean).join(' › ');
      return fillRow(el(href === null ? 'div' : 'a', { part: 'result', href: href ?? undefined }), source, title);
    });
    const box = document.querySelector('ibid-search');
    if (rows.length === 0 || box === null) return rows;
    const search = el('button', { type: 'button', class: 'plain', part: 'search-button' }, words.search);
    search.addEventListener('click', () => box.open(question));
    return [...rows, search];
  }

  #sourceList(sources: readonly Source[]): HTMLElement {
    const items = sources.map((source) => {
      const href = sourceAddress(this.#owner.located(source));
      const title = sourceTitle(source);
      return el('li', {}, href === null ? title : el('a', { href }, title));
    });
    const summary = el('summary', {}, `${this.#turn.words.sources} (${sources.length})`);
    return el('details', { part: 'sources' }, summary, el('ul', {}, ...items));
  }

  #tools(answer: Answer): HTMLElement {
    const words = this.#turn.words;
    const copy = el('button', { type: 'button', class: 'plain' }, words.copy);
    const share = el('button', { type: 'button', class: 'plain' }, words.share);
    const done = (button: HTMLElement, text: string) => async () => {
      await navigator.clipboard.writeText(text);
      button.textContent = words.copied;
    };
    copy.addEventListener('click', done(copy, answerText(this.#turn.question, answer)));
    const address = new URL(location.href);
    address.searchParams.set('ask', this.#turn.question);
    address.hash = '';
    share.addEventListener('click', done(share, address.href));
    const tools = el('div', { class: 'tools', part: 'tools' }, copy, share);
    for (const [name, label, helpful] of [
      ['up', words.helpful, true],
      ['down', words.unhelpful, false],
    ] as const) {
      const thumb = el('button', { type: 'button', class: 'plain', 'aria-label': label, title: label }, icon(name));
      thumb.setAttribute('aria-pressed', 'false');
      thumb.addEventListener('click', () => {
        for (const other of tools.querySelectorAll('[aria-pressed]'))
          other.setAttribute('aria-pressed', String(other === thumb));
        this.#owner.feedback(this.#turn.question, helpful, answer.mode);
        this.#turn.say(words.thanks);
      });
      tools.append(thumb);
    }
    return tools;
  }
}
