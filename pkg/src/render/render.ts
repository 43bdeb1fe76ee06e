import type { BlockNode, CellNode, CitationNode, InlineNode, ItemNode, Source } from '../ask/answer-types.js';
import { Marks, type Piece } from './marks.js';
import { kindsOf, signOf } from './signs.js';
import type { RenderOptions, Shown } from './types.js';
import { describeFlag } from './words.js';

/** Inline nodes that are nothing but an element around their content. */
const INLINE: Record<string, string> = { emphasis: 'em', strong: 'strong', strikethrough: 's', code: 'code' };

/**
 * Makes elements of an answer's tree:
 *
 * ```ts
 * element.replaceChildren(renderAnswer(answer, { onCitation: (source) => open(source) }));
 * ```
 *
 * Text gets into the page as text nodes, and nothing but the kinds of nodes that are known becomes an element; no HTML is
 * parsed, nothing is loaded, and links lead to addresses of sources, of http, https or the page's own. Doubtful words are
 * `mark` elements, and claims and doubts have signs with descriptions.
 */
export function renderAnswer(answer: Shown, options: RenderOptions = {}): DocumentFragment {
  const renderer = new Renderer(answer, options);
  const fragment = renderer.document.createDocumentFragment();
  fragment.append(...answer.tree.map((block) => renderer.block(block)));
  return fragment;
}

/** Makes a list of an answer's flags: `li` elements with the doubtful words as `q`, and what is the matter. */
export function renderFlags(
  { text, flags, claims }: { text: string } & Required<Pick<Shown, 'flags' | 'claims'>>,
  { document = globalThis.document }: Pick<RenderOptions, 'document'> = {},
): DocumentFragment {
  const fragment = document.createDocumentFragment();
  for (const flag of flags) {
    const { start, end } = flag.span;
    const item = document.createElement('li');
    item.setAttribute('data-kind', flag.kind);
    // A flag without a place is about the answer as a whole.
    if (start < end) {
      const quoted = document.createElement('q');
      quoted.textContent = text.slice(start, end);
      item.append(quoted, ' ');
    }
    item.append(describeFlag(flag, { claims }));
    fragment.append(item);
  }
  return fragment;
}

/** Makes elements of one answer's blocks. */
export class Renderer {
  readonly document: Document;
  readonly #options: RenderOptions;
  readonly #marks: Marks;
  readonly #sources: Map<number, Source>;
  readonly #addresses: Set<string>;
  /** The levels of headings that the answer has, the highest first. */
  readonly #levels: number[];

  constructor(answer: Shown, options: RenderOptions) {
    this.document = options.document ?? globalThis.document;
    this.#options = options;
    this.#marks = new Marks(answer);
    this.#sources = new Map(answer.sources.map((source) => [source.number, source]));
    this.#addresses = new Set(answer.sources.flatMap(({ url }) => (url === null ? [] : [withoutFragment(url)])));
    const headings = answer.tree.flatMap((block) => (block.type === 'heading' ? [block.level] : []));
    this.#levels = [...new Set<number>(headings)].sort();
  }

  block(block: BlockNode): HTMLElement {
    switch (block.type) {
      case 'heading':
        return this.#element(`h${this.#level(block.level)}`, this.#inline(block.children));
      case 'codeBlock':
        // What is wide scrolls on its own, which the keyboard must be able to reach.
        return Object.assign(this.#element('pre', this.#inline(block.children)), { tabIndex: 0 });
      case 'table':
        return this.#table(block);
      case 'blockQuote':
        return this.#element(
          'blockquote',
          block.children.map((inner) => this.block(inner)),
        );
      case 'thematicBreak':
        return this.#element('hr', []);
      case 'list': {
        const items = block.children.map((item) => this.#element('li', this.#item(item)));
        const list = this.#element(block.ordered ? 'ol' : 'ul', items);
        if (block.ordered && block.start !== undefined) list.setAttribute('start', String(block.start));
        return list;
      }
      default:
        return this.#element('p', this.#inline(block.children));
    }
  }

  #table({ header, rows, alignment }: Extract<BlockNode, { type: 'table' }>): HTMLElement {
    const cell = (tag: string, { children }: CellNode, column: number) => {
      const made = this.#element(tag, this.#inline(children));
      const align = alignment[column] ?? 'none';
      if (align !== 'none') made.setAttribute('data-align', align);
      return made;
    };
    const row = (tag: string, cells: CellNode[]) =>
      this.#element(
        'tr',
        cells.map((each, column) => cell(tag, each, column)),
      );
    const body = rows.map((cells) => row('td', cells));
    const table = this.#element('table', [this.#element('thead', [row('th', header)]), this.#element('tbody', body)]);
    return Object.assign(this.#element('div', [table]), { className: 'ibid-table', tabIndex: 0 });
  }

  /** An item's first paragraph stands next to its bullet, with no paragraph of its own. */
  #item({ children }: ItemNode): (Node | string)[] {
    return children.flatMap((block, index) =>
      index === 0 && block.type === 'paragraph' ? this.#inline(block.children) : [this.block(block)],
    );
  }

  #inline(nodes: readonly InlineNode[]): (Node | string)[] {
    return nodes.flatMap((node): (Node | string)[] => {
      switch (node.type) {
        case 'text':
          return this.#marks.of(node).flatMap((piece) => this.#marked(piece.text, piece));
        case 'citation':
          return this.#marks.of(node).flatMap((piece) => this.#marked(this.#citation(node), piece));
        case 'lineBreak':
          return [this.#element('br', [])];
        case 'link':
          return [this.#link(node.url, this.#inline(node.children))];
        default:
          return [this.#element(INLINE[node.type] ?? 'span', this.#inline(node.children))];
      }
    });
  }

  #marked(shown: Node | string, { flags, unknown, after }: Piece): (Node | string)[] {
    let inner: Node | string = shown;
    if (unknown) inner = Object.assign(this.#element('span', [inner]), { className: 'ibid-cite ibid-unknown' });
    if (flags.length > 0) {
      const mark = this.#element('mark', [inner]);
      mark.className = 'ibid-flag';
      mark.title = flags.flatMap(({ message }) => message || []).join(' ');
      mark.setAttribute('data-kind', kindsOf(flags));
      inner = mark;
    }
    const signs = this.#options.signs === false ? [] : after;
    return [inner, ...signs.map((mark) => signOf(mark, this.document, this.#options))];
  }

  /** Shows the number of a source, by which that is opened; as text if there is none. */
  #citation(node: CitationNode): Node | string {
    const words = `[${node.number}]`;
    const source = this.#sources.get(node.number);
    if (source === undefined) return words;
    const { onCitation, sourceHref, citationLabel } = this.#options;
    const cite = this.#element(onCitation === undefined ? 'a' : 'button', [words]);
    cite.className = 'ibid-cite';
    cite.setAttribute('data-number', String(node.number));
    cite.title = source.title;
    const label = citationLabel?.(source) ?? `${words} Source ${node.number}: ${source.title}`;
    cite.setAttribute('aria-label', label);
    if (onCitation === undefined) {
      cite.setAttribute('href', sourceHref?.(source) ?? `#source-${node.number}`);
    } else {
      cite.setAttribute('type', 'button');
      cite.addEventListener('click', () => onCitation(source, this.#marks.claimAt(node)));
    }
    return cite;
  }

  /** Makes a link, where its address is a source's and one that a link may have; else its words. */
  #link(url: string, children: (Node | string)[]): HTMLElement {
    if (!this.#addresses.has(withoutFragment(url)) || !isWeb(url)) return this.#element('span', children);
    const link = this.#element('a', children);
    link.setAttribute('href', url);
    link.setAttribute('rel', 'noopener noreferrer');
    return link;
  }

  /** Headings of one answer follow one another without a gap, whatever levels it has. */
  #level(level: number): number {
    const { headingLevel = 3 } = this.#options;
    const depth = this.#levels.indexOf(level);
    return Math.min(6, Math.max(1, Math.trunc(headingLevel)) + (depth < 0 ? this.#levels.length : depth));
  }

  #element(tag: string, children: (Node | string)[]): HTMLElement {
    const element = this.document.createElement(tag);
    element.append(...children);
    return element;
  }
}

function withoutFragment(url: string): string {
  return url.split('#', 1)[0] ?? '';
}

/** Returns true if it is an address of http or https, or a relative one. */
function isWeb(url: string): boolean {
  try {
    // The base only says what a relative address is relative to; nothing is ever asked for there.
    const { protocol } = new URL(url, 'https://ibid.invalid/');
    return protocol === 'https:' || protocol === 'http:';
  } catch {
    return false;
  }
}
