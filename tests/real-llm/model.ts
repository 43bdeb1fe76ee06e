// The model server that `run.sh` has started, and what a page tells about a run against it.
import type { Demo } from '../e2e/demo.js';

type Page = Demo['page'];

/** Its address, without a path. */
export const SERVER = process.env.REAL_LLM_URL ?? '';

/** What the model may write at most where a test does not want the beginning alone, in tokens. */
export const MAX_TOKENS = 120;

/** Returns true if it is generating. */
export async function isGenerating(): Promise<boolean> {
  const slots: { is_processing: boolean }[] = await (await fetch(`${SERVER}/slots`)).json();
  return slots.some((slot) => slot.is_processing);
}

/** A text event of a run, with the time since the question was asked. */
interface Delta {
  text: string;
  ms: number;
}

/** What became of a question. */
export interface Outcome {
  deltas: Delta[];
  /** From the question to its end. */
  ms: number;
  /** The answer, or the code of the error in its place. */
  answer?: {
    text: string;
    mode: string;
    policy: string;
    answerable: boolean;
    claims: { text: string; check: { status: string } | null }[];
    sources: { text: string }[];
    finishReason: string | null;
    usage: { inputTokens: number; outputTokens: number } | null;
  };
  error?: string;
}

/** Asks in the page, by the package and the index that the demo is built with. */
export async function askInPage(
  page: Page,
  question: string,
  {
    abortAfter = Number.POSITIVE_INFINITY,
    maxTokens = MAX_TOKENS,
    ...options
  }: Record<string, unknown> & AskSettings = {},
): Promise<Outcome> {
  return await page.evaluate(
    async ({ question, options, abortAfter, llm }) => {
      const { Ibid } = await import('/ibid/index.js' as string);
      const ibid = await Ibid.load({ index: '/site.ibid' });
      const started = performance.now();
      const deltas: { text: string; ms: number }[] = [];
      const run = ibid.ask(question, { llm, ...options });
      const outcome: Outcome = { deltas, ms: 0 };
      try {
        for await (const event of run) {
          if (event.type !== 'text') continue;
          deltas.push({ text: event.delta, ms: performance.now() - started });
          if (deltas.length >= abortAfter) run.abort();
        }
        outcome.answer = await run;
      } catch (error) {
        outcome.error = (error as { code: string }).code;
      } finally {
        ibid.free();
      }
      outcome.ms = performance.now() - started;
      return outcome;
    },
    { question, options, abortAfter, llm: { baseURL: `${SERVER}/v1`, model: 'smollm2', maxTokens } },
  );
}

interface AskSettings {
  /** Aborts the run after that many pieces of text. */
  abortAfter?: number;
  maxTokens?: number;
}

/** A line for the person who runs the tests. */
export function report(line: string): void {
  process.stdout.write(`    ${line}\n`);
}

export function speed({ deltas, answer }: Outcome): string {
  const [first, last] = [deltas[0], deltas.at(-1)];
  if (first === undefined || last === undefined) return 'no text';
  const tokens = answer?.usage?.outputTokens ?? deltas.length;
  const rate = ((tokens - 1) * 1000) / (last.ms - first.ms);
  return `first text after ${Math.round(first.ms)} ms, ${deltas.length} pieces, ${tokens} tokens, ${rate.toFixed(1)} tokens/s`;
}
