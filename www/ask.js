// The ask box: one question at a time, its answer as it is written, and everything needed to check it.

import { checkOptions } from './checks.js';
import { announce, byId, el, examples } from './dom.js';
import { count, duration } from './format.js';
import { loadedLibrary } from './library.js';
import { clearProblem, showProblem } from './problem.js';
import { askOptions, modelName, openSettings, policyName } from './settings.js';
import { clearSources, showSources } from './sources.js';
import { answered, askInTalk, fold, knownSources, LOOK, setUpTalk } from './talk.js';
import { Thinking } from './thinking.js';
import { Trace } from './trace.js';
import { choices, clearTrust, showConfidence, showFlags, showGuard } from './trust.js';

const EXAMPLES = [
  'How much metformin a day with an eGFR of 35?',
  'When should apixaban be reduced to 2.5 mg twice daily?',
  'Can too many painkillers cause daily headaches?',
];

/** What a reader must know when the model did not stop by itself. */
const FINISH = {
  length: 'The model reached its token limit: the answer may be cut off.',
  'content-filter': 'The provider’s content filter ended the answer.',
  error: 'The provider reported an error while it was answering.',
  'tool-calls': 'The model wanted to go on searching when it had to answer.',
};

const form = byId('ask-form');
const question = byId('question');
const button = byId('ask-button');
const stop = byId('stop');
const problem = byId('ask-error');
const outcome = byId('outcome');
const place = byId('answer');
const note = byId('answer-note');

/** Numbers to sources, of the conversation and the question last asked. */
const sources = new Map();
/** Shows the answer; made with the first question, when the library is there. */
let view = null;
/** The run under way, or `null`. */
let running = null;

/** Makes the ask box work; `opened` gives the index, or `null` while there is none. */
export function setUpAsk(opened) {
  const submit = () => {
    const ibid = opened();
    if (ibid === null || running !== null) return;
    ask(ibid, question.value.trim());
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    submit();
  });
  question.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    submit();
  });
  stop.addEventListener('click', stopAsking);
  setUpTalk(() => {
    if (stopAsking()) finish();
    running = null;
    forget();
    question.focus();
  });
  byId('ask-examples').append(
    ...examples(EXAMPLES, (example) => {
      if (running !== null) return;
      question.value = example;
      submit();
    }),
  );
  showMode();
}

/** Ends the run under way. Whether there was one. */
export function stopAsking() {
  if (running === null) return false;
  running.abort();
  return true;
}

export function enableAsk(enabled) {
  button.disabled = !enabled;
}

/** Says before the question who is going to answer. */
export function showMode() {
  const name = modelName();
  const policy = policyName();
  const choose = el('button', {
    type: 'button',
    className: 'link',
    textContent: name === null ? 'Choose a model' : 'Change',
  });
  choose.addEventListener('click', openSettings);
  const by = policy === 'tools' ? '' : ` (${policy})`;
  const text =
    name === null || policy === 'extractive'
      ? 'No model: you get the best passages, verbatim. '
      : `Answered by ${name}${by}. `;
  byId('ask-mode').replaceChildren(text, choose);
}

async function ask(ibid, text) {
  const { AnswerView } = loadedLibrary();
  view ??= new AnswerView(place, { ...LOOK, ...choices((number) => sources.get(number)) });
  begin(text);
  const trace = new Trace();
  const thinking = new Thinking();
  const start = performance.now();
  const options = { ...askOptions(), ...checkOptions() };
  const writer = options.policy === 'extractive' ? null : modelName();
  const run = askInTalk(ibid, text, options);
  running = run;
  const stream = new Stream();
  /** The numbers of what this question has found. */
  const found = new Set();
  try {
    for await (const event of run) {
      trace.add(event);
      follow(event, { stream, thinking, found, options });
    }
    const answer = await run;
    // Whoever has begun a new conversation by now wants none of this one.
    if (running === run) complete(text, answer, { writer, took: performance.now() - start, found, options });
  } catch (error) {
    if (running === run) {
      stream.flush();
      fail(error, trace, () => {
        if (running === null) ask(ibid, text);
      });
    }
  } finally {
    stream.end();
    if (running === run) {
      running = null;
      finish();
    }
  }
}

function begin(text) {
  fold();
  forget();
  for (const source of knownSources()) sources.set(source.number, source);
  byId('asked').textContent = text;
  outcome.hidden = false;
  place.setAttribute('aria-busy', 'true');
  place.classList.add('waiting');
  // The focus must not be on a button that is about to vanish.
  stop.hidden = false;
  if (document.activeElement === button) stop.focus();
  button.hidden = true;
  announce('Working on the answer.');
}

/** Takes away what the last question left. */
function forget() {
  clearProblem(problem);
  clearSources();
  sources.clear();
  view?.clear();
  note.hidden = true;
  place.hidden = false;
  clearTrust();
  byId('reasoning').hidden = true;
  outcome.hidden = true;
}

function finish() {
  place.removeAttribute('aria-busy');
  place.classList.remove('waiting');
  button.hidden = false;
  if (document.activeElement === stop) button.focus();
  stop.hidden = true;
}

function follow(event, { stream, thinking, found, options }) {
  switch (event.type) {
    case 'guard':
      showGuard(event.guard, options.pii.mode);
      break;
    case 'turn':
      thinking.turn();
      break;
    case 'text':
      stream.add(event);
      break;
    case 'reasoning':
      thinking.add(event.delta);
      break;
    case 'search':
      announce(`Searching for ${event.query}.`);
      break;
    case 'sources':
      for (const source of event.sources) {
        sources.set(source.number, source);
        found.add(source.number);
      }
      break;
    case 'retry':
      announce(`The provider failed. Trying again in ${duration(event.delayMs)}.`);
      break;
  }
}

/** The answer's text as it comes, shown at most once per frame however fast it comes. */
class Stream {
  #text = '';
  #frame = 0;

  add({ delta, restart }) {
    if (restart) announce('The answer is being written.');
    this.#text = restart ? delta : this.#text + delta;
    this.#frame ||= requestAnimationFrame(() => this.flush());
  }

  flush() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    view.showPartial(this.#text, sources);
  }

  end() {
    cancelAnimationFrame(this.#frame);
  }
}

function complete(text, answer, { writer, took, found, options }) {
  for (const source of answer.sources) sources.set(source.number, source);
  answered(text, answer);
  view.showComplete(answer);
  const numbers = new Set(answer.citations.map((citation) => citation.number));
  const cited = numbers.size;
  // What a check names has been found after the answer was written.
  for (const { check } of answer.claims) for (const { number } of check?.alternatives ?? []) found.add(number);
  // Those of earlier questions are listed with this one only where it cites them.
  const own = answer.sources.filter(({ number }) => numbers.has(number) || found.has(number));
  showSources({ sources: own, citations: answer.citations });
  showGuard(answer.guard, options.pii.mode);
  showConfidence(answer.confidence);
  showFlags(answer);
  // The message of an emergency stands above, and once is enough.
  place.hidden = answer.mode === 'guard';
  const removed = answer.removed ? `${count(answer.removed, 'sentence')} removed that no source supports.` : '';
  showNote(
    [author(answer, writer, cited), removed, FINISH[answer.finishReason]].filter(Boolean).join(' '),
    answer.mode,
  );
  const flags = answer.flags.length === 0 ? '' : ` ${count(answer.flags.length, 'doubt')} flagged.`;
  announce(`The answer is complete after ${duration(took)}, with ${count(cited, 'cited source')}.${flags}`);
}

/** Who wrote the answer, and what of. */
function author({ mode, abstained }, writer, cited) {
  switch (mode) {
    case 'model':
      return `Written by ${writer} from ${count(cited, 'cited source')}. Open the citations to check it.`;
    case 'guard':
      return 'No model was asked, and nothing was sent.';
    default: {
      let reason = writer === null ? 'No model configured' : `No answer from ${writer}`;
      if (abstained) reason = `What ${writer ?? 'was found'} says is too doubtful to show`;
      return `${reason}: these are the best passages, verbatim.`;
    }
  }
}

function showNote(text, kind) {
  note.textContent = text;
  note.dataset.kind = kind;
  note.hidden = false;
}

function fail(error, trace, again) {
  if (error.code === 'aborted') {
    trace.end('Stopped', 'by you');
    showNote('Stopped: this answer is not complete.', 'stopped');
    announce('Stopped.');
    return;
  }
  trace.end('Failed', error.message);
  announce('');
  const settings = { label: 'Model settings', run: openSettings };
  const retry = { label: 'Try again', run: again };
  const provider = /^provider-|^network$/.test(error.code) && modelName() !== null;
  showProblem(problem, error, [...(error.retryable ? [retry] : []), ...(provider ? [settings] : [])]);
  // A question that got nowhere leaves no empty answer behind.
  if (place.childElementCount === 0 && error.code === 'question-length') outcome.hidden = true;
}
