// Shows an answer: its tree as elements, its citations as buttons, its flags as marks. All text gets into the page as
// text, and nothing but the kinds of nodes listed here becomes an element.

import { cutAtFlags } from './answer-flags.js';
import { partialTree } from './answer-tree.js';
import { el } from './dom.js';

/** Inline nodes that are nothing but an element around their content. */
const INLINE = { emphasis: 'em', strong: 'strong', strikethrough: 's', code: 'code' };

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
    this.#show(
      partialTree(text, (number) => this.#sources.has(number)),
      [],
    );
  }

  /** The complete answer: the tree, citations and flags that were computed for it. */
  showComplete({ tree, flags }) {
    this.#show(tree, flags);
  }

  #show(blocks, flags) {
    const made = blocks.map((block, index) => {
      const key = JSON.stringify(block);
      const before = this.#made[index];
      return before?.key === key ? before : { key, node: this.#block(block, flags) };
    });
    made.forEach(({ node }, index) => {
      const before = this.#made[index]?.node;
      if (before === undefined) this.#place.append(node);
      else if (before !== node) before.replaceWith(node);
    });
    for (const { node } of this.#made.slice(made.length)) node.remove();
    this.#made = made;
  }

  #block(block, flags) {
    switch (block.type) {
      case 'heading':
        return el('p', { className: 'answer-heading' }, ...this.#inline(block.children, flags));
      case 'codeBlock':
        return el('pre', { tabIndex: 0 }, ...this.#inline(block.children, flags));
      case 'table':
        return this.#table(block, flags);
      case 'blockQuote':
        return el('blockquote', {}, ...block.children.map((inner) => this.#block(inner, flags)));
      case 'thematicBreak':
        return el('hr');
      case 'list': {
        const items = block.children.map((item) => el('li', {}, ...this.#item(item, flags)));
        return block.ordered ? el('ol', { start: block.start ?? 1 }, ...items) : el('ul', {}, ...items);
      }
      default:
        return el('p', {}, ...this.#inline(block.children, flags));
    }
  }

  #table({ header, rows, alignment }, flags) {
    const cell = (tag, { children }, column) => {
      const align = alignment[column] ?? 'none';
      const style = align === 'none' ? {} : { attributes: { 'data-align': align } };
      return el(tag, style, ...this.#inline(children, flags));
    };
    const row = (tag, cells) => el('tr', {}, ...cells.map((each, column) => cell(tag, each, column)));
    const table = el(
      'table',
      {},
      el('thead', {}, row('th', header)),
      el('tbody', {}, ...rows.map((cells) => row('td', cells))),
    );
    // A wide table scrolls by itself, which the keyboard must be able to reach.
    return el('div', { className: 'table', tabIndex: 0 }, table);
  }

  /** An item's first paragraph stands beside its bullet, with no paragraph of its own. */
  #item({ children }, flags) {
    return children.flatMap((block, index) =>
      index === 0 && block.type === 'paragraph' ? this.#inline(block.children, flags) : [this.#block(block, flags)],
    );
  }

  #inline(nodes, flags) {
    return nodes.flatMap((node) => {
      switch (node.type) {
        case 'text':
          return cutAtFlags(node, flags).map((piece) => this.#doubted(piece.text, piece));
        case 'citation':
          return cutAtFlags(node, flags).map((piece) => this.#doubted(this.#citation(node.number), piece));
        case 'lineBreak':
          return [el('br')];
        case 'link':
          return [el('a', { href: node.url }, ...this.#inline(node.children, flags))];
        default:
          return [el(INLINE[node.type] ?? 'span', {}, ...this.#inline(node.children, flags))];
      }
    });
  }

  #doubted(shown, { flags, unknown }) {
    const inner = unknown ? el('span', { className: 'cite unknown', textContent: shown }) : shown;
    if (flags.length === 0) return inner;
    return el('mark', { className: 'flagged', title: flags.map((flag) => flag.message).join(' ') }, inner);
  }

  #citation(number) {
    const source = this.#sources.get(number);
    return el('button', {
      type: 'button',
      className: 'cite',
      textContent: `[${number}]`,
      title: source.title,
      onclick: () => this.#onCite(source),
      attributes: { 'aria-label': `[${number}] Source ${number}: ${source.title}`, 'data-number': String(number) },
    });
  }
}
