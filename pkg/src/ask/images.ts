import { IbidError } from '../error.js';

/** Characters of a piece that becomes arguments of one call. */
const PIECE = 0x8000;

/** An image as the wasm module takes it, its bytes as base64. */
export interface ImageWire {
  mediaType: string;
  data: string;
}

/** Reads the images of a question; the module checks their media types and their size. */
export async function imagesWire(images: readonly Blob[]): Promise<ImageWire[]> {
  if (!images.every((image) => image instanceof Blob)) {
    throw new IbidError('invalid-option', 'An image is no `Blob`.', {
      hint: 'Use a `File` from an input, or `new Blob([bytes], { type: "image/png" })`.',
    });
  }
  return await Promise.all(images.map(async (image) => ({ mediaType: image.type, data: await base64(image) })));
}

async function base64(image: Blob): Promise<string> {
  let bytes: Uint8Array;
  try {
    bytes = new Uint8Array(await image.arrayBuffer());
  } catch (cause) {
    throw new IbidError('io', 'An image could not be read.', { cause });
  }
  let text = '';
  for (let at = 0; at < bytes.length; at += PIECE) text += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  return btoa(text);
}
