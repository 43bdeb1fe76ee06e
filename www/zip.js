// The PDF files in a zip, unpacked by fflate. Its other files the builder reads without help.

import { unzipSync } from './fflate/fflate.js';

/** The largest that is unpacked, in bytes: as large as the builder takes a document to be. */
const LARGEST = 256 * 2 ** 20;

/** Returns them as documents, each unpacked when it is read. A file that is no zip has none: the builder tells why. */
export async function pdfsIn({ source, content }) {
  const bytes = new Uint8Array(await content.arrayBuffer());
  const names = [];
  try {
    const isListed = ({ name }) => /\.pdf$/i.test(name) && !/^__MACOSX\/|(^|\/)\./.test(name);
    unzipSync(bytes, { filter: (file) => isListed(file) && names.push(file.name) && false });
  } catch {
    return [];
  }
  return names.map((name) => ({
    source: `${source}/${name}`,
    content: { arrayBuffer: () => unpacked(bytes, name) },
  }));
}

function unpacked(bytes, wanted) {
  const isWanted = ({ name, originalSize }) => {
    if (name === wanted && originalSize > LARGEST) throw new Error('It is larger than 256 MiB.');
    return name === wanted;
  };
  return unzipSync(bytes, { filter: isWanted })[wanted];
}
