import type { Answer } from '../../pkg/src/index.js';
import { expect } from './harness.js';
import type { Outcome } from './in-page.js';
import type { LlmDouble } from './llm-double.js';
import type { ChatRequest } from './llm-formats/request.js';
import * as replies from './llm-replies.js';

// What tests of asking say and look at.

export const QUESTION = 'How much metformin a day with an eGFR of 35?';
export const RENAL = 'metformin a day with an eGFR of 35';

/** What the model was told last in a request. */
export function said(llm: LlmDouble, index: number): string {
  return llm.body(index).messages.at(-1)?.content ?? '';
}

/** The names of the tools in a request. */
export function tools({ tools = [] }: ChatRequest): string[] {
  return tools.map((tool) => tool.function.name);
}

export function toolNames(llm: LlmDouble): string[][] {
  return llm.requests.map(({ body }) => tools(body));
}

/** An answer that cites the first source of what the model was told. */
export function citesFirst(sentence: string): replies.Reply {
  return replies.answer(({ messages }) => {
    const all = messages.map(({ content }) => content ?? '').join('\n');
    return `${sentence} [${replies.readSources(all)[0]?.number}].`;
  });
}

export function queries({ events }: Outcome): string[] {
  return events.flatMap((event) => (event.type === 'search' ? [event.query] : []));
}

/** The citations lead to sources that are among the answer's, at the brackets that its text has. */
export function expectChecked(answer: Answer): void {
  for (const { number, span, source } of answer.citations) {
    expect(answer.text.slice(span.start, span.end)).toContain(String(number));
    expect(answer.sources.find((other) => other.number === number)?.chunk).toBe(source.chunk);
  }
  for (const { text, start, end, sources } of answer.claims) {
    expect(answer.text.slice(start, end)).toContain(text.slice(0, 5));
    const within = answer.citations.filter(({ span }) => span.start >= start && span.end <= end);
    const numbers = new Set(within.map(({ number }) => number));
    // What has no marks of its own has those behind its paragraph.
    if (numbers.size > 0) expect(numbers).toEqual(new Set(sources));
  }
  expect(Date.parse(answer.createdAt)).toBeGreaterThan(Date.parse('2025-01-01'));
  for (const { startedAt, durationMs } of answer.trace) {
    expect(startedAt).toBeGreaterThan(Date.parse('2025-01-01'));
    expect(durationMs).toBeGreaterThanOrEqual(0);
  }
}
