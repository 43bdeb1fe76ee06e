#!/usr/bin/env python3
"""Packs a fitted query table and its projection into models/query-table.bin and models/projection.bin.

    pip install numpy xxhash zopfli tokenizers
    tools/make_query_model.py TABLE.npz ROTATION.npy VOCAB.txt models [TEXTS.jsonl[.gz] [TOKENIZER.json]]
    tools/make_query_model.py --repack models/query-table.bin [TEXTS.jsonl[.gz]]

TABLE.npz: `q` int8 (tokens x dimensions) and `s` float32 (tokens); row i of the table is q[i] * s[i].
ROTATION.npy: orthonormal; a document's vector times its first `dimensions` columns lies in the table's space.
TEXTS: a JSON object with "t" a line. The tokens that most questions among them have go into the table's head; without
texts these are the same as in the table that is there already. With a tokenizer as well, the tool also reports how far the
packed table's query vectors are from the given table's.
--repack writes a table anew with the same rows, and scores in steps of SCORE_STEP. models/README.md describes the formats.
"""
import gzip
import json
import os
import re
import struct
import sys
import zlib
from collections import Counter

import numpy
import xxhash
from zopfli.zlib import compress

NAME = "all-MiniLM-L6-v2/pca256"
GROUP = 32
# Rows in the head. A page fetches each of them, and any other costs 550 bytes with the headers of its answer.
COMMON = 32
# A step of a Unigram piece's score, a natural logarithm. Finer ones take more bytes, and rank no better by more than 0.002.
SCORE_STEP = 0.25
# The most bytes that a token may share with the one before it; the byte that tells it is below any text's.
MOST_SHARED = 30
# The byte of a piece that is not found in text.
NO_SCORE = 255


def padded(data):
    return data + bytes(-len(data) % 64)


def packed(kind, header, *sections):
    """The container of crates/embed/src/packed.rs."""
    header = json.dumps(header, separators=(",", ":")).encode()
    tail = struct.pack("<I", len(header)) + header
    tail += bytes(-(32 + len(tail)) % 64) + b"".join(map(padded, sections))
    head = b"IBIDMODL" + kind + struct.pack("<IQ", 1, 32 + len(tail))
    return head + struct.pack("<Q", xxhash.xxh64_intdigest(head + tail, 0)) + tail


def front_coded(tokens):
    """Tokens, sorted by their bytes, each as what it does not share with the one before."""
    out = bytearray()
    before = b""
    for token in tokens:
        assert before < token or not before, f"{token} does not come after {before}"
        shared = 0
        while shared < min(len(before), len(token), MOST_SHARED) and before[shared] == token[shared]:
            shared += 1
        assert min(token) >= 32
        out.append(1 + shared)
        out += token[shared:]
        before = token
    return bytes(out)


def packed_table(space, tokens, rows, common, scores=b"", more={}):
    """A query table. `tokens` are bytes and sorted, `rows` have the bytes of each, `common` is a list of token numbers.
    The pieces of a Unigram vocabulary have a byte each in `scores`. The header has `more` as well."""
    vocab = front_coded(tokens) + scores
    # Zopfli's deflate is a twentieth smaller than zlib's; the zlib format has two bytes before it and four behind.
    vocab_packed = compress(vocab)[2:-4]
    common = sorted(common)
    seed = xxhash.xxh64_intdigest(vocab + b"".join(rows), 0)
    header = {
        "space": space, "tokens": len(rows), "vocab_bytes": len(vocab), "vocab_packed": len(vocab_packed),
        "common": len(common), "seed": f"{seed:016x}", **more,
    }
    header = json.dumps(header, separators=(",", ":")).encode()
    numbers = numpy.array(common, "<u4").tobytes()
    sections = padded(vocab_packed) + padded(numbers) + padded(b"".join(rows[token] for token in common))
    start = -(-(40 + len(header)) // 64) * 64
    tail = struct.pack("<II", len(header), start + len(sections)) + header
    tail += bytes(start - 32 - len(tail)) + sections
    head_tokens = set(common)
    rest = [row for token, row in enumerate(rows) if token not in head_tokens]
    rest = b"".join(struct.pack("<Q", xxhash.xxh64_intdigest(row, seed)) + row for row in rest)
    head = b"IBIDMODL" + b"tabl" + struct.pack("<IQ", 1, 32 + len(tail) + len(rest))
    return head + struct.pack("<Q", xxhash.xxh64_intdigest(head + tail, 0)) + tail + rest


def packed_scores(scores, top, found):
    """A byte for each score from `top` down, and what the header says of them; those of pieces not `found` in text have none."""
    steps = numpy.round((top - numpy.asarray(scores)) / SCORE_STEP)
    assert steps[found].max() < NO_SCORE
    bytes_ = numpy.where(found, steps, NO_SCORE).astype(numpy.uint8).tobytes()
    return bytes_, {"scores": {"top": float(top), "step": SCORE_STEP}}


def read_table(data):
    """Header, vocabulary (as it is in the file), rows and common tokens of a table."""
    length, = struct.unpack_from("<I", data, 32)
    header = json.loads(data[40:40 + length])
    at = -(-(40 + length) // 64) * 64
    row_bytes = header["space"]["dimensions"] // GROUP * (2 + GROUP // 2)

    def take(count):
        nonlocal at
        section = data[at:at + count]
        at += -(-count // 64) * 64
        return section

    cut = lambda rows: [rows[start:start + row_bytes] for start in range(0, len(rows), row_bytes)]
    vocab = zlib.decompress(take(header["vocab_packed"]), -15)
    common = numpy.frombuffer(take(header["common"] * 4), "<u4").tolist()
    common_rows = cut(take(header["common"] * row_bytes))
    rest = (data[start + 8:start + 8 + row_bytes] for start in range(at, len(data), 8 + row_bytes))
    known = dict(zip(common, common_rows))
    return header, vocab, [known.get(token) or next(rest) for token in range(header["tokens"])], common


def tokens_of(vocab):
    """The tokens of a vocabulary without scores."""
    tokens, before = [], b""
    for part in re.split(rb"(?=[\x01-\x1f])", vocab)[1:]:
        before = before[:part[0] - 1] + part[1:]
        tokens.append(before)
    return tokens


def most_frequent(tokens, texts_path, scores=None):
    """The numbers of the tokens that most questions among the texts have, ties by their number. Unigram's have `scores`."""
    from tokenizers import BertWordPieceTokenizer, Tokenizer, models, normalizers, pre_tokenizers

    names = [token.decode() for token in tokens]
    if scores is None:
        tokenizer = BertWordPieceTokenizer({name: number for number, name in enumerate(names)}, lowercase=True)
    else:
        tokenizer = Tokenizer(models.Unigram(list(zip(names, scores)), names.index("<unk>")))
        tokenizer.normalizer = normalizers.NFKC()
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    counts = Counter()
    for batch in batches(texts_path):
        questions = [text for text in batch if text.rstrip().endswith(("?", "？", "؟"))]
        for encoding in tokenizer.encode_batch(questions, add_special_tokens=False):
            counts.update(set(encoding.ids))
    return sorted(counts, key=lambda token: (-counts[token], token))[:COMMON]


def batches(texts_path, size=10_000):
    opener = gzip.open if texts_path.endswith(".gz") else open
    batch = []
    with opener(texts_path, "rt", encoding="utf-8") as file:
        for line in file:
            batch.append(json.loads(line)["t"])
            if len(batch) == size:
                yield batch
                batch = []
    yield batch


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
    cosines = []
    for text in next(batches(texts_path, 5000)):
        ids = tokenizer.encode(text, add_special_tokens=False).ids[:512]
        if ids:
            a, b = rows[ids].sum(0), back[ids].sum(0)
            cosines.append(a @ b / numpy.linalg.norm(a) / numpy.linalg.norm(b))
    cosines = numpy.sort(cosines)
    print(f"cosine to the given table over {len(cosines)} texts: mean {cosines.mean():.5f}, "
          f"1st percentile {cosines[len(cosines) // 100]:.5f}, least {cosines[0]:.5f}")


def main(table_path, rotation_path, vocab_path, out, texts_path=None, tokenizer_path=None):
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
    # The table has its tokens in the order of their bytes, which packs them to less than half.
    order = sorted(range(count), key=lambda token: tokens[token].encode())
    groups = groups.reshape(count, -1)
    rows_bytes = [groups[token].tobytes() for token in order]
    table_tokens = [tokens[token].encode() for token in order]
    if texts_path:
        common = most_frequent(table_tokens, texts_path)
    else:
        with open(os.path.join(out, "query-table.bin"), "rb") as file:
            common = read_table(file.read())[3]
    files = {
        "query-table.bin": packed_table(space, table_tokens, rows_bytes, common),
        "projection.bin": packed(
            b"proj", {"space": space, "inputs": len(projection) // 2 // dimensions}, projection
        ),
    }
    for name, data in files.items():
        with open(os.path.join(out, name), "wb") as file:
            file.write(data)
        print(f"{name}: {len(data)} bytes, fingerprint {fingerprint}")
    if tokenizer_path:
        report(rows, unquantize(codes, scales, rows.shape), texts_path, tokenizer_path)


def repack(path, texts_path=None):
    with open(path, "rb") as file:
        header, vocab, rows, common = read_table(file.read())
    scores = vocab[-len(rows):] if "scores" in header else b""
    more, numbers = {}, None
    tokens = tokens_of(vocab[:len(vocab) - len(scores)])
    if scores:
        scale = header["scores"]
        given = numpy.frombuffer(scores, numpy.uint8)
        scores, more = packed_scores(scale["top"] - given * scale["step"], scale["top"], given != NO_SCORE)
        numbers = [scale["top"] - byte * SCORE_STEP for byte in scores]
    if texts_path:
        common = most_frequent(tokens, texts_path, numbers)
    data = packed_table(header["space"], tokens, rows, common, scores, more)
    assert read_table(data)[1:] == (front_coded(tokens) + scores, rows, sorted(common))
    with open(path, "wb") as file:
        file.write(data)
    head, = struct.unpack_from("<I", data, 36)
    print(f"{path}: {len(data)} bytes, of which the head has {head}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--repack"] and len(sys.argv) in (3, 4):
        repack(*sys.argv[2:])
    elif len(sys.argv) in (5, 6, 7) and not sys.argv[1].startswith("--"):
        main(*sys.argv[1:])
    else:
        sys.exit(__doc__)
