// Reads the binary format of wasm modules: webassembly.github.io/spec/core/binary.

/** Reads values one after the other. */
export class Reader {
  constructor(bytes, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  byte() {
    return this.bytes[this.at++];
  }

  number() {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  }

  signed() {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return byte & 0x40 ? value - scale * 128 : value;
    }
  }

  text() {
    const length = this.number();
    this.at += length;
    return this.bytes.toString('utf8', this.at - length, this.at);
  }
}

/** The sections of a module: the number of their kind, the name of a custom one, and where they and their content lie. */
export function sectionsOf(bytes) {
  const sections = [];
  const reader = new Reader(bytes, 8);
  while (reader.at < bytes.length) {
    const start = reader.at;
    const id = reader.byte();
    const size = reader.number();
    const end = reader.at + size;
    const name = id === 0 ? reader.text() : undefined;
    sections.push({ id, name, start, content: reader.at, end });
    reader.at = end;
  }
  return sections;
}
