import { answerOf, modelOf, RENAL, steps } from '../asking.js';
import { sourceText } from '../documents.js';
import * as replies from '../llm-replies.js';
import { ask, expect, test } from './harness.js';

// Requests to a model with the policy `tools`, and the checks of its answer.

const QUESTION = 'How much metformin may someone take whose eGFR is 35?';

test('the requests are what the provider expects', async ({ ibid, llm }) => {
  llm.script(
    replies.searches('dose if eGFR < 45 & "renal" impairment'),
    replies.answerFromSources(['Up to 1000 mg daily']),
    replies.searches('adrenaline dose'),
    replies.answerFromSources(['Half a milligram']),
  );
  const talk = ibid.conversation();
  const options = { llm: modelOf(llm) };
  await talk.ask(QUESTION, options);
  const [first] = llm.requests;
  const second = llm.body(1);

  expect(first?.headers.authorization).toBe(`Bearer ${llm.key}`);
  expect(first?.headers['content-type']).toContain('application/json');
  const { messages, tools, ...settings } = llm.body(0);
  expect(settings).toEqual({
    model: llm.model,
    stream: true,
    stream_options: { include_usage: true },
    temperature: 0.3,
    max_tokens: 2000,
    tool_choice: 'auto',
  });
  expect(messages.map(({ role }) => role)).toEqual(['system', 'user']);
  expect(messages[1]?.content).toBe(QUESTION);
  expect(tools?.map((tool) => tool.function.name)).toEqual(['search_documents']);
  expect(tools?.[0]?.function.parameters).toMatchObject({
    properties: { query: { type: 'string' }, max_results: { type: 'integer', maximum: 10 } },
    required: ['query'],
  });

  expect(second).toMatchObject({ ...settings, tools });
  expect(second.messages.slice(0, 2)).toEqual(messages);
  expect(second.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool']);
  const [call] = second.messages[2]?.tool_calls ?? [];
  expect(call).toMatchObject({ id: 'call_search', type: 'function', function: { name: 'search_documents' } });
  expect(JSON.parse(call?.function.arguments ?? '')).toEqual({
    query: 'dose if eGFR < 45 & "renal" impairment',
    max_results: 5,
  });
  expect(second.messages[3]?.tool_call_id).toBe('call_search');

  // Passages stand escaped, between tags whose name the system message has announced.
  const result = second.messages[3]?.content ?? '';
  const [opening = ''] = result.split('\n');
  const nonce = /^<sources-([A-Za-z0-9]{6,}) query="dose if eGFR &lt; 45 &amp; &quot;renal&quot; impairment" /.exec(
    opening,
  )?.[1];
  expect(nonce).toBeDefined();
  expect(opening).toMatch(/ search="1" count="5" best="[01]\.\d\d" average="[01]\.\d\d">$/);
  expect(result.endsWith(`\n</sources-${nonce}>`)).toBe(true);
  expect(messages[0]?.content).toContain(`<sources-${nonce}>`);
  const sources = replies.readSources(result);
  expect(sources.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5]);
  expect(sources[0]).toMatchObject({ document: 'Type 2 diabetes', section: 'Special groups > Renal impairment' });
  expect(sources[0]?.text).toContain('| 30 to 44 | Up to 1000 mg daily | 50 mg daily |');

  // A second question goes on from the first, under another nonce.
  expect((await talk.ask('How much adrenaline does an adult get?', options)).text).toContain('Half a milligram');
  const third = llm.body(2).messages;
  expect(third.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'user']);
  expect(third[0]?.content).toMatch(/<sources-[A-Za-z0-9]{6,}>/);
  expect(JSON.stringify(third)).not.toContain(`sources-${nonce}`);
});

test('a source stands as it does in its file', async ({ ibid, llm }) => {
  llm.script(replies.searches(RENAL), replies.answerFromSources(['Up to 1000 mg daily', 'Stopped below 30']));
  const answer = answerOf(await ask(ibid, QUESTION, { llm: modelOf(llm) }));
  expect(answer.citations).toHaveLength(2);
  for (const { source } of answer.citations) {
    const lines = sourceText(source.source).split('\n');
    // A part of a long table begins with the table's header again, so the lines are looked for one by one.
    const own = source.text.split('\n').filter((line) => line.trim() !== '');
    for (const one of own) expect(lines).toContain(one);
    expect(own, `line ${source.line} of ${source.source}`).toContain(lines[source.line - 1]);
  }
});

test('sources keep their numbers over searches, and the last turn must answer', async ({ ibid, llm }) => {
  llm.script(
    replies.searches(RENAL, 'call_1'),
    replies.searches('when to stop metformin in renal impairment', 'call_2'),
    replies.searches('adrenaline dose in anaphylaxis', 'call_3'),
    replies.answer((request) => {
      const results = request.messages.filter(({ role }) => role === 'tool').map(({ content }) => content ?? '');
      const last = replies.readSources(results.at(-1) ?? '')[0];
      return `Stop it [1]. And the adrenaline [${last?.number}].`;
    }),
  );
  const outcome = await ask(ibid, 'What about metformin, kidneys and adrenaline?', { llm: modelOf(llm) });
  const answer = answerOf(outcome);
  const model = ['model', 'retrieve'];
  expect(steps(answer)).toEqual([...model, ...model, ...model, 'model', 'verify']);
  expect(llm.requests.map(({ body }) => body.tool_choice)).toEqual(['auto', 'auto', 'auto', 'none']);
  const results = llm
    .body(3)
    .messages.filter(({ role }) => role === 'tool')
    .map(({ content }) => content ?? '');
  expect(results.map((result) => result.includes('This was the last search.'))).toEqual([false, false, true]);
  const numbers = new Map<string, number>();
  let again = 0;
  for (const { number, document, section, text } of results.flatMap(replies.readSources)) {
    const passage = `${document} > ${section}: ${text}`;
    if (numbers.has(passage)) again += 1;
    // Known passages have their number, new ones the next.
    expect(number, passage).toBe(numbers.get(passage) ?? numbers.size + 1);
    numbers.set(passage, number);
  }
  expect(again, 'passages that both of the first searches found').toBeGreaterThan(0);
  expect(answer.sources).toHaveLength(numbers.size);
  expect(answer.citations.at(-1)?.source.title).toBe('Anaphylaxis');
});

test('a search without a hit is told to the model, which may say so', async ({ ibid, llm }) => {
  llm.script(replies.searches('best pizza dough recipe'), replies.answer('The documents do not say.'));
  const answer = answerOf(await ask(ibid, 'What is the best pizza dough?', { llm: modelOf(llm) }));
  expect(answer).toMatchObject({ text: 'The documents do not say.', sources: [] });
  const result = replies.lastToolResult(llm.body(1));
  expect(replies.readSources(result)).toEqual([]);
  expect(result).toContain('No passage is relevant enough');
});

test('a model that only ever searches ends in quotes', async ({ ibid, llm }) => {
  const parts = ['', ' per day', ' in tablets', ' at most'];
  llm.script(...parts.map((words, index) => replies.searches(`${RENAL}${words}`, `call_${index}`)));
  const answer = answerOf(await ask(ibid, QUESTION, { llm: modelOf(llm) }));
  expect(answer.mode).toBe('extractive');
  expect(answer.flags.map(({ message }) => message)).toEqual([expect.stringMatching(/^The model gave no answer/)]);
  const results = llm.body(3).messages.filter(({ role }) => role === 'tool');
  const read = results.flatMap(({ content }) => replies.readSources(content ?? '')).map(({ text }) => text);
  expect(answer.citations).not.toEqual([]);
  for (const { source } of answer.citations) expect(read).toContain(source.text);
});

test('thoughts are told apart, and no part of the answer', async ({ ibid, llm }) => {
  llm.script(
    replies.toolCalls([{ id: 'a', name: 'search_documents', args: { query: 'metformin' } }], '', 'I have to search.'),
    replies.answerInPieces(() => ['<thi', 'nk>The table [9] says it.</th', 'ink>\n\nUp to 1000 mg [1].']),
  );
  const { events, answer } = await ask(ibid, QUESTION, { llm: modelOf(llm, 'chat', { reasoning: 'low' }) });
  expect(answer?.text).toBe('Up to 1000 mg [1].');
  const thought = events.map((event) => (event.type === 'reasoning' ? event.delta : '')).join('');
  expect(thought).toBe('I have to search.The table [9] says it.');
  expect(llm.requests.map(({ raw }) => raw.reasoning_effort)).toEqual(['low', 'low']);
});
