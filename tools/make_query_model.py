#!/usr/bin/env python3
"""Packs a fitted query table and its projection into models/query-table.bin and models/projection.bin.

    pip install numpy xxhash
    tools/make_query_model.py TABLE.npz ROTATION.npy VOCAB.txt models [TEXTS.jsonl[.gz] TOKENIZER.json]

TABLE.npz: `q` int8 (tokens x dimensions) and `s` float32 (tokens); row i of the table is q[i] * s[i].
ROTATION.npy: orthonormal; a document's vector times its first `dimensions` columns lies in the table's space.
With texts (a JSON object with "t" a line) and a tokenizer (`pip install tokenizers`), it also reports how far the packed
table's query vectors are from the given table's. The formats are described in models/README.md.
"""
import gzip
import json
import os
import struct
import sys

import numpy
import xxhash

NAME = "all-MiniLM-L6-v2/pca256"
GROUP = 32


def padded(data):
    return data + bytes(-len(data) % 64)


def packed(kind, header, *sections):
    """The container of src/embed/packed.rs."""
    header = json.dumps(header, separators=(",", ":")).encode()
    tail = struct.pack("<I", len(header)) + header
    tail += bytes(-(32 + len(tail)) % 64) + b"".join(map(padded, sections))
    head = b"IBIDMODL" + kind + struct.pack("<IQ", 1, 32 + len(tail))
    return head + struct.pack("<Q", xxhash.xxh64_intdigest(head + tail, 0)) + tail


def quantize(rows):
    """4-bit codes (0 to 15, standing for -8 to 7) and an f16 scale per group of 32, by least squared error.

    For each group several scales are tried, positive and negative, since -8 reaches further than 7.
    """
    groups = rows.reshape(-1, GROUP)
    peak = groups[numpy.arange(len(groups)), numpy.abs(groups).argmax(1)]
    best = numpy.full(len(groups), numpy.inf, numpy.float32)
    best_codes = numpy.full(groups.shape, 8, numpy.uint8)
    best_scales = numpy.zeros(len(groups), numpy.float16)
    for reach in [-8.0, -7.75, -7.5, -7.25, -7.0, -6.75, -6.5, -6.25, -6.0, 7.0, 6.75, 6.5, 6.25, 6.0]:
        scales = (peak / reach).astype(numpy.float16)
        wide = scales.astype(numpy.float32)[:, None]
        codes = numpy.clip(numpy.round(numpy.divide(groups, wide, where=wide != 0, out=numpy.zeros_like(groups))), -8, 7)
        error = ((codes * wide - groups) ** 2).sum(1)
        better = error < best
        best[better] = error[better]
        best_scales[better] = scales[better]
        best_codes[better] = (codes[better] + 8).astype(numpy.uint8)
    return best_codes, best_scales


def unquantize(codes, scales, shape):
    return ((codes.astype(numpy.float32) - 8) * scales.astype(numpy.float32)[:, None]).reshape(shape)


def report(rows, back, texts_path, tokenizer_path):
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(tokenizer_path)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    opener = gzip.open if texts_path.endswith(".gz") else open
    cosines = []
    with opener(texts_path, "rt", encoding="utf-8") as file:
        for number, line in enumerate(file):
            if number == 5000:
                break
            ids = tokenizer.encode(json.loads(line)["t"], add_special_tokens=False).ids[:512]
            if ids:
                a, b = rows[ids].sum(0), back[ids].sum(0)
                cosines.append(a @ b / numpy.linalg.norm(a) / numpy.linalg.norm(b))
    cosines = numpy.sort(cosines)
    print(f"cosine to the given table over {len(cosines)} texts: mean {cosines.mean():.5f}, "
          f"1st percentile {cosines[len(cosines) // 100]:.5f}, least {cosines[0]:.5f}")


def main(table_path, rotation_path, vocab_path, out, *check):
    table = numpy.load(table_path)
    rows = table["q"].astype(numpy.float32) * table["s"][:, None].astype(numpy.float32)
    count, dimensions = rows.shape
    with open(vocab_path, encoding="utf-8", newline="\n") as file:
        tokens = [line.rstrip() for line in file.read().rstrip("\n").split("\n")]
    assert len(tokens) == count, f"{len(tokens)} tokens, {count} rows"
    vocab = "".join(token + "\n" for token in tokens).encode()
    projection = numpy.load(rotation_path)[:, :dimensions].astype("<f2").tobytes()
    fingerprint = f"{xxhash.xxh64_intdigest(vocab + projection, 0):016x}"
    space = {"name": NAME, "dimensions": dimensions, "fingerprint": fingerprint}

    codes, scales = quantize(rows)
    halves = codes[:, :GROUP // 2] | codes[:, GROUP // 2:] << 4
    groups = numpy.concatenate([scales.astype("<f2").view(numpy.uint8).reshape(-1, 2), halves], axis=1)
    files = {
        "query-table.bin": packed(
            b"tabl", {"space": space, "tokens": count, "vocab_bytes": len(vocab)}, vocab, groups.tobytes()
        ),
        "projection.bin": packed(
            b"proj", {"space": space, "inputs": len(projection) // 2 // dimensions}, projection
        ),
    }
    for name, data in files.items():
        with open(os.path.join(out, name), "wb") as file:
            file.write(data)
        print(f"{name}: {len(data)} bytes, fingerprint {fingerprint}")
    if check:
        report(rows, unquantize(codes, scales, rows.shape), *check)


if __name__ == "__main__":
    if len(sys.argv) not in (5, 7):
        sys.exit(__doc__)
    main(*sys.argv[1:])
