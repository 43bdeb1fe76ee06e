/// <reference lib="dom.iterable" />
/**
 * `ibid/ui`: elements that search an index and answer questions from it. To import this file is to define them.
 *
 * ```html
 * <script type="module" src="/ibid/ui/index.js"></script>
 * <ibid-search index="/site.ibid"></ibid-search>
 * ```
 *
 * @packageDocumentation
 */
import { IbidAsk } from './ask.js';
import { IbidSearch } from './search.js';

export { type AnswerDetail, type FeedbackDetail, IbidAsk } from './ask.js';
export type { ClickDetail, QueryDetail } from './find.js';
export type { IbidAskProps, IbidSearchProps } from './frameworks.js';
export { IbidSearch } from './search.js';
export { showTarget } from './target.js';
export { LANGUAGES } from './words.js';

// A server that renders pages has no elements.
for (const [name, element] of Object.entries({ 'ibid-search': IbidSearch, 'ibid-ask': IbidAsk })) {
  if (globalThis.customElements?.get(name) === undefined) globalThis.customElements?.define(name, element);
}
