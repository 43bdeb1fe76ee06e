import { expect } from '@playwright/test';
import type { LlmDouble } from './llm-double.js';
import type { ChatRequest } from './llm-formats/request.js';

// A question that holds personal data, and what tests look at for it.

export const NAME = 'Leticia Quintero';
const MAIL = 'leticia.quintero@clinic.example';
export const PERSONAL = `Patient ${NAME}, ${MAIL}, phone +44 20 7946 0958: how much metformin a day with an eGFR of 35?`;
/** What must not be among the bytes that are sent, in any case. */
const PRIVATE = ['leticia', 'quintero', 'clinic.example', '7946 0958'];

export function expectNothingPrivate(text: string, what: string): void {
  for (const word of PRIVATE) expect(text.toLowerCase(), `${word} in ${what}`).not.toContain(word);
}

/** Everything that the server was sent, whatever its format. */
export function received(llm: LlmDouble): string {
  return JSON.stringify(llm.requests.map(({ raw, path, headers }) => ({ raw, path, headers })));
}

/** What a model reads of a person's name. */
export function placeholder({ messages }: ChatRequest): string {
  const said = messages.map(({ content }) => content ?? '').join('\n');
  const found = /\[NAME_\d+\]/.exec(said)?.[0];
  if (found === undefined) throw new Error('the request has no placeholder of a name');
  return found;
}
