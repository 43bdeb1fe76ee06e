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
# The blocks of letters of each script whose pieces are packed apart.
SCRIPTS = {
    "Latn": [(0x41, 0x5a), (0x61, 0x7a), (0xaa, 0xaa), (0xba, 0xba), (0xc0, 0xd6), (0xd8, 0xf6), (0xf8, 0x24f),
             (0x1e00, 0x1eff)],
    "Grek": [(0x370, 0x3ff), (0x1f00, 0x1fff)],
    "Cyrl": [(0x400, 0x52f)],
    "Hebr": [(0x5d0, 0x5f4)],
    "Arab": [(0x620, 0x65f), (0x66e, 0x6d3), (0x6fa, 0x6ff), (0x750, 0x77f)],
    "Deva": [(0x900, 0x97f)],
    "Thai": [(0xe00, 0xe7f)],
    "Hang": [(0x1100, 0x11ff), (0xac00, 0xd7a3)],
    "Kana": [(0x3041, 0x30ff), (0x31f0, 0x31ff), (0xff66, 0xff9f)],
    "Hani": [(0x3005, 0x3007), (0x3400, 0x4dbf), (0x4e00, 0x9fff), (0xf900, 0xfaff), (0x20000, 0x3ffff)],
}
# The fewest pieces of a script that are packed apart.
LEAST_PIECES = 500


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


def deflated(data):
    # Zopfli's deflate is a twentieth smaller than zlib's; the zlib format has two bytes before it and four behind.
    return compress(data)[2:-4]


def packed_table(space, tokens, rows, common, scores=b"", more={}):
    """A query table. `tokens` are bytes and sorted, `rows` have the bytes of each, `common` is a list of token numbers.
    The pieces of a Unigram vocabulary have a byte each in `scores`. The header has `more` as well."""
    groups = by_script(tokens, scores) if scores else [(None, range(len(tokens)))]
    order = [token for _, group in groups for token in group]
    vocabs = [front_coded([tokens[token] for token in group]) + bytes(scores[token] for token in group if scores)
              for _, group in groups]
    packs = [deflated(vocab) for vocab in vocabs]
    rows = [rows[token] for token in order]
    number = {token: at for at, token in enumerate(order)}
    common = sorted(number[token] for token in common)
    seed = xxhash.xxh64_intdigest(b"".join(vocabs + rows), 0)
    letters = [SCRIPTS[script] for script, _ in groups[1:]]
    header = {
        "space": space, "tokens": len(rows), "vocab_bytes": len(vocabs[0]), "vocab_packed": len(packs[0]),
        "common": len(common), "seed": f"{seed:016x}", "scripts": len(groups) - 1, "letters": sum(map(len, letters)), **more,
    }
    header = json.dumps(header, separators=(",", ":")).encode()
    numbers = numpy.array(common, "<u4").tobytes()
    scripts = b"".join(struct.pack("<IIII", len(SCRIPTS[script]), len(group), len(vocab), len(pack))
                       for (script, group), vocab, pack in list(zip(groups, vocabs, packs))[1:])
    ranges = b"".join(struct.pack("<II", first, last) for script in letters for first, last in script)
    sections = b"".join(map(padded, [packs[0], numbers, b"".join(rows[token] for token in common), scripts, ranges]))
    start = -(-(40 + len(header)) // 64) * 64
    tail = struct.pack("<II", len(header), start + len(sections)) + header
    tail += bytes(start - 32 - len(tail)) + sections
    head_tokens = set(common)
    rest = packs[1:] + [row for token, row in enumerate(rows) if token not in head_tokens]
    rest = b"".join(struct.pack("<Q", xxhash.xxh64_intdigest(part, seed)) + part for part in rest)
    head = b"IBIDMODL" + b"tabl" + struct.pack("<IQ", 1, 32 + len(tail) + len(rest))
    return head + struct.pack("<Q", xxhash.xxh64_intdigest(head + tail, 0)) + tail + rest


def by_script(pieces, scores):
    """The numbers of the pieces of no script, of a rare one, or not found in text, then those of each other script."""
    groups = {None: []}
    for number, (piece, score) in enumerate(zip(pieces, scores)):
        known = (script for char in piece.decode() for script, ranges in SCRIPTS.items()
                 if score != NO_SCORE and any(first <= ord(char) <= last for first, last in ranges))
        groups.setdefault(next(known, None), []).append(number)
    for script in SCRIPTS:
        if len(groups.get(script, [])) < LEAST_PIECES:
            groups[None] += groups.pop(script, [])
    groups[None].sort()
    return [(script, groups[script]) for script in [None, *SCRIPTS] if script in groups]


def packed_scores(scores, top, found):
    """A byte for each score from `top` down, and what the header says of them; those of pieces not `found` in text have none."""
    steps = numpy.round((top - numpy.asarray(scores)) / SCORE_STEP)
    assert steps[found].max() < NO_SCORE
    bytes_ = numpy.where(found, steps, NO_SCORE).astype(numpy.uint8).tobytes()
    return bytes_, {"scores": {"top": float(top), "step": SCORE_STEP, "least": float(top - steps[found].max() * SCORE_STEP)}}


def read_table(data):
    """Header, tokens, their scores, rows and common tokens of a table. The tokens are sorted."""
    length, = struct.unpack_from("<I", data, 32)
    header = json.loads(data[40:40 + length])
    at = -(-(40 + length) // 64) * 64
    row_bytes = header["space"]["dimensions"] // GROUP * (2 + GROUP // 2)

    def take(count, align=1):
        nonlocal at
        section = data[at:at + count]
        at += -(-count // align) * align
        return section

    cut = lambda rows: [rows[start:start + row_bytes] for start in range(0, len(rows), row_bytes)]
    packs = [take(header["vocab_packed"], 64)]
    common = numpy.frombuffer(take(header["common"] * 4, 64), "<u4").tolist()
    common_rows = cut(take(header["common"] * row_bytes, 64))
    scripts = list(struct.iter_unpack("<IIII", take(header["scripts"] * 16, 64)))
    take(header["letters"] * 8, 64)
    packs += [take(8 + packed)[8:] for _, _, _, packed in scripts]
    counts = [count for _, count, _, _ in scripts]
    tokens, scores = [], b""
    for pack, count in zip(packs, [header["tokens"] - sum(counts), *counts]):
        vocab = zlib.decompress(pack, -15)
        end = len(vocab) - count if "scores" in header else len(vocab)
        tokens += tokens_of(vocab[:end])
        scores += vocab[end:]
    rest = (data[start + 8:start + 8 + row_bytes] for start in range(at, len(data), 8 + row_bytes))
    known = dict(zip(common, common_rows))
    rows = [known.get(token) or next(rest) for token in range(header["tokens"])]
    order = sorted(range(len(tokens)), key=lambda token: tokens[token])
    place = {token: at for at, token in enumerate(order)}
    scores = bytes(scores[token] for token in order if scores)
    return (header, [tokens[token] for token in order], scores, [rows[token] for token in order],
            sorted(place[token] for token in common))


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
            common = read_table(file.read())[4]
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
        header, tokens, scores, rows, common = read_table(file.read())
    more, numbers = {}, None
    if scores:
        scale = header["scores"]
        given = numpy.frombuffer(scores, numpy.uint8)
        scores, more = packed_scores(scale["top"] - given * scale["step"], scale["top"], given != NO_SCORE)
        numbers = [scale["top"] - byte * SCORE_STEP for byte in scores]
    if texts_path:
        common = most_frequent(tokens, texts_path, numbers)
    data = packed_table(header["space"], tokens, rows, common, scores, more)
    assert read_table(data)[1:] == (tokens, scores, rows, sorted(common))
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
