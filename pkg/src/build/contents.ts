import { IbidError } from '../error.js';
import type { DocumentInput } from '../types.js';

/** The bytes of a document's content, read where they are. */
export async function contentBytes(source: string, content: DocumentInput['content']): Promise<Uint8Array> {
  if (content instanceof Uint8Array) return content;
  if (typeof content === 'string') return new TextEncoder().encode(content);
  if (content instanceof ArrayBuffer) return new Uint8Array(content);
  if (content instanceof Blob) return new Uint8Array(await content.arrayBuffer());
  throw new IbidError('invalid-option', `The content of \`${source}\` is neither text nor bytes.`, {
    hint: 'Give a string, a Uint8Array, an ArrayBuffer or a Blob.',
  });
}
