// "How it works", by the reader's own searches and answers: bytes, requests, rounds, costs, and the reason of each mark.

const byId = (id) => document.getElementById(id);

/** The words for what came of holding a claim against its passages. */
const STATUSES = {
  supported: 'In the source',
  partly: 'Partly in the source',
  unsupported: 'Not in the source',
  uncited: 'Cites no source',
  not_checked: 'Not checked',
};

/** The files of which a search reads parts. */
const PARTS = /\.(?:ibid|bin)$/;

/** Shows what each search fetched, and what each answer cost and why its claims are marked. */
export function showHow(search, ask) {
  /** When the search was shown that was told before. */
  let before = 0;
  search.addEventListener('ibid-query', ({ timeStamp }) => {
    // The event comes when a query has stood for a second.
    const shown = timeStamp - 1000;
    const all = performance.getEntriesByType('resource').filter(({ startTime }) => startTime < shown);
    const fresh = all.filter(({ startTime }) => startTime >= before);
    before = shown;
    const parts = fresh.filter(({ name }) => PARTS.test(name));
    byId('fetched').textContent =
      parts.length === 0
        ? 'This search found everything it needed in the page.'
        : `This search fetched ${size(parts)}, ${rounds(parts)} of them one after another. ` +
          `Code and page are ${size(all.filter(({ name }) => !PARTS.test(name)))}.`;
  });
  ask.addEventListener('ibid-answer', ({ detail: { answer } }) => {
    byId('cost').textContent = cost(answer);
    byId('claims').replaceChildren(...answer.claims.map((claim) => reason(claim, answer)));
  });
}

function size(entries) {
  const bytes = entries.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
  const requests = entries.length === 1 ? '1 request' : `${entries.length} requests`;
  return `${Math.round(bytes / 1000).toLocaleString('en')} kB in ${requests}`;
}

/** The most requests of which each began when the one before had ended. */
function rounds(entries) {
  let count = 0;
  let end = 0;
  for (const { startTime, responseEnd } of [...entries].sort((a, b) => a.responseEnd - b.responseEnd)) {
    if (startTime < end) continue;
    count += 1;
    end = responseEnd;
  }
  return count;
}

function cost({ mode, model, searches, turns, usage, trace }) {
  const took = trace.reduce((sum, { durationMs }) => sum + durationMs, 0);
  const time = took < 1000 ? `${Math.round(took)} ms` : `${(took / 1000).toFixed(1)} s`;
  const work = `Searches: ${searches}. Time: ${time}.`;
  if (mode !== 'model') return `The last answer asked no model and cost nothing. ${work}`;
  const tokens = usage ? ` Tokens: ${usage.inputTokens} read, ${usage.outputTokens} written.` : '';
  return `The last answer asked ${model} ${turns === 1 ? 'once' : `${turns} times`}.${tokens} ${work}`;
}

/** One claim with its mark: the words of the flags on it, else how much of it its passage says. */
function reason({ text, start, end, sources, check }, { flags }) {
  const place = document.createElement('li');
  const status = check?.status ?? 'not_checked';
  const why = flags.filter(({ span }) => span.start < end && span.end > start).map(({ message }) => message);
  if (why.length === 0 && check && sources.length > 0) {
    why.push(
      `${Math.round(check.coverage * 100)} % of its words, by weight, are in ${sources.map((n) => `[${n}]`).join(', ')}.`,
    );
  }
  place.className = status;
  // A row of a table is read as a person would read it aloud.
  const plain = text
    .replace(/^\s*\||\|\s*$/g, '')
    .replaceAll('|', '·')
    .trim();
  place.append(Object.assign(document.createElement('q'), { textContent: plain }));
  place.append(` ${STATUSES[status] ?? status}. ${why.join(' ')}`);
  return place;
}
