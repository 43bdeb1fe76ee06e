// What is checked and recorded: how doubtful claims are treated, what becomes of personal data, and the audit log. The
// choice is remembered.

import { listed, options, remember, remembered } from './choosing.js';
import { announce, byId, el } from './dom.js';
import { count } from './format.js';

const STORE = 'ibid.checks';

/** What becomes of claims that their sources do not support, by the library's names. */
const VERIFY = [
  { id: 'mark', name: 'Mark them' },
  { id: 'strict', name: 'Remove them' },
  { id: 'repair', name: 'Ask the model again' },
  { id: 'off', name: 'Check nothing' },
];

/** What becomes of personal data. */
const PII = [
  { id: 'redact', name: 'Hide it from the model' },
  { id: 'flag', name: 'Send it, and say so' },
  { id: 'off', name: 'Look for none' },
];

const verify = byId('verify');
const pii = byId('pii');
const audit = byId('audit');
const tools = byId('audit-tools');
const note = byId('audit-note');

let current = restored();
/** The log, once it is needed. */
let opening = null;

/** The options of a question. The sample's subject is medicine, so emergencies are answered before any model. */
export function checkOptions() {
  return {
    verify: current.verify,
    pii: { mode: current.pii },
    guard: { emergency: 'answer' },
    ...(current.audit && { audit: { required: true, append: async (record) => (await log()).append(record) } }),
  };
}

/** Fills the lists and makes the buttons of the log work. */
export function setUpChecks() {
  verify.append(...options(VERIFY));
  pii.append(...options(PII));
  byId('audit-export').addEventListener('click', () => told(exportLog));
  byId('audit-verify').addEventListener('click', () => told(verifyLog));
  byId('audit-clear').addEventListener('click', () => told(clearLog));
  audit.addEventListener('change', () => {
    tools.hidden = !audit.checked;
  });
}

/** Shows what is chosen. */
export function showChecks() {
  verify.value = current.verify;
  pii.value = current.pii;
  audit.checked = current.audit;
  tools.hidden = !current.audit;
  note.textContent = '';
}

/** Takes what the form says. */
export function saveChecks() {
  current = { verify: verify.value, pii: pii.value, audit: audit.checked };
  remember(STORE, current);
}

function log() {
  opening ??= import('./ibid/audit/index.js').then(({ openAuditLog }) => openAuditLog());
  // What could not be opened may be opened the next time.
  opening.catch(() => {
    opening = null;
  });
  return opening;
}

async function exportLog() {
  const lines = await (await log()).export();
  if (lines === '') return 'The log is empty.';
  const link = el('a', { download: 'ibid-audit.jsonl', href: URL.createObjectURL(new Blob([lines])) });
  link.click();
  URL.revokeObjectURL(link.href);
  return `${count(lines.trimEnd().split('\n').length, 'line')} exported.`;
}

async function verifyLog() {
  const { lines, problems } = await (await log()).verify();
  if (problems.length === 0) return `${count(lines, 'line')}, none changed.`;
  const [{ line, message }] = problems;
  return `${count(problems.length, 'problem')}, the first in line ${line}: ${message}`;
}

async function clearLog() {
  await (await log()).clear();
  return 'The log is empty.';
}

/** Says what came of it, or why nothing did. */
async function told(work) {
  const text = await work().catch((error) => [error.message, error.hint].filter(Boolean).join(' '));
  note.textContent = text;
  announce(text);
}

function restored() {
  const stored = remembered(STORE);
  return { verify: listed(VERIFY, stored?.verify), pii: listed(PII, stored?.pii), audit: stored?.audit === true };
}
