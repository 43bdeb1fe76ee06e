import type { Answer, Claim, Flag, Source } from '../ask/answer-types.js';

/** As much of an {@link Answer} as is shown. */
export type Shown = Pick<Answer, 'tree' | 'sources'> & Partial<Pick<Answer, 'claims' | 'flags'>>;

/** A claim with what came of its check, or a doubt about something that is in none. */
export interface Mark {
  claim?: Claim;
  /** The doubts there. */
  flags: Flag[];
}

/** Options of {@link renderAnswer}. */
export interface RenderOptions {
  /** The document that makes the elements. Default: the page's. */
  document?: Document | undefined;
  /**
   * Called when a citation is chosen, with its source and the claim that it stands in; citations are then buttons.
   * Default: none; they are links, see `sourceHref`.
   */
  onCitation?: ((source: Source, claim?: Claim) => void) | undefined;
  /** The address that a citation links to. Default: `#source-1` for the source of number 1. */
  sourceHref?: ((source: Source) => string) | undefined;
  /** Called when the sign of a mark is chosen; signs are then buttons. Default: none; they are images with a description. */
  onMark?: ((mark: Mark) => void) | undefined;
  /** True if claims and doubts have signs. Default: `true`; doubtful words are underlined all the same. */
  signs?: boolean | undefined;
  /** The words of a mark, in a language of yours. Default: {@link describeMark}. */
  describe?: ((mark: Mark) => string) | undefined;
  /** The words of a citation for who cannot see it. Default: `[1] Source 1: Title`. */
  citationLabel?: ((source: Source) => string) | undefined;
  /** The level of the highest heading in the answer, 1 to 6. Default: 3. */
  headingLevel?: number | undefined;
}
