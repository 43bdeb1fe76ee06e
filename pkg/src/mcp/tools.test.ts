import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type McpClient, mcpTools } from './tools.js';

const SCHEMA = { type: 'object', properties: { a: { type: 'number' } } };
const context = { signal: new AbortController().signal, callId: 'c' };

/** A client whose server has these tools on pages of two, and answers every call with `result`. */
function clientOf(names: string[], result: object) {
  const called: unknown[] = [];
  const client: McpClient = {
    listTools: async ({ cursor = '0' } = {}) => {
      const at = Number(cursor);
      const tools = names.slice(at, at + 2).map((name) => ({ name, description: 'Adds.', inputSchema: SCHEMA }));
      return { tools, ...(at + 2 < names.length && { nextCursor: String(at + 2) }) };
    },
    callTool: async (params, options) => {
      called.push(params, options?.signal === context.signal);
      return result;
    },
  };
  return { client, called };
}

test('the tools of a server are tools of a run, by names that a model may be told', async () => {
  const long = 'x'.repeat(70);
  const { client, called } = clientOf(['add', 'math/add', 'math.add', long, `${long}y`], { content: [] });
  const tools = await mcpTools(client);
  const names = tools.map(({ name }) => name);
  assert.deepEqual(names.slice(0, 3), ['add', 'math_add', 'math_add_2']);
  assert.equal(new Set(names).size, 5);
  assert.ok(names.every((name) => /^[\w-]{1,64}$/.test(name)));
  assert.deepEqual([tools[1]?.description, tools[1]?.parameters], ['Adds.', SCHEMA]);
  assert.ok(tools.every(({ readOnly }) => readOnly === undefined));
  await tools[2]?.execute({ a: 1 }, context);
  assert.deepEqual(called, [{ name: 'math.add', arguments: { a: 1 } }, true]);
});

test('a result is its text, and a failure is one', async () => {
  const result = async (result: object) => {
    const [tool] = await mcpTools(clientOf(['add'], result).client);
    return await tool?.execute({}, context);
  };
  assert.equal(
    await result({
      content: [
        { type: 'text', text: 'One' },
        { type: 'image', data: 'AAAA' },
        { type: 'resource', resource: { text: 'Two' } },
      ],
    }),
    'One\n[image]\nTwo',
  );
  assert.equal(await result({ content: [], structuredContent: { sum: 3 } }), '{"sum":3}');
  assert.equal(await result({}), 'null');
  await assert.rejects(result({ content: [{ type: 'text', text: 'No such number.' }], isError: true }), {
    message: 'No such number.',
  });
});
