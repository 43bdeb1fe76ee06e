// What the loop of asking costs on its own in Chromium, apart from network and model: runs with a scripted model of the
// page's own that answers at once, in milliseconds a step. A step is a call of the model, a search or one of the run's
// own; what is measured is all that happens from the question to the answer, the searches in the demo's index included.
//
//   ./build.sh setup && node benches/ask/bench.mjs [RUNS]
//
// The aim is to stay below 2 ms a step.

import { onDemo, runsOf } from '../chromium.mjs';

const AIM_MS = 2;

const runs = runsOf('ask', 200);

/** What the model says to one question after the other: texts, or calls of the tool that searches. */
const SCRIPTS = {
  classic: { options: { policy: 'classic' }, replies: ['Up to 1000 mg [1].'] },
  'tools, three searches': {
    options: { policy: 'tools' },
    replies: [{ query: 'metformin eGFR' }, { query: 'sitagliptin eGFR' }, { query: 'apixaban' }, 'Up to 1000 mg [1].'],
  },
  pipeline: {
    options: { policy: 'pipeline' },
    replies: ['COMPARATIVE', '1. metformin eGFR\n2. sitagliptin eGFR', 'Up to 1000 mg [1].', 'SUFFICIENT'],
  },
  'tools, 500 pieces of text': {
    options: { policy: 'tools' },
    replies: [{ query: 'metformin eGFR' }, Array(500).fill('a piece ').concat('[1].')],
  },
};

/** Runs in the page: one script many times, each run with its time, its steps and the pieces of its text. */
async function measure([script, runs]) {
  const { Ibid } = await import('./ibid/index.js');
  globalThis.ibid ??= await Ibid.load({ index: './site.ibid' });
  const results = [];
  for (let run = -10; run < runs; run++) {
    const replies = [...script.replies];
    const llm = {
      name: 'scripted',
      async *stream() {
        const reply = replies.shift();
        if (Array.isArray(reply)) yield* reply;
        else if (typeof reply === 'string') yield reply;
        else yield { type: 'tool-call', name: 'search_documents', arguments: reply };
      },
    };
    const options = { ...script.options, llm };
    const start = performance.now();
    let pieces = 0;
    const asked = globalThis.ibid.ask('How much metformin a day with an eGFR of 35?', options);
    for await (const { type } of asked) pieces += type === 'text';
    const { trace } = await asked;
    const took = performance.now() - start;
    // The first runs warm the page up.
    if (run >= 0) results.push({ took, steps: trace.length, pieces });
  }
  return results;
}

function row(name, cells) {
  return name.padEnd(28) + cells.map((cell) => String(cell).padStart(9)).join('');
}

function quantile(results, share, of) {
  const sorted = results.map(of).sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

let missed = false;
await onDemo(async (page, browser) => {
  console.log(`${browser}, ${runs} runs each, times in ms\n`);
  console.log(row('script', ['steps', 'run', 'a step', '95th %', 'pieces', 'a piece']));
  for (const [name, script] of Object.entries(SCRIPTS)) {
    const results = await page.evaluate(measure, [script, runs]);
    const run = quantile(results, 0.5, ({ took }) => took);
    const step = quantile(results, 0.5, ({ took, steps }) => took / steps);
    const slow = quantile(results, 0.95, ({ took, steps }) => took / steps);
    const piece = quantile(results, 0.5, ({ took, pieces }) => took / pieces);
    const [{ steps, pieces }] = results;
    // Of a long text, the pieces weigh more than the steps.
    if (pieces < 10) missed ||= step >= AIM_MS;
    const times = pieces < 10 ? [step.toFixed(2), slow.toFixed(2), '', ''] : ['', '', pieces, piece.toFixed(3)];
    console.log(row(name, [steps, run.toFixed(2), ...times]));
  }
});
console.log(missed ? `\nA step takes ${AIM_MS} ms or more.` : `\nA step takes less than ${AIM_MS} ms.`);
