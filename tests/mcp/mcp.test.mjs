/**
 * `ibid build` and then `ibid mcp`, as an assistant uses it: with the official client of the Model Context Protocol, which
 * starts the server, negotiates, and checks every result against the schema that the tool announces.
 *
 * The command is `target/release/ibid`, or what `IBID_COMMAND` names.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { mcpTools } from '../../pkg/dist/mcp/index.js';

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

/** Runs something with the address of a server over HTTP. */
async function serving(args, use) {
  const server = spawn(command, ['mcp', 'tea.ibid', '--http', '0', ...args], { cwd: folder });
  try {
    const url = await new Promise((resolve, reject) => {
      let told = '';
      server.stderr.on('data', (chunk) => {
        told += chunk;
        const [, address] = / at (http:\S+)/.exec(told) ?? [];
        if (address !== undefined) resolve(address);
      });
      server.once('exit', () => reject(new Error(told)));
    });
    await use(new URL(url));
  } finally {
    server.kill();
  }
}

test('over HTTP many clients are served, and their tools are tools of a run', async () => {
  await serving([], async (url) => {
    const clients = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const client = new Client({ name: 'ibid-tests', version: '0.0.0' });
        await client.connect(new StreamableHTTPClientTransport(url));
        return client;
      }),
    );
    const found = await Promise.all(
      clients.map((client) => client.callTool({ name: 'search_documents', arguments: { query: 'black tea' } })),
    );
    for (const { structuredContent } of found) assert.equal(structuredContent.passages[0].source, 'tea.md');
    const tools = await mcpTools(clients[0]);
    assert.deepEqual(
      tools.map(({ name }) => name),
      ['search_documents', 'read_section'],
    );
    const { signal } = new AbortController();
    assert.match(await tools[0].execute({ query: 'black tea' }, { signal, callId: 'c' }), /tea\.md/);
    await assert.rejects(tools[0].execute({}, { signal, callId: 'c' }), /`query` is missing/);
    await Promise.all(clients.map((client) => client.close()));
  });
});

test('a page of an origin that was not named cannot call, whatever name it gives this machine', async () => {
  const origin = 'https://docs.example.org';
  await serving(['--allow-origin', `${origin}/`], async (url) => {
    const call = (headers, method = 'POST') =>
      fetch(url, {
        method,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        ...(method === 'POST' && { body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' }),
      });
    assert.equal((await call({})).status, 200);
    const allowed = await call({ origin });
    assert.deepEqual([allowed.status, allowed.headers.get('access-control-allow-origin')], [200, origin]);
    assert.equal((await call({ origin }, 'OPTIONS')).status, 204);
    for (const other of ['https://evil.example', `${origin}:8443`, 'null']) {
      const refused = await call({ origin: other });
      assert.deepEqual([refused.status, refused.headers.get('access-control-allow-origin')], [403, null], other);
    }
    assert.equal((await fetch(new URL('/', url))).status, 404);
  });
  for (const args of [
    ['--http', '0', '--allow-origin', '*'],
    ['--http', 'no such address'],
    ['--allow-origin', origin],
  ]) {
    const run = () => execFileSync(command, ['mcp', 'tea.ibid', ...args], { cwd: folder, stdio: 'pipe' });
    assert.throws(run, ({ status }) => status > 0);
  }
});
