import type { Answer, Source } from '../ask/answer-types.js';
import { isPage, pageTitle, section } from './pages.js';

/** Returns the sources that an answer cites, by number. */
export function citedSources({ citations, sources }: Pick<Answer, 'citations' | 'sources'>): Source[] {
  const cited = new Set(citations.map(({ number }) => number));
  return sources.filter(({ number }) => cited.has(number)).sort((one, other) => one.number - other.number);
}

/** Returns the number of a source with its page and the headings above it. */
export function sourceTitle(source: Source): string {
  return `[${source.number}] ${[pageTitle(source), section(source)].filter(Boolean).join(' › ')}`;
}

/** Returns the address of a source's page at its heading, `null` if it has none. */
export function sourceAddress({ url, anchor }: Pick<Source, 'url' | 'anchor'>): string | null {
  if (!url || !isPage(url)) return null;
  return anchor && !url.includes('#') ? `${url}#${encodeURIComponent(anchor)}` : url;
}

/** Returns question, answer and cited sources as text. */
export function answerText(question: string, answer: Pick<Answer, 'text' | 'citations' | 'sources'>): string {
  const sources = citedSources(answer).map((source) => {
    return [sourceTitle(source), sourceAddress(source)].filter(Boolean).join(' ');
  });
  return [question, answer.text.trim(), sources.join('\n')].filter(Boolean).join('\n\n');
}
