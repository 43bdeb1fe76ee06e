// Which model answers, and how. All but the key is remembered; the key lives in this module's memory and nowhere else.

import { saveChecks, setUpChecks, showChecks } from './checks.js';
import { listed, options, remember, remembered } from './choosing.js';
import { setUpDialog } from './dialog.js';
import { announce, byId, el } from './dom.js';
import { NONE, POLICIES, PROVIDERS, THINKING } from './providers.js';

const STORE = 'ibid.llm';

const dialog = byId('settings');
const provider = byId('provider');
const fields = byId('model-fields');
const baseURL = byId('base-url');
const model = byId('model');
const apiKey = byId('api-key');
const policy = byId('policy');
const thinking = byId('thinking');
const complaint = byId('settings-error');

/** What is chosen, by the ids of the lists; `null` for no model. */
let current = restored();
let key = '';
let changed = () => {};

/** The options of a question: model and policy, or none where no model is chosen. */
export function askOptions() {
  if (current === null) return {};
  const { id, baseURL, model, policy, reasoning } = current;
  const llm = {
    provider: known(id).provider ?? id,
    baseURL,
    model,
    ...(reasoning !== '' && { reasoning }),
    ...(key !== '' && { apiKey: () => key }),
  };
  return { llm, policy };
}

/** The model for people: its name and its server, or `null`. */
export function modelName() {
  return current === null ? null : `${current.model} at ${new URL(current.baseURL).host}`;
}

/** How questions are answered, in a word. */
export function policyName() {
  return current === null ? 'extractive' : current.policy;
}

export function openSettings() {
  provider.value = current?.id ?? NONE;
  baseURL.value = current?.baseURL ?? '';
  model.value = current?.model ?? '';
  policy.value = current?.policy ?? 'tools';
  thinking.value = current?.reasoning ?? '';
  apiKey.value = key;
  complain('');
  showFields();
  showChecks();
  dialog.showModal();
}

/** Makes the dialog work; `onChange` is called after every change. */
export function setUpSettings(onChange) {
  changed = onChange;
  provider.append(...groups(PROVIDERS));
  policy.append(...options(POLICIES));
  thinking.append(...options(THINKING));
  provider.addEventListener('change', () => {
    const chosen = known(provider.value);
    if (originOf(chosen.baseURL ?? '') !== originOf(baseURL.value)) apiKey.value = '';
    baseURL.value = chosen.baseURL ?? '';
    model.value = '';
    complain('');
    showFields();
  });
  setUpChecks();
  policy.addEventListener('change', showFields);
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

/** The list with its groups, as a `select` shows them. */
function groups(list) {
  const made = new Map();
  return list.flatMap((entry) => {
    const { group } = entry;
    if (group === undefined) return options([entry]);
    const open = made.get(group);
    if (open !== undefined) {
      open.append(...options([entry]));
      return [];
    }
    const begun = el('optgroup', { label: group }, ...options([entry]));
    made.set(group, begun);
    return [begun];
  });
}

function known(id) {
  return PROVIDERS.find((entry) => entry.id === id);
}

function showFields() {
  const chosen = known(provider.value);
  fields.hidden = chosen.id === NONE;
  model.placeholder = chosen.example ? `for example ${chosen.example}` : '';
  byId('model-note').textContent = chosen.note ?? 'As the provider spells it. It must be able to call tools.';
  byId('policy-note').textContent = POLICIES.find(({ id }) => id === policy.value).note;
}

function save() {
  if (provider.value === NONE) {
    current = null;
    key = '';
  } else {
    const address = checkedAddress(baseURL.value.trim());
    if (address === null) return complain(refusal(baseURL.value.trim()), baseURL);
    if (model.value.trim() === '') return complain('Name a model.', model);
    key = apiKey.value.trim();
    current = {
      id: provider.value,
      baseURL: address,
      model: model.value.trim(),
      policy: policy.value,
      reasoning: thinking.value,
    };
  }
  remember(STORE, current);
  saveChecks();
  dialog.close();
  changed();
}

/** An address that is fit to send a key to, and that the page's content security policy, in index.html, allows. */
function checkedAddress(text) {
  const origin = originOf(text);
  const isListed = PROVIDERS.some(({ baseURL }) => baseURL && originOf(baseURL) === origin);
  const isLocal = /^http:\/\/(localhost|127\.0\.0\.1)(:\d+)?$/.test(origin);
  const isOwn = origin === location.origin && location.protocol === 'https:';
  return isListed || isLocal || isOwn ? text.replace(/\/+$/, '') : null;
}

function refusal(text) {
  const origin = originOf(text);
  if (origin === null) return 'The base URL is no address.';
  return `This page’s policy does not let it reach ${origin}. It may reach the providers in the list, its own server, and http://localhost or http://127.0.0.1. Who runs the page can add addresses in index.html and providers.js.`;
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

/** What was stored, as far as it still means something. An earlier form had nothing but the address and the model. */
function restored() {
  const stored = remembered(STORE);
  if (typeof stored?.baseURL !== 'string' || typeof stored.model !== 'string') return null;
  const address = checkedAddress(stored.baseURL);
  if (address === null) return null;
  return {
    id: listed(PROVIDERS, stored.id, 'custom'),
    baseURL: address,
    model: stored.model,
    policy: listed(POLICIES, stored.policy, 'tools'),
    reasoning: listed(THINKING, stored.reasoning, ''),
  };
}
