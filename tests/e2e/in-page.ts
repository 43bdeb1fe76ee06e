import type { Page } from '@playwright/test';
import type { Answer, AskEvent, AskOptions, AskRun, Ibid, LlmOptions } from '../../pkg/src/index.js';
import { test as base } from './harness.js';
import type { LlmDouble } from './llm-double.js';
import type { Format } from './llm-formats/format.js';

/** What became of a run, as far as it survives the way out of the page. */
export interface Outcome {
  events: AskEvent[];
  /** Not there where the run failed. */
  answer?: Answer;
  error?: { code: string; message: string; hint?: string };
}

declare global {
  interface Window {
    /** The library, and the site's index, opened by it. */
    Ibid: typeof Ibid;
    ibid: Ibid;
    /** Follows a run to its end. */
    outcome(run: AskRun): Promise<Outcome>;
  }
}

interface InPage {
  /** The demo's page with the library in it for the test's own use. */
  lib: Page;
}

/** Tests that use the library in a page by themselves: by `lib.evaluate`, whose functions find it on `window`. */
export const test = base.extend<InPage>({
  lib: async ({ closedDemo, page }, use) => {
    await closedDemo.open();
    await page.evaluate(async () => {
      const { Ibid } = await import('./ibid/index.js' as string);
      window.Ibid = Ibid;
      window.ibid = await Ibid.load({ index: './site.ibid' });
      window.outcome = async (run) => {
        const events: AskEvent[] = [];
        try {
          for await (const event of run) events.push(event);
          return { events, answer: await run };
        } catch (error) {
          const { code, message, hint } = error as { code: string; message: string; hint?: string };
          return { events, error: { code, message, ...(hint !== undefined && { hint }) } };
        }
      };
    });
    await use(page);
  },
});

/** The scripted model server as a page reaches it, by one of the formats. */
export function modelOf(llm: LlmDouble, format: Format['name'] = 'chat', more: Partial<LlmOptions> = {}): LlmOptions {
  const provider = ({ chat: 'openai', responses: 'openai-responses' } as const)[format as 'chat'] ?? format;
  return { provider, baseURL: llm.baseUrlOf(format), model: llm.model, apiKey: llm.key, ...more } as LlmOptions;
}

/** Asks in the page with options that are plain data. */
export function ask(page: Page, question: string, options: AskOptions): Promise<Outcome> {
  // Playwright's types take objects of classes apart, which options could hold, and here do not.
  const given = [question, options] as unknown as [string, { policy?: 'auto' }];
  return page.evaluate(([question, options]) => window.outcome(window.ibid.ask(question, options)), given);
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
