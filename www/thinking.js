// What a model thinks before it answers, folded: it is no part of the answer, and nothing in it is checked.

import { byId } from './dom.js';
import { count } from './format.js';

const place = byId('reasoning');
const text = byId('reasoning-text');
const summary = byId('reasoning-sum');

export class Thinking {
  #parts = [];
  #frame = 0;

  constructor() {
    place.hidden = true;
    place.open = false;
    text.replaceChildren();
  }

  /** The next call of the model thinks anew. */
  turn() {
    if (this.#parts.at(-1) !== '') this.#parts.push('');
  }

  add(delta) {
    if (this.#parts.length === 0) this.#parts.push('');
    this.#parts[this.#parts.length - 1] += delta;
    // Shown at most once per frame, however fast it comes.
    this.#frame ||= requestAnimationFrame(() => this.#show());
  }

  #show() {
    this.#frame = 0;
    const all = this.#parts.filter((part) => part.trim() !== '').join('\n\n');
    text.textContent = all;
    summary.textContent = count(all.split(/\s+/).length, 'word');
    place.hidden = all === '';
  }
}
