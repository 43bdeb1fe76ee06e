import { english, type Words } from './words/en.js';

export type { Words } from './words/en.js';

/** The languages of the interface besides English, each in a file of its own. */
const OTHERS: Record<string, () => Promise<{ words: Words }>> = {
  ar: () => import('./words/ar.js'),
  de: () => import('./words/de.js'),
  es: () => import('./words/es.js'),
  fr: () => import('./words/fr.js'),
  it: () => import('./words/it.js'),
  ja: () => import('./words/ja.js'),
  ko: () => import('./words/ko.js'),
  nl: () => import('./words/nl.js'),
  pl: () => import('./words/pl.js'),
  pt: () => import('./words/pt.js'),
  ru: () => import('./words/ru.js'),
  sv: () => import('./words/sv.js'),
  zh: () => import('./words/zh.js'),
};

/** The languages that the interface speaks, as the beginnings of their tags. */
export const LANGUAGES = ['en', ...Object.keys(OTHERS)];

/** Returns the words of a language tag such as `pt-BR`; English if there are none, or if they cannot be loaded. */
export async function wordsOf(tag: string): Promise<Words> {
  const load = OTHERS[tag.toLowerCase().split('-', 1)[0] ?? ''];
  try {
    return (await load?.())?.words ?? english;
  } catch {
    return english;
  }
}

/** Puts values into the places of a phrase, such as `{query}`. */
export function filled(phrase: string, values: Record<string, string | number>): string {
  return phrase.replace(/\{(\w+)\}/g, (place, name: string) => String(values[name] ?? place));
}
