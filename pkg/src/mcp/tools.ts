import type { JsonSchema } from '../ask/model-types.js';
import type { Tool } from '../ask/types.js';

/** The longest name that a model may be told. */
const LONGEST = 64;
/** The most pages of a list; a server that goes on and on is not waited for. */
const MOST_PAGES = 100;

/** The part that is used of a connected `Client` of `@modelcontextprotocol/client`, the protocol's official package. */
export interface McpClient {
  listTools(params?: { cursor?: string }): Promise<{
    tools: readonly { name: string; description?: string | undefined; inputSchema: object }[];
    nextCursor?: string | undefined;
  }>;
  callTool(
    params: { name: string; arguments?: Record<string, unknown> },
    options?: { signal?: AbortSignal },
  ): Promise<object>;
}

/** A result as the protocol has it. */
interface McpResult {
  content?: readonly { type: string; text?: string; resource?: { text?: string } }[];
  structuredContent?: unknown;
  isError?: boolean;
}

/**
 * Lists the tools of a server, for {@link AskOptions.tools}. A server's word that a tool only reads is not taken for
 * it: each call asks {@link AskOptions.onApproval}. Characters that a name may not have become `_`.
 *
 * ```ts
 * const client = new Client({ name: 'docs', version: '1.0.0' });
 * await client.connect(new StreamableHTTPClientTransport(new URL('https://tools.example.org/mcp')));
 * const answer = await ibid.ask(question, { llm, tools: await mcpTools(client), onApproval });
 * ```
 */
export async function mcpTools(client: McpClient): Promise<Tool[]> {
  const tools: Tool[] = [];
  const names = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const listed = await client.listTools(cursor === undefined ? {} : { cursor });
    for (const { name, description = '', inputSchema } of listed.tools) {
      tools.push({
        name: unique(name, names),
        description,
        parameters: inputSchema as JsonSchema,
        execute: async (args, { signal }) => textOf(await client.callTool({ name, arguments: args }, { signal })),
      });
    }
    cursor = listed.nextCursor;
    if (cursor === undefined) break;
  }
  return tools;
}

function unique(name: string, names: Set<string>): string {
  const allowed = name.replace(/[^\w-]/g, '_').slice(0, LONGEST);
  let unused = allowed;
  for (let at = 2; names.has(unused); at += 1) unused = `${allowed.slice(0, LONGEST - 4)}_${at}`;
  names.add(unused);
  return unused;
}

/** Takes the text that a model reads; a failure is thrown, and told to it as one. */
function textOf(result: McpResult): string {
  const parts = (result.content ?? []).map(({ type, text, resource }) => text ?? resource?.text ?? `[${type}]`);
  const text = parts.length > 0 ? parts.join('\n') : JSON.stringify(result.structuredContent ?? null);
  if (result.isError) throw new Error(text);
  return text;
}
