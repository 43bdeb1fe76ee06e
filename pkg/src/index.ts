/// <reference lib="esnext.disposable" preserve="true" />
/**
 * ibid answers questions from your own documents, inside the web page, with citations that can be checked.
 *
 * @packageDocumentation
 */
export type * from './ask/answer-types.js';
export type * from './ask/model-types.js';
export type * from './ask/trust-types.js';
export type * from './ask/types.js';
export type { AskRun } from './ask-run.js';
export type { AuditLog, AuditProblem, AuditReport } from './audit/types.js';
export type * from './encoder/types.js';
export { type ErrorCode, IbidError, type IbidErrorDetails } from './error.js';
export { Ibid } from './ibid.js';
export type * from './search-types.js';
export { type AskModuleSource, bibliography, inspectQuestion, redact, verifyAnswer } from './trust.js';
export type * from './types.js';
