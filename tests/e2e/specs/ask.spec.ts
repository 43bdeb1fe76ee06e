import { sourceText } from '../documents.js';
import { expect, test } from '../harness.js';
import * as replies from '../llm-replies.js';

const QUESTION = 'How much metformin may someone take whose eGFR is 35?';
const RENAL = 'metformin a day with an eGFR of 35';

/** A promise and what fulfils it. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

test('a model searches, reads what was found, and answers with citations', async ({ demo, llm, page }) => {
  await demo.useModel(llm);
  await expect(page.getByTestId('mode')).toContainText(`Answered by ${llm.model} at 127.0.0.1:`);
  llm.script(
    replies.searches('metformin dose if eGFR < 45 & "renal impairment"'),
    replies.answerFromSources([
      'Metformin up to **1000 mg** daily',
      'Metformin has a lower ceiling in renal impairment',
    ]),
  );
  await demo.ask(QUESTION);
  await demo.answered('model');

  await expect(demo.stepLabels).toHaveText(['Turn 1', 'Search', 'Turn 2', 'Answer']);
  await expect(demo.step('Search')).toContainText(
    /“metformin dose if eGFR < 45 & "renal impairment"” → 5 passages \[1\] \[2\] \[3\] \[4\] \[5\], /,
  );
  await expect(demo.step('Answer')).toContainText('2 turns · 1 search · 642 tokens in, 90 out');
  await expect(demo.answer.locator('strong')).toHaveText('1000 mg');
  await expect(demo.answer).toHaveText(
    /^Metformin up to 1000 mg daily \[1\]\s*Metformin has a lower ceiling in renal impairment \[2\]$/,
  );
  await expect(demo.answerNote).toHaveText(
    /^Written by double-large at 127\.0\.0\.1:\d+ from 2 cited sources\. Open the citations to check it\.$/,
  );
  await expect(demo.sources).toHaveCount(5);
  await expect(demo.sources.filter({ hasText: /(?<!not )cited$/ })).toHaveCount(2);
  await expect(page.getByTestId('flags')).toBeHidden();
  await expect(page.getByTestId('announcer')).toHaveText(/^The answer is complete after .+, with 2 cited sources\.$/);
});

test('the requests are what the provider expects', async ({ demo, llm }) => {
  await demo.useModel(llm);
  llm.script(
    replies.searches('dose if eGFR < 45 & "renal" impairment'),
    replies.answerFromSources(['Up to 1000 mg daily']),
    replies.searches('adrenaline dose'),
    replies.answerFromSources(['Half a milligram']),
  );
  await demo.ask(QUESTION);
  await demo.answered('model');
  const first = llm.requests[0];
  const second = llm.body(1);

  expect(llm.preflights, 'the page is of another origin').toBe(2);
  expect(first?.headers.authorization).toBe(`Bearer ${llm.key}`);
  expect(first?.headers['content-type']).toContain('application/json');
  expect(first?.headers).not.toHaveProperty('cookie');
  expect(first?.headers).not.toHaveProperty('referer');
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

  // What was found stands escaped, between tags whose name the system message has announced.
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
  await demo.ask('How much adrenaline does an adult get?');
  await expect(demo.answer).toContainText('Half a milligram');
  const third = llm.body(2).messages;
  expect(third.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'user']);
  expect(third[0]?.content).toMatch(/<sources-[A-Za-z0-9]{6,}>/);
  expect(JSON.stringify(third)).not.toContain(`sources-${nonce}`);
});

test('the answer is shown while it is being written', async ({ demo, llm, page }) => {
  await demo.useModel(llm);
  const rest = gate();
  llm.script(
    replies.searches(RENAL),
    replies.answerInTwo('Up to 1000 mg daily [1], in “divided” doses – ≤ 500 µg', rest.opened, ' at once 薬 [2].'),
  );
  await demo.ask(QUESTION);
  await expect(demo.answer).toContainText('“divided” doses – ≤ 500 µg');
  await expect(demo.answer).not.toContainText('at once');
  await expect(demo.answer).toHaveAttribute('aria-busy', 'true');
  await expect(demo.stopButton).toBeVisible();
  await expect(demo.askButton).toBeHidden();
  await expect(demo.answerNote).toBeHidden();
  await expect(page.getByTestId('announcer')).toHaveText('The answer is being written.');
  // A citation can be opened before the answer is complete.
  await demo.citation(1).click();
  await expect(demo.passage).toContainText('Up to 1000 mg daily');
  await page.keyboard.press('Escape');
  rest.open();
  await demo.answered('model');
  await expect(demo.answer).toHaveText('Up to 1000 mg daily [1], in “divided” doses – ≤ 500 µg at once 薬 [2].');
  await expect(demo.citations).toHaveText(['[1]', '[2]']);
});

test('a citation opens the passage it names, as it stands in the file', async ({ demo, llm, page }) => {
  await demo.useModel(llm);
  llm.script(replies.searches(RENAL), replies.answerFromSources(['Up to 1000 mg daily', 'Stopped below 30']));
  await demo.ask(QUESTION);
  await demo.answered('model');
  const read = replies.readSources(replies.lastToolResult(llm.body(1)));

  for (const number of [1, 2]) {
    const source = read.find((found) => found.number === number);
    await demo.citation(number).click();
    await expect(demo.passage).toBeVisible();
    await expect(demo.passage.getByRole('heading')).toHaveText(`[${number}] ${source?.document}`);
    await expect(demo.passage.locator('.path')).toHaveText(source?.section.replaceAll(' > ', ' › ') ?? '');
    const shown = (await demo.passageText.textContent()) ?? '';
    expect(shown.trim(), 'what the model has read').toBe(source?.text.replaceAll('&lt;', '<').replaceAll('&amp;', '&'));
    const place = (await demo.passage.locator('dd').first().textContent()) ?? '';
    const [, file = '', line = ''] = /^(.+\.md), line (\d+)$/.exec(place) ?? [];
    // A part of a long table begins with the table's header again, so the lines are looked for one by one.
    const lines = sourceText(file).split('\n');
    const own = shown.split('\n').filter((line) => line.trim() !== '');
    for (const one of own) expect(lines).toContain(one);
    expect(own, `line ${line} of ${file}`).toContain(lines[Number(line) - 1]);
    await page.keyboard.press('Escape');
    await expect(demo.passage).toBeHidden();
    await expect(demo.citation(number)).toBeFocused();
  }
});

test('a number that no source has is flagged and leads nowhere', async ({ demo, llm, page }) => {
  await demo.useModel(llm);
  llm.script(replies.searches(RENAL), replies.answer('Up to 1000 mg daily [1]. At most twice a day [99]. Or [2, 98].'));
  await demo.ask(QUESTION);
  await demo.answered('model');
  await expect(demo.citations).toHaveText(['[1]', '[2]']);
  await expect(demo.answer.locator('.ibid-cite.ibid-unknown')).toHaveText(['[99]', '[98]']);
  await expect(demo.answer.locator('mark.ibid-flag').first()).toHaveText('[99]');
  await expect(page.getByRole('heading', { name: 'Check these' })).toBeVisible();
  await expect(demo.flags).toHaveText([
    '[99] The answer cites [99], but there is no source of that number.',
    '[2, 98] The answer cites [98], but there is no source of that number.',
  ]);
  await expect(page.getByTestId('announcer')).toContainText('with 2 cited sources. 2 doubts flagged.');
});

test('sources keep their numbers over searches, and the last turn must answer', async ({ demo, llm }) => {
  await demo.useModel(llm);
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
  await demo.ask('What about metformin, kidneys and adrenaline?');
  await demo.answered('model');
  await expect(demo.stepLabels).toHaveText([
    ...['Turn 1', 'Search', 'Turn 2', 'Search', 'Turn 3', 'Search', 'Turn 4', 'Answer'],
  ]);
  await expect(demo.step('Turn 3')).toContainText('it may search');
  await expect(demo.step('Turn 4')).toContainText('it must answer now');

  expect(llm.requests.map(({ body }) => body.tool_choice)).toEqual(['auto', 'auto', 'auto', 'none']);
  const results = llm
    .body(3)
    .messages.filter(({ role }) => role === 'tool')
    .map(({ content }) => content ?? '');
  expect(results).toHaveLength(3);
  expect(results.map((result) => result.includes('This was the last search.'))).toEqual([false, false, true]);
  const [first = [], second = [], third = []] = results.map(replies.readSources);
  const numbers = new Map<string, number>();
  let again = 0;
  for (const { number, document, section, text } of [...first, ...second, ...third]) {
    const passage = `${document} > ${section}: ${text}`;
    if (numbers.has(passage)) again += 1;
    // Known passages have their number, new ones the next.
    expect(number, passage).toBe(numbers.get(passage) ?? numbers.size + 1);
    numbers.set(passage, number);
  }
  expect(again, 'passages that both of the first searches found').toBeGreaterThan(0);
  await expect(demo.sources).toHaveCount(numbers.size);
  const adrenaline = third[0];
  await demo.citation(adrenaline?.number ?? 0).click();
  await expect(demo.passage.getByRole('heading')).toHaveText(`[${adrenaline?.number}] Anaphylaxis`);
});

test('a search without a hit is told to the model, which may say so', async ({ demo, llm }) => {
  await demo.useModel(llm);
  llm.script(replies.searches('best pizza dough recipe'), replies.answer('The documents do not say.'));
  await demo.ask('What is the best pizza dough?');
  await demo.answered('model');
  await expect(demo.step('Search')).toContainText('→ nothing relevant');
  await expect(demo.answer).toHaveText('The documents do not say.');
  await expect(demo.sources).toHaveCount(0);
  const result = replies.lastToolResult(llm.body(1));
  expect(replies.readSources(result)).toEqual([]);
  expect(result).toContain('No passage is relevant enough');
});

test('an answer cut off at the token limit says so', async ({ demo, llm }) => {
  await demo.useModel(llm);
  llm.script(replies.searches(RENAL), replies.answer('Metformin up to 1000 mg daily [1] in', 'length'));
  await demo.ask(QUESTION);
  await demo.answered('model');
  await expect(demo.answerNote).toContainText('The model reached its token limit: the answer may be cut off.');
  await expect(demo.step('Answer')).toContainText('finish reason: length');
  await expect(demo.flags).toHaveText(['The answer was cut off at the limit of tokens.']);
});

test('a model that only ever searches ends in quotes', async ({ demo, llm }) => {
  await demo.useModel(llm);
  const parts = ['', ' per day', ' in tablets', ' at most'];
  llm.script(...parts.map((words, index) => replies.searches(`${RENAL}${words}`, `call_${index}`)));
  await demo.ask(QUESTION);
  await demo.answered('extractive');
  await expect(demo.stepLabels.last()).toHaveText('Passages');
  const results = llm.body(3).messages.filter(({ role }) => role === 'tool');
  const read = results.flatMap(({ content }) => replies.readSources(content ?? '')).map(({ text }) => text);
  const shown = await demo.answer.locator('p, li, td').allTextContents();
  for (const text of shown) {
    const quote = text.replace(/(?: ?…)? *\[\d+\]$/, '');
    expect(
      read.some((passage) => passage.includes(quote)),
      quote,
    ).toBe(true);
  }
  await expect(demo.citations.first()).toBeVisible();
  await expect(demo.flags).toHaveText([/^The model gave no answer/]);
  await expect(demo.answerNote).toHaveText(
    /^No answer from double-large at .+: these are the best passages, verbatim\./,
  );
});

test('settings are remembered over a reload, the key is not', async ({ context, demo, llm, page }) => {
  await demo.useModel(llm);
  const stored = await page.evaluate(() =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
  );
  expect(stored).toContain(llm.model);
  expect(stored).not.toContain(llm.key);
  expect(JSON.stringify(await context.storageState())).not.toContain(llm.key);
  await page.reload();
  await demo.ready();
  await expect(page.getByTestId('mode')).toContainText(`Answered by ${llm.model}`);
  await page.getByTestId('settings-open').click();
  await expect(demo.settings.getByLabel('Base URL')).toHaveValue(llm.baseUrl);
  await expect(demo.settings.getByLabel('API key')).toHaveValue('');
});

test('settings refuse an address that a key must not be sent to, and a missing model', async ({ demo, page }) => {
  await page.getByTestId('settings-open').click();
  await demo.settings.getByLabel('Provider').selectOption('custom');
  await demo.settings.getByLabel('Base URL').fill('http://models.example/v1');
  await demo.settings.getByRole('button', { name: 'Save' }).click();
  await expect(demo.settings.getByRole('alert')).toContainText('does not let it reach http://models.example');
  await expect(demo.settings.getByLabel('Base URL')).toBeFocused();
  // Encrypted, but no host that this page may reach.
  await demo.settings.getByLabel('Base URL').fill('https://models.example/v1');
  await demo.settings.getByRole('button', { name: 'Save' }).click();
  await expect(demo.settings.getByRole('alert')).toContainText('does not let it reach https://models.example');
  await demo.settings.getByLabel('Base URL').fill('https://api.mistral.ai/v1');
  await demo.settings.getByRole('button', { name: 'Save' }).click();
  await expect(demo.settings.getByRole('alert')).toHaveText('Name a model.');
  await demo.settings.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByTestId('mode')).toContainText('No model');
});

test('a key does not follow to another server', async ({ demo, llm, page }) => {
  await demo.useModel(llm);
  await page.getByTestId('settings-open').click();
  await expect(demo.settings.getByLabel('API key')).toHaveValue(llm.key);
  await demo.settings.getByLabel('Provider').selectOption('groq');
  await expect(demo.settings.getByLabel('API key')).toHaveValue('');
});
