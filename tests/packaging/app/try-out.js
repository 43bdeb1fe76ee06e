import { Ibid } from 'ibid';

const COFFEE = '# Coffee\n\nCoffee is ground fine for an espresso.\n';
const COCOA = '# Cocoa\n\nCocoa is stirred with cold milk first.\n';

const own = () => new Worker(new URL('./own-worker.js', import.meta.url), { type: 'module' });

/** All that needs a file of the package: searching, adding by its own worker and by the app's, answering. */
export const tryOut = async () => {
  const ibid = await Ibid.load({ index: '/tea.ibid' });
  const texts = [];
  const find = async (query) => texts.push((await ibid.search(query))[0]?.text);
  await find('how hot is green tea steeped');
  await ibid.add([{ source: 'coffee.md', content: COFFEE }]);
  await find('how is coffee ground');
  await ibid.add([{ source: 'cocoa.md', content: COCOA }], { worker: own });
  await find('what is cocoa stirred with');
  const { mode, text } = await ibid.ask('How hot is green tea steeped?');
  return { texts, mode, answered: text.includes('80 degrees') };
};
