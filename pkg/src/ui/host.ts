import type { CustomModel, LlmOptions } from '../ask/model-types.js';

/** The providers' hosts, for a model that has no address of its own. */
const HOSTS: Record<string, string> = {
  openai: 'api.openai.com',
  'openai-responses': 'api.openai.com',
  anthropic: 'api.anthropic.com',
  gemini: 'generativelanguage.googleapis.com',
  ollama: 'localhost',
};

/** Returns the host that a question goes to; empty for a model in the page. */
export function hostOf(llm: LlmOptions | CustomModel): string {
  if ('stream' in llm) return '';
  if (llm.baseURL !== undefined) return new URL(llm.baseURL, document.baseURI).host;
  const provider = llm.provider ?? 'openai';
  return HOSTS[provider] ?? provider;
}
