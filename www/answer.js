// Shows an answer: its tree as elements, its citations as buttons, its flags as marks.

import { bracketCitations, parseAnswer, segments } from './answer-tree.js';
import { el } from './dom.js';

/** Shows answers in `place`. `sources` maps numbers to sources; `onCite` is called with the source to open. */
export class AnswerView {
  #place;
  #sources;
  #onCite;
  /** What each block was made from, so that streaming remakes only what has changed and focus stays where it is. */
  #made = [];

  constructor(place, sources, onCite) {
    this.#place = place;
    this.#sources = sources;
    this.#onCite = onCite;
  }

  clear() {
    this.#made = [];
    this.#place.replaceChildren();
  }

  /** The text so far. Its citations are recognized by their brackets until the answer is complete. */
  showPartial(text) {
    this.#show(text, bracketCitations(text), [], false);
  }

  /** The complete answer, with the citations and flags that were computed for it. */
  showComplete({ text, citations, flags }) {
    this.#show(text, [...citations.map(placed), ...unknownNumbers(text, citations, flags)], flags.map(placed), true);
  }

  #show(text, citations, flags, complete) {
    const blocks = parseAnswer(text);
    const state = `${complete} ${this.#sources.size}`;
    const made = blocks.map((block, index) => {
      const key = `${state} ${block.type} ${block.start} ${text.slice(block.start, block.end)}`;
      const before = this.#made[index];
      return before?.key === key ? before : { key, node: this.#block(block, { citations, flags, complete }) };
    });
    made.forEach(({ node }, index) => {
      const before = this.#made[index]?.node;
      if (before === undefined) this.#place.append(node);
      else if (before !== node) before.replaceWith(node);
    });
    for (const { node } of this.#made.slice(made.length)) node.remove();
    this.#made = made;
  }

  #block(block, marks) {
    const inside = (blocks) => blocks.map((inner) => this.#block(inner, marks));
    switch (block.type) {
      case 'heading':
        return el('p', { className: 'answer-heading' }, ...this.#inline(block.inline, marks));
      case 'pre':
        return el('pre', { tabIndex: 0 }, ...this.#inline(block.inline, marks));
      case 'table':
        return this.#table(block, marks);
      case 'quote':
        return el('blockquote', {}, ...inside(block.blocks));
      case 'rule':
        return el('hr');
      case 'list': {
        const items = block.items.map((item) => el('li', {}, ...this.#item(item, marks)));
        return block.first === undefined ? el('ul', {}, ...items) : el('ol', { start: block.first }, ...items);
      }
      default:
        return el('p', {}, ...this.#inline(block.inline, marks));
    }
  }

  #table({ head, rows }, marks) {
    const row = (tag, cells) => el('tr', {}, ...cells.map((cell) => el(tag, {}, ...this.#inline(cell, marks))));
    const table = el(
      'table',
      {},
      el('thead', {}, row('th', head)),
      el('tbody', {}, ...rows.map((cells) => row('td', cells))),
    );
    // A wide table scrolls by itself, which the keyboard must be able to reach.
    return el('div', { className: 'table', tabIndex: 0 }, table);
  }

  /** An item's first paragraph stands beside its bullet, with no paragraph of its own. */
  #item({ blocks }, marks) {
    return blocks.flatMap((block, index) =>
      index === 0 && block.type === 'paragraph' ? this.#inline(block.inline, marks) : [this.#block(block, marks)],
    );
  }

  #inline(inline, marks) {
    return inline.flatMap((node) =>
      node.type === 'text' ? this.#leaf(node, marks) : [el(node.type, {}, ...this.#inline(node.inline, marks))],
    );
  }

  #leaf(leaf, { citations, flags, complete }) {
    return segments(leaf, citations, flags).flatMap(({ text, numbers, flags: doubts }) => {
      const shown = numbers === undefined ? [text] : this.#citation(text, numbers, complete);
      if (doubts.length === 0) return shown;
      const title = doubts.map((flag) => flag.message).join(' ');
      return [el('mark', { className: 'flagged', title }, ...shown)];
    });
  }

  /** A bracket whose sources are all unknown stays text while it streams, since its sources may still come. */
  #citation(text, numbers, complete) {
    if (!complete && !numbers.some((number) => this.#sources.has(number))) return [text];
    return numbers.map((number) => {
      const source = this.#sources.get(number);
      if (source === undefined) return el('span', { className: 'cite unknown', textContent: `[${number}]` });
      return el('button', {
        type: 'button',
        className: 'cite',
        textContent: `[${number}]`,
        title: source.title,
        onclick: () => this.#onCite(source),
        attributes: { 'aria-label': `[${number}] Source ${number}: ${source.title}`, 'data-number': String(number) },
      });
    });
  }
}

/** The numbers in flagged brackets that no source has, to be shown beside the others but not as buttons. */
function unknownNumbers(text, citations, flags) {
  const brackets = new Map(flags.filter(({ kind }) => kind === 'unknown_source').map(({ span }) => [span.start, span]));
  return [...brackets.values()].flatMap(({ start, end }) => {
    const known = citations.filter(({ span }) => span.start === start).map(({ number }) => number);
    const numbers = (text.slice(start, end).match(/\d+/g) ?? []).map(Number);
    return numbers.filter((number) => !known.includes(number)).map((number) => ({ number, start, end }));
  });
}

/** A citation or a flag with its position beside its other fields. */
function placed({ span, ...rest }) {
  return { ...rest, start: span.start, end: span.end };
}
