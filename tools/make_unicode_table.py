#!/usr/bin/env python3
"""Writes crates/text/src/unicode.bin: what BERT's normalizer does to each character.

The table is read off the reference (the `tokenizers` package with all-MiniLM-L6-v2's tokenizer.json), one code point
at a time, because the reference mixes Unicode versions: tables of our own agree with it where a Unicode crate would not.
Left out is what the Rust side computes itself: ASCII, plain lowercasing, Hangul syllables, white space, the blocks of
Chinese characters, and the normal forms of those that stand for others.

    pip install tokenizers
    tools/make_unicode_table.py path/to/tokenizer.json crates/text/src/unicode.bin

Format: three lists of LEB128 numbers, each preceded by its length.
1. dropped ranges (controls, formats, private use, nonspacing marks): gap since the end of the last range, length - 1
2. punctuation ranges beyond ASCII: the same
3. mappings to other characters (decomposed, without nonspacing marks, lowercased): gap since the last code point;
   zigzag(first target - last mapping's first target) * 4 + number of further targets; zigzag(target - first) for these
"""
import sys
import unicodedata

from tokenizers import Tokenizer

# Chinese characters that stand for others of their shape.
COMPATIBLE = [(0xF900, 0xFAFF), (0x2F800, 0x2FA1F)]


def leb128(number):
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def zigzag(number):
    return number * 2 if number >= 0 else -number * 2 - 1


def write_ranges(code_points):
    ranges = []
    for code in code_points:
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    out, end = leb128(len(ranges)), 0
    for first, last in ranges:
        out += leb128(first - end) + leb128(last - first)
        end = last + 1
    return out


def main(tokenizer_path, out_path):
    reference = Tokenizer.from_file(tokenizer_path)
    dropped, punctuation, mapped = [], [], {}
    for code in range(0x80, 0x110000):
        if 0xD800 <= code < 0xE000 or 0xAC00 <= code < 0xD7A4:
            continue
        char = chr(code)
        normal = reference.normalizer.normalize_str(char)
        if normal == "":
            dropped.append(code)
            continue
        if normal == " ":
            continue
        normal = normal.strip(" ")
        if normal == char and len(reference.pre_tokenizer.pre_tokenize_str(f"a{char}b")) == 3:
            punctuation.append(code)
        elif any(first <= code <= last for first, last in COMPATIBLE):
            assert normal == unicodedata.normalize("NFC", char)
        elif normal not in (char, char.lower()):
            mapped[code] = [ord(c) for c in normal]
    out = write_ranges(dropped) + write_ranges(punctuation) + leb128(len(mapped))
    last_code = last_target = 0
    for code, (first, *further) in mapped.items():
        out += leb128(code - last_code) + leb128(zigzag(first - last_target) * 4 + len(further))
        out += b"".join(leb128(zigzag(target - first)) for target in further)
        last_code, last_target = code, first
    with open(out_path, "wb") as file:
        file.write(out)
    print(f"{len(dropped)} dropped, {len(punctuation)} punctuation, {len(mapped)} mapped: {len(out)} bytes")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
