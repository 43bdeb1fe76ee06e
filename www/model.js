// The reader's choice of a model. The key lives in this page's memory and nowhere else; nothing is remembered.

import { NONE, PROVIDERS } from './providers.js';

const byId = (id) => document.getElementById(id);

/** Makes the form work, which gives `ask` the model that it names. */
export function setUpModel(ask) {
  const provider = byId('provider');
  provider.append(...options());
  provider.addEventListener('change', () => showFields(known(provider.value)));
  byId('model-form').addEventListener('submit', (event) => {
    event.preventDefault();
    choose(ask, known(provider.value));
  });
}

/** The providers as a `select` shows them, in their groups. */
function options() {
  const groups = new Map();
  return PROVIDERS.flatMap(({ id, name, group }) => {
    const option = new Option(name, id);
    const place = groups.get(group) ?? document.createElement('optgroup');
    if (group === undefined) return [option];
    place.append(option);
    if (groups.has(group)) return [];
    place.label = group;
    groups.set(group, place);
    return [place];
  });
}

function known(id) {
  return PROVIDERS.find((entry) => entry.id === id);
}

function showFields({ id, baseURL = '', example = '', note }) {
  byId('model-fields').hidden = id === NONE;
  byId('base-url').value = baseURL;
  byId('name').value = example;
  // A key belongs to one provider and must not reach the next.
  byId('key').value = '';
  byId('note').textContent = note ?? 'Use the provider’s spelling.';
  complain('');
}

function choose(ask, { id, provider = id }) {
  complain('');
  const model = byId('name').value.trim();
  const baseURL = byId('base-url').value.trim().replace(/\/+$/, '');
  if (id === NONE) {
    ask.llm = undefined;
    byId('chosen').textContent = 'Answers are the best passages, word for word.';
    return;
  }
  if (!isAllowed(baseURL)) return complain(refusal(baseURL), byId('base-url'));
  if (model === '') return complain('Name a model.', byId('name'));
  const apiKey = byId('key').value.trim();
  // By sending the form, the reader has agreed.
  ask.toggleAttribute('agreed', true);
  ask.llm = { provider, baseURL, model, ...(apiKey !== '' && { apiKey }) };
  byId('chosen').textContent = `${model} at ${new URL(baseURL).host} answers now.`;
}

/** Tells an address that is fit to send a key to, and that the page's content security policy allows. */
function isAllowed(address) {
  const origin = originOf(address);
  const isListed = PROVIDERS.some(({ baseURL }) => baseURL && originOf(baseURL) === origin);
  const isLocal = /^http:\/\/(localhost|127\.0\.0\.1)(:\d+)?$/.test(origin);
  return isListed || isLocal || (origin === location.origin && location.protocol === 'https:');
}

function refusal(address) {
  const origin = originOf(address);
  if (origin === null) return 'This is not an address.';
  return `This page’s policy does not allow ${origin}. Its owner can add addresses in index.html.`;
}

function originOf(address) {
  return URL.canParse(address) ? new URL(address).origin : null;
}

function complain(text, field) {
  for (const id of ['base-url', 'name']) byId(id).removeAttribute('aria-invalid');
  byId('complaint').textContent = text;
  field?.setAttribute('aria-invalid', 'true');
  field?.focus();
}
