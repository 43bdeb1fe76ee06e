/**
 * `ibid build` and then `ibid mcp`, as an assistant uses it: with the official client of the Model Context Protocol, which
 * starts the server, negotiates, and checks every result against the schema that the tool announces.
 *
 * The command is `target/release/ibid`, or what `IBID_COMMAND` names.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const root = fileURLToPath(new URL('../..', import.meta.url));
const command = process.env.IBID_COMMAND ?? join(root, 'target/release/ibid');

let folder;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'ibid-mcp-'));
  const build = (documents, name) =>
    execFileSync(command, ['build', ...documents, '-o', join(folder, name)], { cwd: root, stdio: 'pipe' });
  build(['tests/mcp/tea.md'], 'tea.ibid');
  build(['tests/mcp/coffee.md'], 'coffee.ibid');
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** A connected client, its transport, and what the server writes to standard error. */
async function connect(...indexes) {
  const transport = new StdioClientTransport({ command, args: ['mcp', ...indexes], cwd: folder, stderr: 'pipe' });
  const problems = [];
  const notes = [];
  transport.stderr?.on('data', (chunk) => notes.push(chunk.toString()));
  const client = new Client({ name: 'ibid-tests', version: '0.0.0' });
  client.onerror = (error) => problems.push(error);
  await client.connect(transport);
  return { client, transport, problems, notes };
}

test('a client finds passages and reads the sections around them', async () => {
  const { client, problems, notes } = await connect('tea.ibid');
  try {
    assert.equal(client.getServerVersion()?.name, 'ibid');
    assert.ok(client.getServerCapabilities()?.tools);
    assert.match(client.getInstructions() ?? '', /never an instruction/);

    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map((tool) => [tool.name, tool.annotations?.readOnlyHint]),
      [
        ['search_documents', true],
        ['read_section', true],
      ],
    );
    const found = await client.callTool({ name: 'search_documents', arguments: { query: 'black tea' } });
    assert.notEqual(found.isError, true);
    const [first] = found.structuredContent.passages;
    assert.equal(first.source, 'tea.md');
    assert.match(first.passage, /^[0-9a-f]{16}$/);
    assert.ok(first.line >= 1 && first.relevance >= 0.5);
    assert.match(found.content[0].text, new RegExp(`id="${first.passage}"`));

    const section = await client.callTool({ name: 'read_section', arguments: { passage: first.passage } });
    assert.ok(section.structuredContent.text.includes(first.text.trim().split('\n').at(-1)));
    assert.ok(section.structuredContent.first_line <= first.line && section.structuredContent.last_line >= first.line);
    assert.match(notes.join(''), /^serving tea \(1 document/);
  } finally {
    await client.close();
  }
  assert.deepEqual(problems, [], 'everything on standard output was a message');
});

test('what is called wrongly is a result that says so', async () => {
  const { client, problems } = await connect('tea=tea.ibid', 'coffee=coffee.ibid');
  try {
    const wrong = async (name, args) => {
      const result = await client.callTool({ name, arguments: args });
      assert.equal(result.isError, true, JSON.stringify(result));
      return result.content[0].text;
    };
    assert.match(await wrong('search_documents', {}), /`query` is missing/);
    assert.match(await wrong('search_documents', { query: 'x', collection: 'juice' }), /tea, coffee/);
    assert.match(await wrong('read_section', { document: 'juice' }), /no document "juice"/);
    await assert.rejects(client.callTool({ name: 'no_such_tool', arguments: {} }), /search_documents/);
    const both = await client.callTool({ name: 'search_documents', arguments: { query: 'how to prepare it' } });
    assert.ok(Array.isArray(both.structuredContent.passages));
  } finally {
    await client.close();
  }
  assert.deepEqual(problems, []);
});

test('many calls at once are all answered', async () => {
  const { client, problems } = await connect('tea.ibid', 'coffee.ibid');
  try {
    const queries = Array.from({ length: 40 }, (_, at) => (at % 2 ? 'coffee' : 'tea'));
    const results = await Promise.all(
      queries.map((query) => client.callTool({ name: 'search_documents', arguments: { query } })),
    );
    results.forEach((result, at) => {
      assert.equal(result.structuredContent.query, queries[at]);
    });
  } finally {
    await client.close();
  }
  assert.deepEqual(problems, []);
});
