#!/usr/bin/env python3
"""Fits the query table: a row for every token, so that the scaled sum of a text's rows lies near the transformer's vector.

    pip install numpy scipy tokenizers
    tools/train_query_table.py TEXTS.jsonl[.gz] MODEL_DIR IBID CACHE TABLE.npz [OTHER.npz]
    tools/make_query_model.py TABLE.npz ROTATION.npy MODEL_DIR/vocab.txt models

TEXTS has a JSON object with a text "t" a line. MODEL_DIR holds all-MiniLM-L6-v2 as published (tokenizer.json, vocab.txt,
model.safetensors). IBID is the `ibid` program, whose `embed` command is the teacher where IBID_MODEL names
the file that `ibid model import MODEL_DIR` packs; its vectors are kept in the folder
CACHE, so that a run that was interrupted goes on where it was. TABLE.npz gets `q` int8 and `s` float32; row i is q[i] * s[i].

Three steps, each starting from the one before:
1. A prior: rows that are one linear map of what the model knows of each token alone (its input embedding, and its vector
   of the token as a text), fitted by least squares. It also gives rows to tokens that no text has.
2. Ridge regression of the difference to the prior (conjugate gradients on the normal equations), so that a token moves
   away from its prior only as far as the texts with it say so.
3. The same again, several times, with each teacher's vector scaled to the length at which the sum comes nearest to it: a
   query's vector is scaled to unit length, so only the direction counts.
Descent on the cosine itself (Adam, from the result of step 2) came nearer to the teacher on held-out texts but ranked worse:
it spends the rows of rare tokens, of which few texts say anything, on what is common. A loss on rankings (the divergence
between the teacher's and the table's similarities to a bank of texts) was no better and ten times slower.
With OTHER.npz, a table that was fitted in another way, its rows, brought to the same median length, are mixed in: two fits
with different errors are better together than either.

Every fiftieth given text is held out, with what is made from it, and the cosine to the teacher on these is printed.
"""
import gzip
import json
import os
import struct
import subprocess
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy
import scipy.sparse

import made_texts

MAX_TOKENS = 512
SHARD = 20_000
HELD_OUT = 50
RIDGE = 3.0
ROUNDS = 12
RESCALED, ROUNDS_EACH = 4, 4
OTHERS_SHARE = 0.4


def unit(rows):
    return rows / numpy.maximum(numpy.linalg.norm(rows, axis=1, keepdims=True), 1e-12)


def embed(ibid, cache, name, texts):
    """The teacher's vectors, a file for each 20,000 texts."""
    shards = []
    for start in range(0, len(texts), SHARD):
        part = os.path.join(cache, f"{name}-{start // SHARD:03}")
        if not os.path.exists(part + ".npy"):
            with open(part + ".jsonl", "w", encoding="utf-8") as file:
                file.writelines(json.dumps(text) + "\n" for text in texts[start:start + SHARD])
            subprocess.run([ibid, "embed", part + ".jsonl", "--format", "npy", "-o", part + ".npy"], check=True)
        shards.append(numpy.load(part + ".npy"))
    return numpy.concatenate(shards)


def counts(tokenizer, texts):
    """Texts times tokens: how often each token is in each text."""
    ids = [encoding.ids[:MAX_TOKENS] for encoding in tokenizer.encode_batch(texts, add_special_tokens=False)]
    ends = numpy.cumsum([0] + [len(each) for each in ids])
    columns = numpy.fromiter((token for each in ids for token in each), numpy.int32, ends[-1])
    shape = (len(texts), tokenizer.get_vocab_size())
    matrix = scipy.sparse.csr_matrix((numpy.ones(len(columns), numpy.float32), columns, ends), shape=shape)
    matrix.sum_duplicates()
    return matrix


def word_embeddings(path):
    """The model's input embeddings, from a safetensors file: a length, a JSON header, and the tensors' bytes."""
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        start = file.tell()
        tensor = next(tensor for name, tensor in header.items() if name.endswith("word_embeddings.weight"))
        assert tensor["dtype"] == "F32"
        file.seek(start + tensor["data_offsets"][0])
        data = file.read(tensor["data_offsets"][1] - tensor["data_offsets"][0])
    return numpy.frombuffer(data, numpy.float32).reshape(tensor["shape"])


def prior(features, averages, targets):
    seen = averages @ features
    gram = seen.T @ seen + numpy.eye(features.shape[1], dtype=numpy.float32)
    return (features @ numpy.linalg.solve(gram, seen.T @ targets)).astype(numpy.float32)


def ridge(base, rows, averages, targets, rounds):
    """Goes from `rows` towards those that make |averages rows - targets|^2 + RIDGE |rows - base|^2 least, by conjugate
    gradients."""
    rows = rows.copy()
    rest = averages.T @ (targets - averages @ rows) - RIDGE * (rows - base)
    direction, size = rest.copy(), (rest * rest).sum(0)
    for _ in range(rounds):
        image = averages.T @ (averages @ direction) + RIDGE * direction
        step = size / numpy.maximum((direction * image).sum(0), 1e-20)
        rows += step * direction
        rest -= step * image
        before, size = size, (rest * rest).sum(0)
        direction = rest + size / numpy.maximum(before, 1e-20) * direction
    return rows


def rescaled(rows, averages, targets):
    """The targets, each at the length at which it is nearest to what the rows make of its text; one on average."""
    lengths = ((averages @ rows) * targets).sum(1, keepdims=True)
    return targets * numpy.clip(lengths / lengths.mean(), 0.2, 3).astype(numpy.float32)


def mixed(rows, other_path):
    other = numpy.load(other_path)
    other = other["q"].astype(numpy.float32) * other["s"][:, None].astype(numpy.float32)
    median = lambda rows: numpy.median(numpy.linalg.norm(rows, axis=1))
    return (1 - OTHERS_SHARE) * rows + OTHERS_SHARE * median(rows) / median(other) * other


def main(texts_path, model, ibid, cache, out, other_path=None):
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(os.path.join(model, "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    vocabulary = [token for token, _ in sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])]
    with (gzip.open if texts_path.endswith(".gz") else open)(texts_path, "rt", encoding="utf-8") as file:
        given = [json.loads(line)["t"] for line in file]
    held_out = given[::HELD_OUT]
    kept = [text for number, text in enumerate(given) if number % HELD_OUT]
    made = made_texts.Maker(kept, vocabulary).make()
    alone = ["" if token.startswith("[") and token.endswith("]") else token.removeprefix("##") for token in vocabulary]
    os.makedirs(cache, exist_ok=True)
    vectors = {
        name: embed(ibid, cache, name, texts)
        for name, texts in (("heldout", held_out), ("alone", alone), ("given", kept), ("made", made))
    }
    check, check_targets = counts(tokenizer, held_out), vectors["heldout"]
    texts = counts(tokenizer, kept + made)
    targets = numpy.concatenate([vectors["given"], vectors["made"]])
    lengths = numpy.asarray(texts.sum(1)).ravel()
    texts, targets, lengths = texts[lengths > 0], targets[lengths > 0], lengths[lengths > 0]
    print(f"{texts.shape[0]} texts, {int(lengths.sum())} tokens")

    def report(step, rows):
        cosines = (unit(check @ rows) * check_targets).sum(1)
        print(f"{step}: cosine to the teacher on held-out texts {cosines.mean():.4f}", flush=True)

    features = numpy.concatenate(
        [unit(word_embeddings(os.path.join(model, "model.safetensors"))), vectors["alone"],
         numpy.ones((len(vocabulary), 1), numpy.float32)], axis=1)
    averages = (scipy.sparse.diags((lengths**-0.5).astype(numpy.float32)) @ texts).tocsr()
    base = prior(features, averages, targets)
    report("prior", base)
    rows = ridge(base, base, averages, targets, ROUNDS)
    report("ridge", rows)
    for number in range(RESCALED):
        rows = ridge(base, rows, averages, rescaled(rows, averages, targets), ROUNDS_EACH)
        report(f"rescaled {number + 1}", rows)
    if other_path:
        rows = mixed(rows, other_path)
        report("mixed", rows)
    scales = numpy.maximum(numpy.abs(rows).max(1), 1e-12) / 127
    numpy.savez_compressed(out, q=numpy.round(rows / scales[:, None]).astype(numpy.int8), s=scales.astype(numpy.float32))


if __name__ == "__main__":
    if len(sys.argv) not in (6, 7):
        sys.exit(__doc__)
    main(*sys.argv[1:])
