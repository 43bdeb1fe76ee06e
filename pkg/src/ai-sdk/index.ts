/**
 * Runs as messages of the AI SDK: `ibid/ai-sdk`. It uses the package `ai` for its types alone.
 *
 * @packageDocumentation
 */
export type { ChunkOptions } from './chunk-maker.js';
export { toUIMessageChunks, toUIMessageStream, type UIMessageOptions } from './stream.js';
export { type ChatRequest, IbidChatTransport, type IbidChatTransportOptions } from './transport.js';
export type * from './types.js';
