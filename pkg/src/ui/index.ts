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
import type { Ibid } from '../ibid.js';
import { type AnswerDetail, type FeedbackDetail, IbidAsk } from './ask.js';
import type { ClickDetail, QueryDetail } from './find.js';
import { IbidSearch } from './search.js';

export { type AnswerDetail, type FeedbackDetail, IbidAsk } from './ask.js';
export type { ClickDetail, QueryDetail } from './find.js';
export { IbidSearch } from './search.js';
export { showTarget } from './target.js';
export { LANGUAGES } from './words.js';

/** Attributes and properties of both elements in JSX. */
interface ElementProps {
  index?: string | undefined;
  lang?: string | undefined;
  placeholder?: string | undefined;
  provider?: string | undefined;
  model?: string | undefined;
  'base-url'?: string | undefined;
  'own-key'?: boolean | '' | undefined;
  links?: 'all' | 'absolute' | 'source' | undefined;
  theme?: 'light' | 'dark' | 'auto' | undefined;
  ibid?: Ibid | Promise<Ibid> | undefined;
}

/** `<ibid-search>` in JSX. */
export interface IbidSearchProps extends ElementProps {
  inline?: boolean | '' | undefined;
  facets?: string | undefined;
  'query-parameter'?: string | undefined;
  history?: 'on' | 'off' | undefined;
  shortcuts?: 'on' | 'off' | undefined;
  answers?: boolean | '' | undefined;
  ask?: string | undefined;
}

/** `<ibid-ask>` in JSX. */
export interface IbidAskProps extends ElementProps {
  agreed?: boolean | '' | undefined;
  llm?: IbidAsk['llm'];
  options?: IbidAsk['options'] | undefined;
}

/** Attributes of every element, for frameworks that have no types of their own for them. */
interface AnyProps {
  id?: string | undefined;
  class?: string | undefined;
  className?: string | undefined;
  slot?: string | undefined;
  style?: unknown;
  hidden?: unknown;
  children?: unknown;
  key?: unknown;
  ref?: unknown;
}

declare global {
  namespace JSX {
    interface IntrinsicElements {
      'ibid-ask': AnyProps & IbidAskProps;
      'ibid-search': AnyProps & IbidSearchProps;
    }
  }
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

// biome-ignore lint/suspicious/noTsIgnore: an error is expected only where there is no React.
/** @ts-ignore Apps without React, on which this package does not depend. */
declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'ibid-ask': InReact<IbidAsk, IbidAskProps>;
      'ibid-search': InReact<IbidSearch, IbidSearchProps>;
    }
    // biome-ignore lint/suspicious/noTsIgnore: likewise.
    /** @ts-ignore Likewise. */
    type InReact<E, P> = Omit<import('react').DetailedHTMLProps<import('react').HTMLAttributes<E>, E>, keyof P> & P;
  }
}

// A server that renders pages has no elements.
for (const [name, element] of Object.entries({ 'ibid-search': IbidSearch, 'ibid-ask': IbidAsk })) {
  if (globalThis.customElements?.get(name) === undefined) globalThis.customElements?.define(name, element);
}
