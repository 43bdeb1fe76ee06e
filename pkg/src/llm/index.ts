/**
 * Models in the page, and keys for those elsewhere: `ibid/llm`.
 *
 * @packageDocumentation
 */
export { KeyStore, type KeyStoreOptions } from './key-store.js';
export {
  finishOpenRouterLogin,
  type OpenRouterOptions,
  openRouterLogin,
  startOpenRouterLogin,
} from './openrouter.js';
export {
  type PromptApiAvailability,
  type PromptApiModel,
  type PromptApiOptions,
  promptApi,
} from './prompt-api.js';
export { type WebLlmEngine, type WebLlmOptions, webLlm } from './web-llm.js';
