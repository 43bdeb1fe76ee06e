import base from '../e2e/playwright.config.js';

/** One test after the other: the model has one thread, and one of them looks at whether it is at work. */
export default {
  ...base,
  testDir: '.',
  outputDir: '../../target/real-llm/results',
  timeout: 300_000,
  fullyParallel: false,
  workers: 1,
};
