import { expect } from '@playwright/test';
import type { Answer, AskEvent, AskRun, LlmOptions } from '../../pkg/src/index.js';
import type { LlmDouble } from './llm-double.js';
import type { Format } from './llm-formats/format.js';
import type { ChatRequest } from './llm-formats/request.js';
import * as replies from './llm-replies.js';

// What tests of asking say and look at.

export const QUESTION = 'How much metformin a day with an eGFR of 35?';
export const RENAL = 'metformin a day with an eGFR of 35';

/** What became of a run, as far as it survives the way out of a page. */
export interface Outcome {
  events: AskEvent[];
  /** Not there where the run failed. */
  answer?: Answer;
  error?: { code: string; message: string; hint?: string };
}

/** Follows a run to its end. Pages get the text of this function, so it uses nothing else. */
export async function outcome(run: AskRun): Promise<Outcome> {
  const events: AskEvent[] = [];
  try {
    for await (const event of run) events.push(event);
    return { events, answer: await run };
  } catch (error) {
    const { code, message, hint } = error as { code: string; message: string; hint?: string };
    return { events, error: { code, message, ...(hint !== undefined && { hint }) } };
  }
}

/** The scripted model server as a run reaches it, by one of the formats. */
export function modelOf(llm: LlmDouble, format: Format['name'] = 'chat', more: Partial<LlmOptions> = {}): LlmOptions {
  const provider = ({ chat: 'openai', responses: 'openai-responses' } as const)[format as 'chat'] ?? format;
  return { provider, baseURL: llm.baseUrlOf(format), model: llm.model, apiKey: llm.key, ...more } as LlmOptions;
}

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

/** The answer of a run that must not have failed. */
export function answerOf({ answer, error }: Outcome): Answer {
  if (answer === undefined) throw new Error(`The run failed: ${error?.code}: ${error?.message}`);
  return answer;
}

/** The names of the steps, in the order of their ends. */
export function steps(answer: Answer): string[] {
  return answer.trace.map(({ name }) => name);
}

/** The text as it was streamed. */
export function streamed(events: readonly AskEvent[]): string {
  let text = '';
  for (const event of events) {
    if (event.type === 'text') text = event.restart ? event.delta : text + event.delta;
  }
  return text;
}
