import { modelOf, QUESTION } from '../asking.js';
import { expect, inBothBrowsers } from '../index-host.js';
import { withDouble } from '../llm-double.js';
import * as replies from '../llm-replies.js';

// The loop of searching and answering over each format of a provider, in real browsers, which ask the server first
// whether a page of another origin may send such headers.

inBothBrowsers('the loop in each format', async (visit) => {
  for (const format of ['chat', 'responses', 'anthropic', 'gemini', 'ollama'] as const) {
    await withDouble(async (llm) => {
      llm.script(
        replies.searches('metformin in renal impairment'),
        replies.answer('Up to 1000 mg [1], “in divided doses” – 薬 🫁.'),
      );
      const seen = await visit.evaluate(
        async ([question, llm]) => {
          const { Ibid } = await import('/ibid/index.js' as string);
          const ibid = await Ibid.load({ index: './site.ibid' });
          const { text, citations, usage } = await ibid.ask(question, { llm });
          return { text, cited: citations.length, usage };
        },
        [QUESTION, modelOf(llm, format)] as const,
      );
      expect(seen, format).toMatchObject({
        text: 'Up to 1000 mg [1], “in divided doses” – 薬 🫁.',
        cited: 1,
        usage: { inputTokens: 642, outputTokens: 90 },
      });
    });
  }
});

inBothBrowsers('the next model takes over, reached by a fetch of the page', async (visit) => {
  await withDouble(async (llm) => {
    llm.script(replies.searches('metformin in renal impairment'), replies.answer('Up to 1000 mg [1].'));
    const seen = await visit.evaluate(
      async ([question, llm]) => {
        const { Ibid } = await import('/ibid/index.js' as string);
        const ibid = await Ibid.load({ index: './site.ibid' });
        const asked: string[] = [];
        const own = (request: Request) => {
          asked.push(request.url.split('/').pop() ?? '');
          return fetch(request);
        };
        const unknown = { ...llm, model: 'gone' };
        const run = ibid.ask(question, { llm: [unknown, { ...llm, fetch: own }] });
        const reasons: string[] = [];
        for await (const event of run) if (event.type === 'retry') reasons.push(event.reason);
        const { text, model } = await run;
        return { text, model, asked, reasons };
      },
      [QUESTION, modelOf(llm)] as const,
    );
    expect(seen).toMatchObject({ text: 'Up to 1000 mg [1].', model: llm.model });
    expect(seen.asked).toEqual(['completions', 'completions']);
    expect(seen.reasons).toHaveLength(1);
    expect(seen.reasons[0]).toContain(`\`${llm.model}\` is asked instead.`);
  });
});

inBothBrowsers('how long a provider asks to wait is in its error', async (visit) => {
  await withDouble(async (llm) => {
    llm.script(replies.rateLimited(7));
    const waits = await visit.evaluate(
      async ([question, llm]) => {
        const { Ibid } = await import('/ibid/index.js' as string);
        const ibid = await Ibid.load({ index: './site.ibid' });
        return ibid.ask(question, { llm: { ...llm, maxRetries: 0 } }).then(
          () => null,
          ({ code, retryAfter }: { code: string; retryAfter?: number }) => [code, retryAfter],
        );
      },
      [QUESTION, modelOf(llm)] as const,
    );
    expect(waits).toEqual(['provider-rate-limit', 7000]);
  });
});
