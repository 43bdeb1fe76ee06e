import { el } from './dom.js';
import { problem, type Told } from './element.js';
import type { Words } from './words.js';

/** The place of one question with its answer, and what it says while there is none. */
export class Turn {
  readonly element: HTMLElement;
  readonly question: string;
  readonly words: Words;
  readonly answer = el('div', { class: 'answer', part: 'answer' });
  /** The line that says what a complete answer is: a status, so that its end is heard. */
  readonly note = el('p', { class: 'note', part: 'note', role: 'status' });
  readonly below = el('div', {});
  readonly #again: () => void;
  readonly #status = el('p', { class: 'status', part: 'status', role: 'status' });

  /** `again` asks the question once more. */
  constructor(question: string, words: Words, again: () => void) {
    this.question = question;
    this.words = words;
    this.#again = again;
    const title = el('h2', { part: 'asked' }, question);
    this.element = el('article', { class: 'turn', part: 'turn', 'aria-label': question });
    this.element.append(title, this.#status, this.answer, this.note, this.below);
  }

  say(text: string): void {
    this.#status.textContent = text;
    this.#status.hidden = text === '';
  }

  fail(error: Told): void {
    this.answer.removeAttribute('aria-busy');
    if (error.code === 'aborted') {
      this.say(this.words.stopped);
      return;
    }
    const { say, details } = problem(error, this.words);
    this.say(say);
    const again = el('button', { type: 'button', class: 'plain' }, this.words.again);
    again.addEventListener('click', () => {
      this.element.remove();
      this.#again();
    });
    this.below.replaceChildren(el('p', { class: 'problem small' }, details), again);
  }
}
