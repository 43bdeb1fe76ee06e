// What the agent did, step by step, with the time since the question.

import { byId, el } from './dom.js';
import { count, duration } from './format.js';

const list = byId('trace-list');
const summary = byId('trace-sum');

/** What the model is called for, where that is not the answer of a turn. */
const PURPOSES = {
  rewrite: ['Rewrite', 'model called for a query'],
  classify: ['Classify', 'model called for the kind of question'],
  decompose: ['Decompose', 'model called for sub-questions'],
  synthesize: ['Write', 'model called to answer from the passages'],
  reflect: ['Reflect', 'model called to judge its answer'],
  assess: ['Assess', 'model called to assess the case'],
  judge: ['Judge', 'model called about doubtful claims'],
  revise: ['Revise', 'model called to mend its answer'],
  format: ['Format', 'model called for the answer’s form'],
  repair: ['Repair', 'model called to mend the answer’s form'],
};

/** What ends a run early, in words. */
const LIMITS = { turns: 'last turn', searches: 'no more searches', repetition: 'the model repeated itself' };

export class Trace {
  #start = performance.now();
  /** The searches that were begun, in order. */
  #searches = [];
  /** The line of the model's call under way. */
  #call = null;
  /** The lines of the tools that run, by the ids of their calls. */
  #tools = new Map();

  constructor() {
    list.replaceChildren();
    summary.textContent = '';
  }

  /** Adds what an event tells; text is no step. */
  add(event) {
    switch (event.type) {
      case 'turn':
        this.#turn(event);
        break;
      case 'search':
        this.#searches.push({
          id: event.id,
          query: event.query,
          collection: event.collection,
          detail: this.#step('Search', searched(event)),
          at: performance.now(),
        });
        break;
      case 'sources':
        this.#found(event);
        break;
      case 'tool-call':
        this.#tools.set(event.id, this.#step('Tool', `${event.name} ${event.arguments}`));
        break;
      case 'tool-result':
        this.#tools.get(event.id)?.append(` → ${short(event.content)}`);
        break;
      case 'tool-error':
        this.#step('Tool error', `${event.name}: ${event.message}`, 'bad');
        break;
      case 'retry':
        this.#step('Retry', `${event.reason} Retry ${event.attempt} in ${duration(event.delayMs)}.`, 'bad');
        break;
      case 'step':
        this.#ended(event.step);
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

  #turn({ turn, tools, purpose }) {
    const [label, text] = PURPOSES[purpose] ?? [
      `Turn ${turn}`,
      `model called; ${tools ? 'it may search' : 'it must answer now'}`,
    ];
    this.#call = this.#step(label, text);
  }

  #found({ id, query, sources }) {
    const numbers = sources.map((source) => `[${source.number}]`).join(' ');
    const found = sources.length === 0 ? 'nothing relevant' : `${count(sources.length, 'passage')} ${numbers}`;
    const search = this.#searches.find((search) => search.id === id && !search.found);
    if (search === undefined) {
      // The passages of several searches, put together.
      this.#step('Selected', id === 'selected' ? found : `${found} for “${query}”`);
      return;
    }
    search.found = found;
    show(search);
  }

  /** Completes the line of what has ended, with how long it took and what came of it. */
  #ended(step) {
    const { name, note, count: number, durationMs, usage } = step;
    if (name.startsWith('retrieve')) {
      const open = this.#searches.filter((search) => search.took === undefined);
      const search = open.find(({ query }) => query === note) ?? open[0];
      if (search === undefined) return;
      search.took = durationMs;
      search.count = number;
      search.failure = note?.startsWith('failed: ') && note.slice('failed: '.length);
      show(search);
    } else if (name === 'deduplicate' || name === 'rerank') {
      const label = name === 'rerank' ? 'Rank' : 'Join';
      this.#step(label, [count(number ?? 0, 'passage'), ...(note ? [note] : [])].join(' '));
    } else if (this.#call !== null && name !== 'verify' && name !== 'tool') {
      const parts = [...(note ? [note] : []), duration(durationMs), ...(usage ? [tokens(usage)] : [])];
      this.#call.append(` → ${parts.join(', ')}`);
      this.#call = null;
    }
  }

  #finish({ mode, policy, turns, searches, usage, finishReason, stoppedBy }) {
    const reason = finishReason === 'stop' ? [] : [`finish reason: ${finishReason}`];
    const limit = stoppedBy === undefined ? [] : [`ended by: ${LIMITS[stoppedBy] ?? stoppedBy}`];
    const work = [...(turns === 0 ? [] : [count(turns, 'turn')]), count(searches, 'search', 'searches')];
    const used = usage === null ? [] : [tokens(usage)];
    this.#step(
      { model: 'Answer', guard: 'Message' }[mode] ?? 'Passages',
      [...work, ...used, ...reason, ...limit].join(' · '),
    );
    const took = duration(performance.now() - this.#start);
    const total = usage === null ? [] : [count(usage.inputTokens + usage.outputTokens, 'token')];
    summary.textContent = [...(turns === 0 ? [] : [policy]), ...work, ...total, took].join(', ');
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

function searched({ query, collection }) {
  return collection === undefined ? `“${query}”` : `“${query}” in ${collection}`;
}

/** A search's line with all that is known by now. Its end is told before or after what it found. */
function show(search) {
  const { found, failure, count: number, took, at, detail } = search;
  const hits = number === 0 ? 'nothing relevant' : count(number ?? 0, 'passage');
  const outcome = failure || found || hits;
  detail.textContent = `${searched(search)} → ${outcome}, ${duration(took ?? performance.now() - at)}`;
}

function tokens({ inputTokens, outputTokens }) {
  return `${count(inputTokens, 'token')} in, ${outputTokens} out`;
}

/** The beginning of a text that may be long. */
function short(text) {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
