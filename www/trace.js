// What the agent did, step by step, with the time since the question.

import { byId, el } from './dom.js';
import { count, duration } from './format.js';

const list = byId('trace-list');
const summary = byId('trace-sum');

export class Trace {
  #start = performance.now();
  /** The line of each search that has not come back yet, by its id. */
  #searches = new Map();

  constructor() {
    list.replaceChildren();
    summary.textContent = '';
  }

  /** Adds what an event tells; text is no step. */
  add(event) {
    switch (event.type) {
      case 'turn':
        this.#step(
          `Turn ${event.turn}`,
          event.tools ? 'model called; it may search' : 'model called; it must answer now',
        );
        break;
      case 'search':
        this.#searches.set(event.id, { detail: this.#step('Search', `“${event.query}”`), at: performance.now() });
        break;
      case 'sources':
        this.#found(event);
        break;
      case 'tool-error':
        this.#step('Tool error', `${event.name}: ${event.message}`, 'bad');
        break;
      case 'retry':
        this.#step('Retry', `${event.reason} Retry ${event.attempt} in ${duration(event.delayMs)}.`, 'bad');
        break;
      case 'answer':
        this.#finish(event.answer);
        break;
    }
  }

  /** Ends the trace of a run that has no answer. */
  end(label, text) {
    this.#step(label, text, 'bad');
  }

  #found({ id, query, sources }) {
    const search = this.#searches.get(id);
    const numbers = sources.map((source) => `[${source.number}]`).join(' ');
    const found = sources.length === 0 ? 'nothing relevant' : `${count(sources.length, 'passage')} ${numbers}`;
    if (search === undefined) {
      this.#step('Found', `${found} for “${query}”`);
      return;
    }
    this.#searches.delete(id);
    search.detail.append(` → ${found}, ${duration(performance.now() - search.at)}`);
  }

  #finish({ mode, turns, searches, usage, finishReason }) {
    const tokens = usage === null ? [] : [`${count(usage.inputTokens, 'token')} in, ${usage.outputTokens} out`];
    const reason = finishReason === 'stop' ? [] : [`finish reason: ${finishReason}`];
    const work = [...(turns === 0 ? [] : [count(turns, 'turn')]), count(searches, 'search', 'searches')];
    this.#step(mode === 'model' ? 'Answer' : 'Passages', [...work, ...tokens, ...reason].join(' · '));
    summary.textContent = `${work.join(', ')}, ${duration(performance.now() - this.#start)}`;
  }

  #step(label, text, kind = '') {
    const detail = el('span', { className: 'step-detail', textContent: text });
    list.append(
      el(
        'li',
        { className: `step ${kind}` },
        el('span', { className: 'step-label', textContent: label }),
        detail,
        el('span', { className: 'step-time', textContent: duration(performance.now() - this.#start) }),
      ),
    );
    return detail;
  }
}
