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
import { type AnswerDetail, type FeedbackDetail, IbidAsk } from './ask.js';
import { type ClickDetail, IbidSearch, type QueryDetail } from './search.js';

export { type AnswerDetail, type FeedbackDetail, IbidAsk } from './ask.js';
export { type ClickDetail, IbidSearch, type QueryDetail } from './search.js';
export { showTarget } from './target.js';
export { LANGUAGES } from './words.js';

declare global {
  interface HTMLElementTagNameMap {
    'ibid-ask': IbidAsk;
    'ibid-search': IbidSearch;
  }
  interface GlobalEventHandlersEventMap {
    'ibid-answer': CustomEvent<AnswerDetail>;
    'ibid-click': CustomEvent<ClickDetail>;
    'ibid-feedback': CustomEvent<FeedbackDetail>;
    'ibid-query': CustomEvent<QueryDetail>;
  }
}

// A server that renders pages has no elements.
for (const [name, element] of [
  ['ibid-search', IbidSearch],
  ['ibid-ask', IbidAsk],
] as const) {
  if (globalThis.customElements !== undefined && customElements.get(name) === undefined)
    customElements.define(name, element);
}
