import type { BlockNode, Source } from '../ask/answer-types.js';
import { partialTree } from './partial.js';
import { Renderer } from './render.js';
import type { RenderOptions, Shown } from './types.js';

/**
 * Shows an answer in an element, also while it is being written. Only blocks that have changed are made anew, so that the
 * focus stays where it is.
 */
export class AnswerView {
  readonly #place: Element;
  readonly #options: RenderOptions;
  /** The source of each block. */
  #made: { key: string; node: HTMLElement }[] = [];

  constructor(place: Element, options: RenderOptions = {}) {
    this.#place = place;
    this.#options = options;
  }

  clear(): void {
    this.#made = [];
    this.#place.replaceChildren();
  }

  /** Shows the text so far. Its citations are recognized by their brackets until the answer is complete. */
  showPartial(text: string, sources: ReadonlyMap<number, Source>): void {
    const tree = partialTree(text, (number) => sources.has(number));
    this.#show({ tree, sources: [...sources.values()] }, (block) => JSON.stringify(block));
  }

  /** Shows the complete answer: the tree, citations, claims and flags that were computed for it. */
  showComplete(answer: Shown): void {
    this.#show(answer);
  }

  #show(answer: Shown, keyOf: (block: BlockNode) => string = () => ''): void {
    const renderer = new Renderer(answer, this.#options);
    const made = answer.tree.map((block, index) => {
      const key = keyOf(block);
      const before = this.#made[index];
      return key !== '' && before?.key === key ? before : { key, node: renderer.block(block) };
    });
    made.forEach(({ node }, index) => {
      const before = this.#made[index]?.node;
      if (before === undefined) this.#place.append(node);
      else if (before !== node) before.replaceWith(node);
    });
    for (const { node } of this.#made.slice(made.length)) node.remove();
    this.#made = made;
  }
}
