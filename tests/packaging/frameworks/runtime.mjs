import assert from 'node:assert/strict';
import { Ibid } from 'ibid';

const ibid = await Ibid.load({ index: process.argv[2] });
const [hit] = await ibid.search('how hot is green tea steeped');
assert.equal(hit?.text, 'Green tea is steeped at 80 degrees.');
const { text, mode } = await ibid.ask('How hot is green tea steeped?');
assert.ok(text.includes('80 degrees') && mode === 'extractive', text);
const report = await ibid.add([
  { source: 'coffee.md', content: '# Coffee\n\nCoffee is ground fine for an espresso.\n' },
]);
assert.deepEqual(report.documents, ['coffee']);
process.stdout.write('works\n');
