import type { SearchIndex } from '../mcp/offer.js';
import type { Passage } from './element.js';
import type { AnyIbid } from './types.js';

/** A search box, with its index. */
interface Box {
  ibid: Promise<AnyIbid>;
  located<P extends Passage>(passage: P): P;
}

/** Lets the assistant of the visitor's browser search, if it has one, until that is aborted. */
export function offerTo(box: Box): AbortController {
  const offered = new AbortController();
  if ('modelContext' in document) void offer(box, offered.signal);
  return offered;
}

async function offer(box: Box, signal: AbortSignal): Promise<void> {
  const { offerSearch } = await import('../mcp/offer.js');
  const search: SearchIndex['search'] = async (query, options) => {
    const ibid = await box.ibid;
    return (await ibid.search(query, options)).map((hit) => box.located(hit));
  };
  if (!signal.aborted) await offerSearch({ search }, { signal });
}
