// The providers that the page offers. The content security policy in index.html allows the page to reach the same hosts.

const HOSTED = 'On the internet';
const LOCAL = 'On this computer';

export const NONE = 'none';

/** `provider` is the library's name if it is not the `id`. */
export const PROVIDERS = [
  { id: NONE, name: 'No model: best passages, verbatim' },
  { id: 'openai', name: 'OpenAI', group: HOSTED, baseURL: 'https://api.openai.com/v1', example: 'gpt-4.1-mini' },
  {
    id: 'openai-responses',
    name: 'OpenAI (Responses)',
    group: HOSTED,
    baseURL: 'https://api.openai.com/v1',
    example: 'gpt-5-mini',
  },
  {
    id: 'anthropic',
    name: 'Anthropic',
    group: HOSTED,
    baseURL: 'https://api.anthropic.com/v1',
    example: 'claude-sonnet-4-5',
  },
  {
    id: 'gemini',
    name: 'Google Gemini',
    group: HOSTED,
    baseURL: 'https://generativelanguage.googleapis.com/v1beta',
    example: 'gemini-2.5-flash',
  },
  {
    id: 'openrouter',
    name: 'OpenRouter',
    group: HOSTED,
    baseURL: 'https://openrouter.ai/api/v1',
    example: 'openai/gpt-4.1-mini',
  },
  {
    id: 'groq',
    name: 'Groq',
    group: HOSTED,
    baseURL: 'https://api.groq.com/openai/v1',
    example: 'llama-3.3-70b-versatile',
  },
  {
    id: 'mistral',
    name: 'Mistral',
    group: HOSTED,
    baseURL: 'https://api.mistral.ai/v1',
    example: 'mistral-small-latest',
  },
  { id: 'deepseek', name: 'DeepSeek', group: HOSTED, baseURL: 'https://api.deepseek.com', example: 'deepseek-chat' },
  { id: 'xai', name: 'xAI', group: HOSTED, baseURL: 'https://api.x.ai/v1', example: 'grok-4' },
  {
    id: 'together',
    name: 'Together',
    group: HOSTED,
    baseURL: 'https://api.together.xyz/v1',
    example: 'Qwen/Qwen3-235B-A22B-Instruct-2507-tput',
  },
  {
    id: 'ollama',
    name: 'Ollama',
    group: LOCAL,
    baseURL: 'http://localhost:11434',
    example: 'qwen3:4b',
    note: 'Start Ollama with OLLAMA_ORIGINS set to this page’s origin, or it refuses the page.',
  },
  {
    id: 'lmstudio',
    name: 'LM Studio',
    group: LOCAL,
    baseURL: 'http://localhost:1234/v1',
    example: 'qwen/qwen3-4b',
    note: 'Turn on “Enable CORS” in its server settings.',
  },
  {
    id: 'llamacpp',
    name: 'llama.cpp',
    group: LOCAL,
    baseURL: 'http://localhost:8080/v1',
    example: 'default',
    note: 'Start llama-server with --jinja, so that the model can call tools.',
  },
  {
    id: 'vllm',
    name: 'vLLM',
    group: LOCAL,
    baseURL: 'http://localhost:8000/v1',
    example: 'Qwen/Qwen3-4B',
    note: 'Start it with --enable-auto-tool-choice and the --tool-call-parser of the model.',
  },
  {
    id: 'custom',
    provider: 'openai',
    name: 'Another server',
    baseURL: '',
    example: '',
    note: 'Use the server’s spelling. The server must speak OpenAI’s Chat Completions.',
  },
];
