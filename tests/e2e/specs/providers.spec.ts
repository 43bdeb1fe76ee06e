import { modelOf, QUESTION } from '../asking.js';
import { expect, inBothBrowsers } from '../index-host.js';
import { withDouble } from '../llm-double.js';
import * as replies from '../llm-replies.js';

// The loop of searching and answering over each format of a provider, in real browsers, which ask the server first
// whether a page of another origin may send such headers.

for (const format of ['chat', 'responses', 'anthropic', 'gemini', 'ollama'] as const) {
  inBothBrowsers(`${format}: the loop`, async (visit) => {
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
      expect(seen).toMatchObject({
        text: 'Up to 1000 mg [1], “in divided doses” – 薬 🫁.',
        cited: 1,
        usage: { inputTokens: 642, outputTokens: 90 },
      });
    });
  });
}
