/**
 * ibid answers questions from your own documents, inside the web page, with citations that can be checked.
 *
 * @packageDocumentation
 */
export type {
  Answer,
  AskEvent,
  BlockNode,
  Citation,
  Claim,
  Flag,
  InlineNode,
  Policy,
  Source,
  TraceStep,
  Verifiable,
  Verification,
} from './ask/answer-types.js';
export type {
  CustomModel,
  JsonSchema,
  LlmOptions,
  ModelMessage,
  ModelPart,
  ModelRequest,
  Usage,
} from './ask/model-types.js';
export type { Confidence, GuardOptions, PiiOptions } from './ask/trust-types.js';
export type {
  Approve,
  AskOptions,
  Collection,
  Conversation,
  ConversationOptions,
  Prompts,
  Tool,
} from './ask/types.js';
export type { AskRun } from './ask-run.js';
export type { AuditLog } from './audit/types.js';
export type { Embedder, TransformerOptions } from './encoder/types.js';
export { type ErrorCode, IbidError } from './error.js';
export { Ibid } from './ibid.js';
export type {
  Facet,
  Fields,
  Filter,
  Hit,
  HitIndex,
  PageHits,
  SearchOptions,
  SearchResponse,
  Span,
} from './search-types.js';
export type { IbidSet } from './several/set.js';
export type { LoadSetOptions, NamedIndex, SetResponse, SilentIndex } from './several/types.js';
export { bibliography, inspectQuestion, redact, verifyAnswer } from './trust.js';
export type {
  AddOptions,
  AddReport,
  ChunkingOptions,
  DocumentInput,
  IndexInfo,
  LoadOptions,
  LoadProgress,
} from './types.js';
