// What the guards and the verification of an answer take in Chromium, by what the package exports: from the call to its
// result, the way through the wasm module and back included. Times are medians in milliseconds.
//
//   ./build.sh setup && node benches/trust/bench.mjs [RUNS]
//
// The aims: an emergency is recognized in less than 1 ms, and an answer verified in less than 12.

import { onDemo, runsOf } from '../chromium.mjs';

const runs = runsOf('trust', 100);

/** What a worried person writes. */
const QUESTION =
  `My father is 67 and takes warfarin and metoprolol. Since this morning he has no fever, but he says that he
feels short of breath when he climbs the stairs, and his left ankle is swollen. Last year he had a stroke and recovered well.
Write to Maria Garcia, maria.garcia@example.org, +44 20 7946 0018, about the appointment on 3 May 2024. `.replaceAll(
    '\n',
    ' ',
  );

const SENTENCES = [
  'Children between 2 and 59 months with fast breathing are given amoxicillin 40 mg/kg twice daily for five days',
  'The treatment should not be stopped before the seventh day unless a rash appears',
  'In a trial of 1,200 patients in Norway the new regimen reduced deaths by 12.5 % within 30 days',
  'The index is read in ranges, so that a page fetches at most 300 kB before the first answer',
  'The guideline of the World Health Organization recommends zinc 20 mg daily for 10 to 14 days',
  'Ceftriaxone is contraindicated in newborns who receive calcium by infusion',
];

/** Twelve sentences that cite two of five sources of some 490 words each. */
function answer() {
  const sentence = (at) => SENTENCES[at % SENTENCES.length];
  const text = Array.from({ length: 12 }, (_, at) => `${sentence(at)} [${(at % 5) + 1}][${((at + 2) % 5) + 1}].`).join(
    ' ',
  );
  const sources = Array.from({ length: 5 }, (_, source) => {
    const said = (at) => `${sentence(at + source)}, as part ${at * 7 + source} of study${source} says of ward${at}.`;
    return { number: source + 1, text: Array.from({ length: 20 }, (_, at) => said(at)).join(' ') };
  });
  return { text, sources };
}

/** Runs in the page: each call ten times a run, since the page's clock knows no less than a tenth of a millisecond. */
async function measure([question, answer, runs]) {
  const CALLS = 10;
  const { inspectQuestion, redact, verifyAnswer } = await import('./ibid/index.js');
  const of = (length) =>
    question
      .repeat(Math.ceil(length / question.length))
      .slice(0, length)
      .trim();
  const calls = {
    'question inspected, 1,000 characters': () => inspectQuestion(of(1000), { emergency: 'flag' }),
    'question inspected, 10,000': () => inspectQuestion(of(10_000), { emergency: 'flag' }),
    'without the emergency guard, 1,000': () => inspectQuestion(of(1000), { emergency: 'off' }),
    'without the emergency guard, 10,000': () => inspectQuestion(of(10_000), { emergency: 'off' }),
    'personal data replaced, 1,000': () => redact(of(1000)),
    'personal data replaced, 10,000': () => redact(of(10_000)),
    'answer verified, 12 sentences': () => verifyAnswer(answer),
  };
  const results = {};
  for (const [name, call] of Object.entries(calls)) {
    const times = [];
    for (let run = -5; run < runs; run++) {
      const start = performance.now();
      for (let n = 0; n < CALLS; n++) await call();
      if (run >= 0) times.push((performance.now() - start) / CALLS);
    }
    times.sort((a, b) => a - b);
    results[name] = { median: times[runs >> 1], slow: times[Math.floor(runs * 0.95)] };
  }
  return results;
}

await onDemo(async (page, browser) => {
  console.log(`${browser}, ${runs} runs of ten calls each, times in ms a call\n`);
  console.log(`${''.padEnd(40)}${'median'.padStart(9)}${'95th %'.padStart(9)}`);
  for (const [name, { median, slow }] of Object.entries(await page.evaluate(measure, [QUESTION, answer(), runs]))) {
    console.log(`${name.padEnd(40)}${median.toFixed(2).padStart(9)}${slow.toFixed(2).padStart(9)}`);
  }
});
