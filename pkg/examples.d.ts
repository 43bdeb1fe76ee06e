// What the examples of the documentation take for granted, and a package that they use and this one does not need.
declare const Ibid: typeof import('ibid').Ibid;
declare const ibid: import('ibid').Ibid;
declare const llm: import('ibid').LlmOptions;
declare const button: HTMLButtonElement;
declare function show(text: string): void;

declare module '@mlc-ai/web-llm' {
  export function CreateMLCEngine(model: string): Promise<import('ibid/llm').WebLlmEngine>;
}
