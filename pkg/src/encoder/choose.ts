import { IbidError } from '../error.js';
import { savesData } from '../idle.js';
import type { LoadOptions } from '../types.js';
import { callbackEncoder } from './callback.js';
import { EncoderLink } from './link.js';
import type { QueryEncoder } from './query-encoder.js';
import type { TransformerOptions } from './types.js';

/**
 * Chooses the encoder of queries of an index that is being loaded: with `auto` the table until the transformer is here,
 * else what the option names, after it has been loaded.
 */
export async function chooseEncoder(options: LoadOptions, signal: AbortSignal): Promise<EncoderLink> {
  const { queryEncoder } = options;
  if (typeof queryEncoder === 'object' && queryEncoder !== null) {
    return new EncoderLink(options, callbackEncoder(queryEncoder));
  }
  if (queryEncoder !== 'auto' && queryEncoder !== 'transformer') {
    throw new IbidError('invalid-option', `\`queryEncoder\` is not an encoder: ${String(queryEncoder)}.`, {
      hint: 'Use `table`, `transformer`, `auto`, or an object with `name`, `dimensions` and `embed`.',
    });
  }
  const source = transformerOf(options, queryEncoder);
  const open = async (signal: AbortSignal): Promise<QueryEncoder> => {
    const { TransformerEncoder } = await import('./transformer.js');
    return await TransformerEncoder.open(source, options, signal);
  };
  if (queryEncoder === 'transformer') return new EncoderLink(options, await open(signal));
  return new EncoderLink(options, undefined, savesData() ? undefined : open);
}

function transformerOf({ transformer }: LoadOptions, queryEncoder: string): TransformerOptions {
  if (transformer === undefined) {
    throw new IbidError('invalid-option', `\`queryEncoder: '${queryEncoder}'\` needs the option \`transformer\`.`, {
      hint: 'Give the address of a packed model, such as the one in the npm package `ibid-model-en`.',
    });
  }
  return typeof transformer === 'object' && 'model' in transformer ? transformer : { model: transformer };
}
