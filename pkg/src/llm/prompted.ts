import type { JsonSchema, ModelMessage, ModelRequest } from '../ask/model-types.js';
import { IbidError } from '../error.js';

/** A message for a model that knows no tools. */
export interface PlainMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

/**
 * Writes a request for models that have no tools of their own, as those in the page: tools are described in the
 * instructions, calls are JSON in the text, and results come as messages of the user.
 */
export function prompted(request: ModelRequest): { messages: PlainMessage[]; schema: JsonSchema | undefined } {
  const { tools, toolChoice, output, images } = request;
  if (images !== undefined) {
    throw new IbidError('invalid-option', 'This model reads only text, and got an image.', {
      hint: 'Ask a provider whose model takes images.',
    });
  }
  const offered = toolChoice === 'none' ? [] : tools;
  const mustCall = offered.length > 0 && toolChoice !== 'auto';
  const notes = [
    ...(offered.length > 0 ? [toolNote(request)] : []),
    ...(output && !mustCall ? [`Answer with JSON alone, of this schema: ${JSON.stringify(output.schema)}`] : []),
  ];
  const system = request.messages.flatMap(({ role, content }) => (role === 'system' ? [content] : []));
  const instructions = [...system, ...notes].join('\n\n');
  const said = merged(request.messages.filter(({ role }) => role !== 'system').map(plainMessage));
  return {
    messages: [...(instructions ? [{ role: 'system' as const, content: instructions }] : []), ...said],
    // A model that may either call a tool or answer cannot be held to the form of one of them.
    schema: mustCall ? callSchema(request) : offered.length === 0 ? output?.schema : undefined,
  };
}

function toolNote({ tools, toolChoice }: ModelRequest): string {
  const must =
    toolChoice === 'auto'
      ? 'To call a tool, write nothing but one JSON object'
      : 'Call a tool now: write nothing but one JSON object';
  return [
    'You have these tools:',
    ...chosen(tools, toolChoice).map((tool) => JSON.stringify(tool)),
    `${must} with its name and arguments, such as {"name": "TOOL", "arguments": {}}. The result comes in the next message.`,
  ].join('\n');
}

function chosen(tools: ModelRequest['tools'], choice: ModelRequest['toolChoice']): ModelRequest['tools'] {
  return typeof choice === 'object' ? tools.filter(({ name }) => name === choice.tool) : tools;
}

function callSchema({ tools, toolChoice }: ModelRequest): JsonSchema {
  const calls = chosen(tools, toolChoice).map(({ name, parameters }) => ({
    type: 'object',
    properties: { name: { type: 'string', enum: [name] }, arguments: parameters },
    required: ['name', 'arguments'],
    additionalProperties: false,
  }));
  return calls.length === 1 && calls[0] ? calls[0] : { anyOf: calls };
}

function plainMessage(message: ModelMessage): PlainMessage {
  switch (message.role) {
    case 'tool': {
      const what = message.isError ? 'The tool failed' : 'Result of the tool';
      return { role: 'user', content: `${what} (call ${message.callId}):\n${message.content}` };
    }
    case 'assistant': {
      const calls = (message.toolCalls ?? []).map(
        ({ name, arguments: args }) => `{"name": ${JSON.stringify(name)}, "arguments": ${args || '{}'}}`,
      );
      return { role: 'assistant', content: [message.content, ...calls].filter((text) => text !== '').join('\n') };
    }
    default:
      return message;
  }
}

/** Chat templates of many models want the roles to alternate. */
function merged(messages: PlainMessage[]): PlainMessage[] {
  const result: PlainMessage[] = [];
  for (const { role, content } of messages) {
    const last = result.at(-1);
    if (last?.role === role) last.content += `\n\n${content}`;
    else result.push({ role, content });
  }
  return result;
}
