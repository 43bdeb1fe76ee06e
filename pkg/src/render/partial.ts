import type { BlockNode } from '../ask/answer-types.js';
import { partialReader } from './partial-reader.js';

/**
 * Returns the blocks of a text that goes on, such that nothing of them is shown otherwise once more has come. A bracket
 * is a citation if `knows` one of its numbers, and else text; links and images are their words.
 *
 * The module that answers reads them, as it does the finished answer. Where it has not been loaded, the paragraphs are
 * text.
 */
export function partialTree(text: string, knows: (number: number) => boolean): BlockNode[] {
  const { read } = partialReader;
  if (read !== undefined) return JSON.parse(read(text, knows));
  const paragraphs = text.split(/\n{2,}/).filter((words) => words.trim() !== '');
  return paragraphs.map((words) => ({
    type: 'paragraph',
    children: [{ type: 'text', text: words, start: 0, end: 0 }],
  }));
}
