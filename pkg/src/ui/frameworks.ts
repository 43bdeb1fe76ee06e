/** The types of both elements for React, Vue, Svelte and Solid, on none of which this package depends. */
import type { AnswerDetail, FeedbackDetail, IbidAsk } from './ask.js';
import type { ClickDetail, QueryDetail } from './find.js';
import type { IbidSearch } from './search.js';
import type { AnyIbid } from './types.js';

/** The attributes and properties of both elements. */
interface ElementProps {
  index?: string | undefined;
  names?: string | undefined;
  weights?: string | undefined;
  lang?: string | undefined;
  placeholder?: string | undefined;
  provider?: string | undefined;
  model?: string | undefined;
  'base-url'?: string | undefined;
  'own-key'?: boolean | '' | undefined;
  links?: 'all' | 'absolute' | 'source' | undefined;
  theme?: 'light' | 'dark' | 'auto' | undefined;
  ibid?: AnyIbid | Promise<AnyIbid> | undefined;
}

/** The attributes and properties of `<ibid-search>`. */
export interface IbidSearchProps extends ElementProps {
  inline?: boolean | '' | undefined;
  grouped?: boolean | '' | undefined;
  facets?: string | undefined;
  sort?: string | undefined;
  'query-parameter'?: string | undefined;
  history?: 'on' | 'off' | undefined;
  shortcuts?: 'on' | 'off' | undefined;
  answers?: boolean | '' | undefined;
  ask?: string | undefined;
}

/** The attributes and properties of `<ibid-ask>`. */
export interface IbidAskProps extends ElementProps {
  agreed?: boolean | '' | undefined;
  llm?: IbidAsk['llm'];
  options?: IbidAsk['options'] | undefined;
}

/** The events of `<ibid-search>`; those of answers too, which it may contain. */
interface SearchEvents extends AskEvents {
  'ibid-click': CustomEvent<ClickDetail>;
  'ibid-query': CustomEvent<QueryDetail>;
}

/** The events of `<ibid-ask>`. */
interface AskEvents {
  'ibid-answer': CustomEvent<AnswerDetail>;
  'ibid-feedback': CustomEvent<FeedbackDetail>;
}

type Handler<Event> = ((event: Event) => void) | undefined;

/** React and Svelte: `onibid-query`. */
type On<Events> = { [E in keyof Events & string as `on${E}`]?: Handler<Events[E]> };

/** Vue: `@ibid-query`, which its compiler calls `onIbidQuery`. It writes `false` as text, which is not off. */
type InVue<Props, Events> = {
  [P in keyof Props]?: Exclude<Props[P], false> | undefined;
} & {
  [E in keyof Events & string as E extends `ibid-${infer Name}` ? `onIbid${Capitalize<Name>}` : E]?: Handler<Events[E]>;
};

/** Solid: `on:ibid-query`, and `attr:index` for values that change, which it would make properties. */
type InSolid<Props, Events> = Props & {
  [P in keyof Props & string as `attr:${P}` | `prop:${P}`]?: Props[P];
} & { [E in keyof Events & string as `on:${E}`]?: Handler<Events[E]> };

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
  interface GlobalEventHandlersEventMap extends SearchEvents {}
}

// In an app without the framework, each of these names a module that is not there: an error that is no error.

// biome-ignore lint/suspicious/noTsIgnore: an error is expected only where there is no React.
/** @ts-ignore Apps without React. */
declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'ibid-ask': InReact<IbidAsk, IbidAskProps & On<AskEvents>>;
      'ibid-search': InReact<IbidSearch, IbidSearchProps & On<SearchEvents>>;
    }
    // biome-ignore lint/suspicious/noTsIgnore: likewise.
    /** @ts-ignore Likewise. */
    type InReact<E, P> = Omit<import('react').DetailedHTMLProps<import('react').HTMLAttributes<E>, E>, keyof P> & P;
  }
}

// biome-ignore lint/suspicious/noTsIgnore: likewise.
/** @ts-ignore Apps without Vue. */
declare module 'vue' {
  interface GlobalComponents {
    'ibid-ask': Custom<InVue<IbidAskProps, AskEvents>>;
    'ibid-search': Custom<InVue<IbidSearchProps, SearchEvents>>;
  }
  type Custom<P> = new () => { $props: P & Omit<AnyElement, keyof P> };
  // biome-ignore lint/suspicious/noTsIgnore: likewise.
  /** @ts-ignore Likewise. */
  type AnyElement = import('vue').HTMLAttributes & import('vue').VNodeProps;
}

// biome-ignore lint/suspicious/noTsIgnore: likewise.
/** @ts-ignore Apps without Svelte. */
declare module 'svelte/elements' {
  interface SvelteHTMLElements {
    'ibid-ask': InSvelte<IbidAsk, IbidAskProps & On<AskEvents>>;
    'ibid-search': InSvelte<IbidSearch, IbidSearchProps & On<SearchEvents>>;
  }
  // biome-ignore lint/suspicious/noTsIgnore: likewise.
  /** @ts-ignore Likewise. */
  type InSvelte<E extends EventTarget, P> = Omit<import('svelte/elements').HTMLAttributes<E>, keyof P> & P;
}

// biome-ignore lint/suspicious/noTsIgnore: likewise.
/** @ts-ignore Apps without Solid. */
declare module 'solid-js' {
  namespace JSX {
    interface IntrinsicElements {
      'ibid-ask': OfElement<IbidAsk, InSolid<IbidAskProps, AskEvents>>;
      'ibid-search': OfElement<IbidSearch, InSolid<IbidSearchProps, SearchEvents>>;
    }
    // biome-ignore lint/suspicious/noTsIgnore: likewise.
    /** @ts-ignore Likewise. */
    type OfElement<E, P> = Omit<import('solid-js').JSX.HTMLAttributes<E>, keyof P> & P;
  }
}
