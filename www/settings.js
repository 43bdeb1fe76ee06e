// Which model answers. Base URL and model are remembered; the key lives in this module's memory and nowhere else.

import { setUpDialog } from './dialog.js';
import { announce, byId, el } from './dom.js';

const STORE = 'ibid.llm';

const PROVIDERS = [
  { id: 'none', name: 'No model: best passages, verbatim' },
  { id: 'openai', name: 'OpenAI', baseURL: 'https://api.openai.com/v1', example: 'gpt-4.1-mini' },
  { id: 'openrouter', name: 'OpenRouter', baseURL: 'https://openrouter.ai/api/v1', example: 'openai/gpt-4.1-mini' },
  { id: 'groq', name: 'Groq', baseURL: 'https://api.groq.com/openai/v1', example: 'llama-3.3-70b-versatile' },
  { id: 'mistral', name: 'Mistral', baseURL: 'https://api.mistral.ai/v1', example: 'mistral-small-latest' },
  {
    id: 'ollama',
    name: 'Ollama, on this computer',
    baseURL: 'http://localhost:11434/v1',
    example: 'qwen3:4b',
    note: 'Start Ollama with OLLAMA_ORIGINS set to this page’s origin, or it refuses the page.',
  },
  { id: 'custom', name: 'Another server', baseURL: '', example: '' },
];

const dialog = byId('settings');
const provider = byId('provider');
const fields = byId('model-fields');
const baseURL = byId('base-url');
const model = byId('model');
const apiKey = byId('api-key');
const complaint = byId('settings-error');

let current = restored();
let key = '';
let changed = () => {};

/** The model as `ask` takes it, or `undefined` where none is chosen. */
export function llm() {
  if (current === null) return undefined;
  return { ...current, ...(key !== '' && { apiKey: () => key }) };
}

/** The model for people: its name and its server, or `null`. */
export function modelName() {
  return current === null ? null : `${current.model} at ${new URL(current.baseURL).host}`;
}

export function openSettings() {
  const known = PROVIDERS.find((entry) => entry.baseURL === current?.baseURL);
  provider.value = current === null ? 'none' : (known?.id ?? 'custom');
  baseURL.value = current?.baseURL ?? '';
  model.value = current?.model ?? '';
  apiKey.value = key;
  complain('');
  showFields();
  dialog.showModal();
}

/** Makes the dialog work; `onChange` is called after every change. */
export function setUpSettings(onChange) {
  changed = onChange;
  provider.append(...PROVIDERS.map(({ id, name }) => el('option', { value: id, textContent: name })));
  provider.addEventListener('change', () => {
    const chosen = PROVIDERS.find((entry) => entry.id === provider.value);
    if (chosen.baseURL !== baseURL.value) apiKey.value = '';
    baseURL.value = chosen.baseURL ?? '';
    model.value = '';
    complain('');
    showFields();
  });
  byId('forget-key').addEventListener('click', () => {
    key = '';
    apiKey.value = '';
    apiKey.focus();
    announce('Key forgotten.');
  });
  byId('settings-form').addEventListener('submit', (event) => {
    event.preventDefault();
    save();
  });
  byId('settings-button').addEventListener('click', openSettings);
  // A key belongs to one provider and must not reach the next.
  baseURL.addEventListener('input', () => {
    if (current !== null && apiKey.value === key && originOf(baseURL.value) !== originOf(current.baseURL))
      apiKey.value = '';
  });
  setUpDialog(dialog);
  // The field must not keep what was typed and not saved.
  dialog.addEventListener('close', () => {
    apiKey.value = '';
  });
}

function showFields() {
  const chosen = PROVIDERS.find((entry) => entry.id === provider.value);
  fields.hidden = chosen.id === 'none';
  model.placeholder = chosen.example ? `for example ${chosen.example}` : '';
  byId('model-note').textContent = chosen.note ?? 'As the provider spells it. It must be able to call tools.';
}

function save() {
  if (provider.value === 'none') {
    current = null;
    key = '';
  } else {
    const address = checkedAddress(baseURL.value.trim());
    if (address === null) {
      return complain('The base URL must begin with https://, or with http:// on localhost or 127.0.0.1.', baseURL);
    }
    if (model.value.trim() === '') return complain('Name a model.', model);
    key = apiKey.value.trim();
    current = { baseURL: address, model: model.value.trim() };
  }
  store();
  dialog.close();
  changed();
}

/** What this page may connect to by its content security policy, and what is fit to send a key to. */
function checkedAddress(text) {
  let url;
  try {
    url = new URL(text);
  } catch {
    return null;
  }
  const local = url.hostname === 'localhost' || url.hostname === '127.0.0.1';
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && local)) return null;
  return text.replace(/\/+$/, '');
}

function originOf(text) {
  try {
    return new URL(text).origin;
  } catch {
    return null;
  }
}

function complain(text, field) {
  for (const element of [baseURL, model]) element.removeAttribute('aria-invalid');
  complaint.textContent = text;
  field?.setAttribute('aria-invalid', 'true');
  field?.focus();
}

function store() {
  try {
    if (current === null) localStorage.removeItem(STORE);
    else localStorage.setItem(STORE, JSON.stringify(current));
  } catch {
    // Storage is switched off; the choice holds until the page closes.
  }
}

function restored() {
  try {
    const stored = JSON.parse(localStorage.getItem(STORE) ?? 'null');
    const address = checkedAddress(stored?.baseURL ?? '');
    return address !== null && typeof stored.model === 'string' ? { baseURL: address, model: stored.model } : null;
  } catch {
    return null;
  }
}
