import { TOOL_NAME } from '../llm-rules.js';
import { argumentObject, type Call, type Finish, type Format, type Outlet, randomId, USAGE } from './format.js';
import { isObject, type Json, objects, unknownKey } from './json.js';
import { assistant, type ChatMessage, type ChatRequest, type ChatTool, toolCall } from './request.js';

const ADDRESS = /^\/v1beta\/models\/([^/:?]+):streamGenerateContent\?alt=sse$/;
const KNOWN = 'cachedContent contents generationConfig labels safetySettings systemInstruction toolConfig tools'.split(
  ' ',
);
const KNOWN_CONFIG =
  'candidateCount maxOutputTokens responseJsonSchema responseMimeType responseSchema seed stopSequences temperature thinkingConfig topK topP'.split(
    ' ',
  );
const STATUSES: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
};
// Google ends with "STOP" also where tools are called.
const FINISHES = { stop: 'STOP', length: 'MAX_TOKENS', tool_calls: 'STOP', content_filter: 'SAFETY' };

/** Google's own format, as server-sent events. */
export const gemini: Format = {
  name: 'gemini',
  base: '/v1beta',
  contentType: 'text/event-stream',
  allowedHeaders: 'content-type, x-goog-api-key',
  cutOff: 'data: {"candidates": [{"content": {"parts": [{"te',
  serves: (url) => ADDRESS.test(url),
  unauthorized: (headers, key) => {
    const given = headers['x-goog-api-key'];
    if (given === undefined) return { status: 403, message: "Method doesn't allow unregistered callers." };
    // A wrong key is a bad request here, and not a matter of permission.
    return given === key ? null : { status: 400, message: 'API key not valid. Please pass a valid API key.' };
  },
  model: (url) => ADDRESS.exec(url)?.[1] ?? '',
  unknownModel: (model) => ({
    status: 404,
    message: `models/${model} is not found for API version v1beta, or is not supported for generateContent.`,
  }),
  refusal: (_headers, body, model) => refusal(body, model),
  read,
  error: ({ status, message }) => ({
    error: {
      code: status,
      message,
      status: STATUSES[status] ?? 'UNKNOWN',
      ...(message.startsWith('API key not valid') && {
        details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }],
      }),
    },
  }),
  stream: (wire) => new GeminiStream(wire),
};

function refusal(body: Json, model: string): string | null {
  const unknown = unknownKey(body, KNOWN);
  if (unknown !== undefined) return unknownName(unknown);
  const config = isObject(body.generationConfig) ? body.generationConfig : {};
  const wrong = unknownKey(config, KNOWN_CONFIG);
  if (wrong !== undefined) return unknownName(`generation_config.${wrong}`);
  if (config.responseJsonSchema !== undefined && config.responseMimeType !== 'application/json') {
    return 'response_json_schema can only be set if response_mime_type is application/json';
  }
  const functions = objects(body.tools).flatMap((tool) => objects(tool.functionDeclarations));
  for (const [index, declared] of functions.entries()) {
    if (!TOOL_NAME.test(String(declared.name))) return `function_declarations[${index}].name is invalid`;
    const strange = unknownKey(declared, ['name', 'description', 'parameters', 'parametersJsonSchema', 'response']);
    if (strange !== undefined) return unknownName(`tools.function_declarations[${index}].${strange}`);
    // What stands under `parameters` is a dialect that knows no such word.
    if (JSON.stringify(declared.parameters ?? null).includes('"additionalProperties"')) {
      return unknownName('additionalProperties');
    }
  }
  const calling = isObject(body.toolConfig) ? body.toolConfig.functionCallingConfig : undefined;
  if (isObject(calling)) {
    if (!['AUTO', 'ANY', 'NONE', 'VALIDATED'].includes(String(calling.mode))) return 'Invalid value at mode';
    if (calling.allowedFunctionNames !== undefined && calling.mode !== 'ANY') {
      return 'allowed_function_names should only be set when mode is ANY';
    }
    if (functions.length === 0) return 'Function calling config is set without function_declarations.';
  }
  return conversationRefusal(objects(body.contents), model);
}

function unknownName(name: string): string {
  return `Invalid JSON payload received. Unknown name "${name}": Cannot find field.`;
}

function conversationRefusal(contents: Json[], model: string): string | null {
  if (contents.length === 0) return '* GenerateContentRequest.contents: contents is not specified';
  const spoken = contents.findLastIndex(({ role, parts }) => role === 'user' && objects(parts).some(hasText));
  let calls = 0;
  for (const [index, { role, parts }] of contents.entries()) {
    if (role !== 'user' && role !== 'model') return 'Please use a valid role: user, model.';
    const all = objects(parts);
    if (all.length === 0) return `* contents[${index}].parts: contents.parts must not be empty.`;
    for (const part of all) {
      const data = Object.keys(part).filter((key) => ['text', 'functionCall', 'functionResponse'].includes(key));
      if (data.length !== 1) return `* contents[${index}].parts: required oneof field 'data' must have one field`;
      const { functionCall: call, functionResponse: response } = part;
      if (isObject(call) && !isObject(call.args ?? {})) return 'Invalid value at function_call.args (Struct)';
      if (isObject(response) && (typeof response.name !== 'string' || response.name === '')) {
        return '* function_response.name: Name cannot be empty.';
      }
      if (isObject(response) && !isObject(response.response)) return 'Invalid value at function_response.response';
    }
    const answered = all.filter((part) => 'functionResponse' in part).length;
    const called = all.filter((part) => 'functionCall' in part);
    if (answered !== calls) {
      return (
        'Please ensure that the number of function response parts is equal to the number of function call parts of ' +
        'the function call turn.'
      );
    }
    if (called.length > 0 && (index === 0 || contents[index - 1]?.role !== 'user')) {
      return 'Please ensure that function call turn comes immediately after a user turn or after a function response turn.';
    }
    if (called.length > 0 && index > spoken && /^gemini-3/.test(model) && called[0]?.thoughtSignature === undefined) {
      return 'Function call is missing a thought_signature in functionCall parts.';
    }
    calls = called.length;
  }
  return calls > 0 ? 'Please ensure that function calls are answered.' : null;
}

function hasText(part: Json): boolean {
  return typeof part.text === 'string';
}

function read(body: Json, model: string): ChatRequest {
  const text = (parts: Json[]) => parts.flatMap((part) => (hasText(part) ? [part.text] : [])).join('');
  const messages: ChatMessage[] = [];
  if (isObject(body.systemInstruction)) {
    messages.push({ role: 'system', content: text(objects(body.systemInstruction.parts)) });
  }
  // Calls that have no id are told apart by their place.
  let ids: string[] = [];
  for (const [at, { role, parts }] of objects(body.contents).entries()) {
    const all = objects(parts);
    const calls = all.flatMap(({ functionCall: call }) => (isObject(call) ? [call] : []));
    const results = all.flatMap(({ functionResponse: result }) => (isObject(result) ? [result] : []));
    for (const [index, { id, response }] of results.entries()) {
      const { output, error } = response as Json;
      const content = String(output ?? error);
      messages.push({ role: 'tool', tool_call_id: String(id ?? ids[index]), content });
    }
    const content = text(all);
    if (role === 'model') {
      ids = calls.map(({ id }, index) => String(id ?? `place_${at}_${index}`));
      const called = calls.map(({ name, args }, index) => toolCall(ids[index], name, args ?? {}));
      messages.push(assistant(content, called));
    } else if (content !== '') messages.push({ role: 'user', content });
  }
  const functions = objects(body.tools).flatMap((tool) => objects(tool.functionDeclarations));
  const calling = isObject(body.toolConfig) ? body.toolConfig.functionCallingConfig : undefined;
  return {
    model,
    messages,
    ...(functions.length > 0 && {
      tools: functions.map(({ name, description, parametersJsonSchema, parameters }) => ({
        type: 'function',
        function: { name, description, parameters: parametersJsonSchema ?? parameters },
      })) as ChatTool[],
    }),
    ...(calling !== undefined && { tool_choice: calling }),
  };
}

class GeminiStream {
  readonly #wire: Outlet;
  readonly #id = randomId('');
  #calls = 0;

  constructor(wire: Outlet) {
    this.#wire = wire;
  }

  async text(text: string): Promise<void> {
    await this.#chunk([{ text }]);
  }

  async reasoning(text: string): Promise<void> {
    await this.#chunk([{ text, thought: true }]);
  }

  /** Newer models name their calls and sign the first of a turn. */
  async call({ id, name, args }: Call): Promise<void> {
    const newer = this.#wire.received.body.model.startsWith('gemini-3');
    const functionCall = { ...(newer && { id }), name, args: argumentObject(args) };
    const signed = newer && this.#calls === 0 && { thoughtSignature: 'c2lnbmVkIGJ5IGEgZG91Ymxl' };
    this.#calls += 1;
    await this.#chunk([{ functionCall, ...signed }]);
  }

  async end(finish: Finish, { input, output } = USAGE): Promise<void> {
    await this.#chunk([{ text: '' }], { finishReason: FINISHES[finish] }, { input, output });
    this.#wire.end();
  }

  async fail(status: number, message: string): Promise<void> {
    await this.#event({ error: { code: status, message, status: STATUSES[status] ?? 'UNAVAILABLE' } });
    this.#wire.end();
  }

  async #chunk(parts: Json[], more: Json = {}, { input, output } = { input: USAGE.input, output: 1 }): Promise<void> {
    await this.#event({
      candidates: [{ content: { parts, role: 'model' }, ...more, index: 0 }],
      usageMetadata: {
        promptTokenCount: input,
        candidatesTokenCount: output,
        totalTokenCount: input + output,
        promptTokensDetails: [{ modality: 'TEXT', tokenCount: input }],
      },
      modelVersion: this.#wire.received.body.model,
      responseId: this.#id,
    });
  }

  async #event(data: Json): Promise<void> {
    await this.#wire.write(`data: ${JSON.stringify(data)}\r\n\r\n`);
  }
}
