// What is known about an answer beside its words: what was hidden from the model, whether the question tells of an
// emergency, how far the answer can be relied on, and where its claims stand.

import { announce, byId, el } from './dom.js';
import { count } from './format.js';
import { loadedLibrary } from './library.js';
import { openPassage } from './passage.js';

const notices = byId('guard');
const emergency = byId('emergency');
const confidence = byId('confidence');

/** How labels of personal data are called; others are called by their label. */
const KINDS = {
  NAME: ['name', 'names'],
  EMAIL: ['e-mail address', 'e-mail addresses'],
  PHONE: ['telephone number', 'telephone numbers'],
  SSN: ['social security number', 'social security numbers'],
  NHS: ['NHS number', 'NHS numbers'],
  CARD: ['card number', 'card numbers'],
  IBAN: ['bank account', 'bank accounts'],
  MRN: ['record number', 'record numbers'],
  DOB: ['date of birth', 'dates of birth'],
  DATE: ['date', 'dates'],
  ADDRESS: ['postal address', 'postal addresses'],
  IP: ['network address', 'network addresses'],
  URL: ['private web address', 'private web addresses'],
  PASSPORT: ['identity document', 'identity documents'],
  SECRET: ['password or key', 'passwords or keys'],
  MAC: ['hardware address', 'hardware addresses'],
  WALLET: ['wallet address', 'wallet addresses'],
};

/** The parts of the confidence, and what they say. */
const PARTS = {
  retrieval: 'Sources that fit the question',
  coverage: 'Claims that stand in their sources',
  cited: 'Claims that cite a source',
  flags: 'Claims that nothing speaks against',
};

/** Takes away what the last question left. */
export function clearTrust() {
  for (const part of [notices, emergency, confidence]) part.hidden = true;
  byId('flags').hidden = true;
}

/** Says what was found in the question. `mode` is what becomes of personal data. */
export function showGuard(guard, mode) {
  const found = Object.entries(guard?.pii ?? {}).map(([label, number]) => {
    const [one, more] = KINDS[label] ?? [label, label];
    return count(number, one, more);
  });
  const lines = (guard?.notices ?? []).map(({ message }) => message);
  if (found.length > 0) {
    lines.unshift(`${mode === 'flag' ? 'Personal details sent' : 'Hidden from the model'}: ${found.join(', ')}.`);
  }
  notices.hidden = lines.length === 0;
  byId('guard-list').replaceChildren(...lines.map((line) => el('li', { textContent: line })));
  const alarm = guard?.emergency;
  emergency.hidden = alarm === undefined;
  if (alarm !== undefined) {
    byId('emergency-message').textContent = alarm.message;
    byId('emergency-cause').textContent = `Because the question says “${alarm.matched}”.`;
  }
}

/** Shows the confidence with all that it is made of. */
export function showConfidence(known) {
  confidence.hidden = known === undefined;
  if (known === undefined) return;
  byId('confidence-value').textContent = percent(known.value);
  byId('confidence-parts').replaceChildren(
    ...Object.entries(PARTS).map(([part, name]) =>
      el(
        'div',
        {},
        el('dt', { textContent: name }),
        el('dd', {}, bar(known.parts[part], name), el('span', { textContent: percent(known.parts[part]) })),
      ),
    ),
  );
}

/** Lists the flags, each with what would support the claim instead. */
export function showFlags(answer) {
  byId('flags').hidden = answer.flags.length === 0;
  byId('flag-list').replaceChildren(loadedLibrary().renderFlags(answer));
}

/** What the view of an answer does when something in it is chosen. `sourceOf` gives a source by its number. */
export function choices(sourceOf) {
  const { describeMark } = loadedLibrary();
  const place = (source, claim, { span, coverage }) =>
    openPassage(source, { span, claim: claim?.text, coverage, status: claim?.check?.status });
  return {
    onCitation: (source, claim) => {
      const found = claim?.check?.evidence.find(({ number }) => number === source.number);
      if (found === undefined) openPassage(source);
      else place(source, claim, found);
    },
    onMark: (mark) => {
      const { claim, flags } = mark;
      const { evidence = [], alternatives = [] } = claim?.check ?? {};
      const places = [...alternatives, ...flags.flatMap((flag) => flag.source ?? []), ...evidence];
      const known = places.find(({ number }) => sourceOf(number) !== undefined);
      if (known === undefined) announce(describeMark(mark));
      else place(sourceOf(known.number), claim, known);
    },
  };
}

function percent(share) {
  return `${Math.round(share * 100)} %`;
}

function bar(share, name) {
  return el('meter', { min: 0, max: 1, value: share, attributes: { 'aria-label': name } });
}
