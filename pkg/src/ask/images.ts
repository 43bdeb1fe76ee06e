import { IbidError } from '../error.js';

/** The most bytes of all images of a question; as base64 they are the 20 MiB that providers take. */
const MOST_BYTES = 15 * 1024 * 1024;
/** Characters of a piece that becomes arguments of one call. */
const PIECE = 0x8000;

/** An image as the wasm module takes it, its bytes as base64. */
export interface ImageWire {
  mediaType: string;
  data: string;
}

/** Reads the images of a question; the module checks their media types. */
export async function imagesWire(images: readonly Blob[]): Promise<ImageWire[]> {
  if (!images.every((image) => image instanceof Blob)) {
    throw new IbidError('invalid-option', 'An image is no `Blob`.', {
      hint: 'Give a `File` as an input has it, or `new Blob([bytes], { type: "image/png" })`.',
    });
  }
  const bytes = images.reduce((sum, { size }) => sum + size, 0);
  if (bytes > MOST_BYTES) {
    throw new IbidError(
      'invalid-option',
      `The images have ${bytes} bytes together; a question may have ${MOST_BYTES}.`,
      {
        hint: 'Make them smaller: models see no more than about 1,500 pixels a side.',
      },
    );
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
