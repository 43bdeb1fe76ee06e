// The conversation: what was asked before is kept above the newest question, folded, and further questions go on from it.

import { announce, byId, el } from './dom.js';
import { count } from './format.js';
import { loadedLibrary } from './library.js';
import { choices } from './trust.js';

const bar = byId('talk');
const note = byId('talk-note');
const list = byId('earlier');

/** The library's conversation, once a question was asked. */
let conversation = null;
/** How answers look here: under a heading of the third level. */
export const LOOK = { headingLevel: 4 };
/** The newest question that was answered, with its answer. */
let newest = null;

/** Makes the button work; `cleared` is called when the conversation is given up. */
export function setUpTalk(cleared) {
  byId('new-talk').addEventListener('click', () => {
    conversation = null;
    newest = null;
    list.replaceChildren();
    show();
    cleared();
    announce('A new conversation.');
  });
}

/** Asks in the conversation, which begins with the first question. */
export function askInTalk(ibid, question, options) {
  conversation ??= ibid.conversation();
  return conversation.ask(question, options);
}

/** Numbers and sources that answers so far may cite. */
export function knownSources() {
  return newest?.answer.sources ?? [];
}

/** Puts the newest answered question to the earlier ones, before another takes its place. */
export function fold() {
  if (newest !== null) list.append(exchange(newest));
  newest = null;
  show();
}

/** Remembers what was answered. */
export function answered(question, answer) {
  newest = { question, answer };
  show();
}

function show() {
  const asked = list.childElementCount + Number(newest !== null);
  bar.hidden = asked === 0;
  list.hidden = list.childElementCount === 0;
  const it = asked === 1 ? 'it' : 'them';
  note.textContent = `${count(asked, 'question')} answered. The next may refer to ${it}.`;
}

function exchange({ question, answer }) {
  const place = el('section', { className: 'answer', attributes: { 'aria-label': `Answer to: ${question}` } });
  const sources = new Map(answer.sources.map((source) => [source.number, source]));
  place.append(loadedLibrary().renderAnswer(answer, { ...LOOK, ...choices((number) => sources.get(number)) }));
  return el('li', {}, el('details', {}, el('summary', { textContent: question }), place));
}
