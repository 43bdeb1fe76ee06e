import { answerOf, modelOf, QUESTION, streamed } from '../asking.js';
import * as replies from '../llm-replies.js';
import { ask, expect, test } from './harness.js';

// The loop of searching and answering over each format of a provider.

const FORMATS = ['chat', 'responses', 'anthropic', 'gemini', 'ollama'] as const;
/** What each server gives a model's thoughts or calls for it to be recognized by, if anything. */
const ECHOED = {
  chat: '',
  responses: '"encrypted_content":"gAAAA-double"',
  anthropic: '"signature":"c2lnbmVkIGJ5IGEgZG91Ymxl"',
  gemini: '"thoughtSignature":"c2lnbmVkIGJ5IGEgZG91Ymxl"',
  ollama: '"thinking":"Two things to find."',
};
const OUTPUT = {
  name: 'dose',
  schema: {
    type: 'object',
    properties: { mg: { type: 'number' } },
    required: ['mg'],
    additionalProperties: false,
  },
};

for (const format of FORMATS) {
  // Gemini's newer models take their calls back only as they gave them.
  const model = format === 'gemini' ? 'gemini-3-double' : 'double-large';

  test(`${format}: searches side by side and one after the other, then answers`, async ({ ibid, llm }) => {
    llm.script(
      replies.toolCalls(
        [
          { id: 'call_a', name: 'search_documents', args: { query: 'metformin in renal impairment', max_results: 2 } },
          { id: 'call_b', name: 'search_documents', args: { query: 'sitagliptin “50 mg” ≥ 30', max_results: 2 } },
        ],
        'Let me look.',
        'Two things to find.',
      ),
      replies.toolCall('search_documents', { query: 'when to stop metformin' }, 'call_c'),
      replies.thinks('That suffices.', 'Up to 1000 mg [1], “in divided doses” – 薬 🫁.'),
    );
    const llmOptions = modelOf(llm, format, { model, reasoning: 'low' });
    const outcome = await ask(ibid, QUESTION, { llm: llmOptions });
    const answer = answerOf(outcome);
    expect(answer).toMatchObject({
      text: 'Up to 1000 mg [1], “in divided doses” – 薬 🫁.',
      turns: 3,
      searches: 3,
      model,
    });
    expect(answer).toMatchObject({ finishReason: 'stop', mode: 'model' });
    expect(answer.usage).toMatchObject({ inputTokens: 3 * 321, outputTokens: 3 * 45 });
    expect(streamed(outcome.events)).toBe(answer.text);
    const thoughts = outcome.events.flatMap((event) => (event.type === 'reasoning' ? [event.delta] : [])).join('');
    expect(thoughts).toBe('Two things to find.That suffices.');
    expect(answer.citations.map(({ number }) => number)).toEqual([1]);

    // Each request has all that was said, in an order that the server takes.
    const roles = llm.requests.map(({ body }) => body.messages.map(({ role }) => role).join(' '));
    expect(roles).toEqual([
      'system user',
      'system user assistant tool tool',
      'system user assistant tool tool assistant tool',
    ]);
    const [, , , first, second] = llm.body(1).messages;
    expect(first?.content).toContain('query="metformin in renal impairment"');
    expect(second?.content).toContain('query="sitagliptin “50 mg” ≥ 30"');
    expect(llm.body(0).tools?.map((tool) => tool.function.name)).toEqual(['search_documents']);
    for (const { headers } of llm.requests) expect(headers).not.toHaveProperty('cookie');
    expect(JSON.stringify(llm.requests[1]?.raw), 'what the server wants back with its calls').toContain(ECHOED[format]);
  });

  test(`${format}: the last turn has no tools, and a form is kept to`, async ({ ibid, llm }) => {
    llm.script(
      replies.searches('metformin in renal impairment'),
      replies.answer('Up to 1000 mg [1].'),
      replies.answer('{"mg":1000}'),
    );
    const options = { llm: modelOf(llm, format, { model }), maxTurns: 2, output: OUTPUT };
    const answer = answerOf(await ask(ibid, QUESTION, options));
    expect(answer).toMatchObject({ text: 'Up to 1000 mg [1].', output: { mg: 1000 }, stoppedBy: 'turns' });
    expect(JSON.stringify(llm.requests[2]?.raw), 'the schema goes along').toContain('"additionalProperties":false');
  });

  test(`${format}: an error of the server's is told in its words`, async ({ ibid, llm }) => {
    llm.script(replies.apiError(429, 'You ask too often.', 'requests'), replies.errorInStream, replies.answer('Yes.'));
    const options = { llm: modelOf(llm, format, { model, retryDelay: 10 }), policy: 'classic' as const };
    const outcome = await ask(ibid, QUESTION, options);
    const retries = outcome.events.flatMap((event) => (event.type === 'retry' ? [event.reason] : []));
    expect(retries).toEqual([expect.stringContaining('You ask too often.'), expect.stringContaining('overloaded')]);
    expect(answerOf(outcome).text).toBe('Yes.');
    expect((await ask(ibid, QUESTION, { llm: { ...options.llm, model: 'unheard-of' } })).error).toMatchObject({
      code: 'provider-not-found',
      message: expect.stringContaining('unheard-of'),
    });
    if (format === 'ollama') return;
    const refused = await ask(ibid, QUESTION, { llm: { ...options.llm, apiKey: 'sk-wrong-0123456789' } });
    expect(refused.error?.code).toBe('provider-auth');
    expect(JSON.stringify(refused)).not.toContain('sk-wrong');
  });

  test(`${format}: a connection that breaks off is an error after what was read`, async ({ ibid, llm }) => {
    llm.script(replies.dropsAfter('Up to 1000 mg'));
    const outcome = await ask(ibid, QUESTION, { llm: modelOf(llm, format, { model }) });
    expect(outcome.error?.code).toBe('network');
    expect(streamed(outcome.events)).toBe('Up to 1000 mg');
  });

  test(`${format}: a limit of tokens is told`, async ({ ibid, llm }) => {
    llm.script(replies.answer('Up to', 'length'));
    const answer = answerOf(await ask(ibid, QUESTION, { llm: modelOf(llm, format, { model }), policy: 'classic' }));
    expect(answer.finishReason).toBe('length');
    expect(answer.flags.map(({ kind }) => kind)).toContain('cut_off');
  });
}
