import { stat } from 'node:fs/promises';
import { IbidError } from '../error.js';
import { Ibid } from '../ibid.js';
import { failed } from './files.js';

/** Does something with the index at a path or a web address. */
export async function withIndex<T>(index: string, work: (ibid: Ibid) => Promise<T>): Promise<T> {
  if (!/^https?:\/\//i.test(index)) {
    await stat(index).catch((error) => {
      const { message } = failed('read', index, error);
      throw new IbidError('io', message, { hint: 'Build an index first: `npx ibid build docs`.', cause: error });
    });
  }
  const ibid = await Ibid.load({ index, prefetch: 'never' });
  try {
    return await work(ibid);
  } finally {
    ibid.free();
  }
}
