// Names that the examples of the documentation take for granted, and packages that they use and this one does not need.
declare const Ibid: typeof import('ibid').Ibid;
declare const ibid: import('ibid').Ibid;
declare const llm: import('ibid').LlmOptions;
declare const button: HTMLButtonElement;
declare const documents: import('ibid').DocumentInput[];
declare const element: HTMLElement;
declare const output: HTMLElement;
declare const hit: import('ibid').Hit;
declare const vector: Float32Array;
declare const text: string;
declare const file: File;
declare const input: HTMLInputElement;
declare function askTheUser(): Promise<string>;
declare function show(text: string): void;

declare module '@huggingface/transformers' {
  type Extract = (texts: string[], options: object) => Promise<{ tolist(): number[][] }>;
  export function pipeline(task: string, model: string, options: object): Promise<Extract>;
}

declare module '@mlc-ai/web-llm' {
  export function CreateMLCEngine(model: string): Promise<import('ibid/llm').WebLlmEngine>;
}

declare module '@modelcontextprotocol/client' {
  export class StreamableHTTPClientTransport {
    constructor(url: URL);
  }
  export class Client {
    constructor(info: { name: string; version: string });
    connect(transport: StreamableHTTPClientTransport): Promise<void>;
    listTools: import('ibid/mcp').McpClient['listTools'];
    callTool: import('ibid/mcp').McpClient['callTool'];
  }
}

declare module '@vitejs/plugin-vue' {
  export default function vue(options: object): object;
}
