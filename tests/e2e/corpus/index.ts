import { HANDLERS, LOADS, MUTATIONS, SCRIPTS } from './html.js';
import { CITATIONS, LINKS, SCHEMES } from './markdown.js';
import type { Payload } from './payload.js';
import { CHARACTERS, FORMS, INSTRUCTIONS } from './words.js';

export type { Payload } from './payload.js';

/** The whole corpus. */
export const CORPUS: readonly Payload[] = [
  ...[SCRIPTS, HANDLERS, LOADS, MUTATIONS],
  ...[LINKS, SCHEMES, CITATIONS],
  ...[CHARACTERS, FORMS, INSTRUCTIONS],
].flat();
