#!/usr/bin/env python3
"""Distils all-MiniLM-L6-v2 into three of its layers, with embeddings of tokens in four bits.

    pip install torch numpy tokenizers safetensors
    ibid chunk DOCUMENTS --texts -o texts.jsonl
    tools/distil_encoder.py MODEL_DIR texts.jsonl OUT_DIR [SECONDS]
    ibid model import OUT_DIR -o models/minilm-distilled.ibidmodel

MODEL_DIR holds all-MiniLM-L6-v2 as published. texts.jsonl has a JSON object with a "text" a line; more of them are better
than more time. OUT_DIR gets the student in the same layout. SECONDS (300 by default) is how long to train; on an H100 a
hundred steps of 64 Ki tokens take 4 seconds.

The student begins as the teacher's embeddings and its layers 0, 3 and 5 (DistilBERT, Sanh et al., 2019, begins the same way).
Each step takes passages, a quarter of them cut to 2 to 40 tokens, so that headings and questions are seen too. The loss has
two parts. One is 1 minus the cosine to the teacher's vector. The other is 30 times the squared error of the similarities to
all teacher's vectors of the batch, because similarities rank.

Embeddings are rounded in every forward pass: a group of 32 numbers has a half-precision scale, and numbers from -8 to 7. The
gradient passes as if they were not (straight-through, Bengio et al., 2013). So the file has what was trained.

The last 2,000 texts are held out; the mean cosine to the teacher on them, whole and cut to 8 tokens, is printed.
"""
import json
import math
import os
import random
import shutil
import sys
import time

import numpy
import torch
import torch.nn.functional as functional
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer

LAYERS = (0, 3, 5)
HIDDEN, HEADS, GROUP = 384, 12, 32
CLS, SEP, WINDOW = 101, 102, 256
HELD_OUT = 2000
TOKENS, MOST_TEXTS = 65536, 1024
RATE, WARM_UP = 8e-4, 200
SIMILARITIES_SHARE = 30.0
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
PARTS = {
    "o": "attention.output.dense", "n1": "attention.output.LayerNorm", "u": "intermediate.dense", "d": "output.dense",
    "n2": "output.LayerNorm",
}


def rounded(rows):
    """Rows as four bits hold them. The number that is farthest from zero becomes -8."""
    groups = rows.reshape(-1, GROUP)
    farthest = groups.gather(1, groups.abs().argmax(1, keepdim=True))
    scale = (farthest / -8).half().float()
    scale = torch.where(scale == 0, torch.ones_like(scale), scale)
    return (torch.clamp(torch.round(groups / scale), -8, 7) * scale).reshape(rows.shape)


class Encoder(torch.nn.Module):
    def __init__(self, source, layers, is_student):
        super().__init__()
        get = lambda name: torch.nn.Parameter(source[name].clone(), requires_grad=is_student)
        self.is_student = is_student
        self.words = get("embeddings.word_embeddings.weight")
        positions = source["embeddings.position_embeddings.weight"][:WINDOW]
        kind = source["embeddings.token_type_embeddings.weight"][0]
        self.positions = torch.nn.Parameter(positions + kind, requires_grad=is_student)
        self.norm, self.norm_bias = get("embeddings.LayerNorm.weight"), get("embeddings.LayerNorm.bias")
        self.layers = torch.nn.ModuleList()
        for layer in layers:
            at = f"encoder.layer.{layer}."
            names = {**{part: f"attention.self.{part}" for part in ("query", "key", "value")}, **PARTS}
            parts = {part: get(f"{at}{name}.weight") for part, name in names.items()}
            parts |= {f"{part}_bias": get(f"{at}{name}.bias") for part, name in names.items()}
            self.layers.append(torch.nn.ParameterDict(parts))

    def forward(self, ids, mask):
        count, length = ids.shape
        if self.is_student:
            used, places = torch.unique(ids, return_inverse=True)
            rows = self.words[used]
            x = (rows + (rounded(rows) - rows).detach())[places]
        else:
            x = self.words[ids]
        normed = lambda x, weight, bias: functional.layer_norm(x, (HIDDEN,), weight, bias, 1e-12)
        x = normed(x + self.positions[:length], self.norm, self.norm_bias)
        with torch.autocast(DEVICE, torch.bfloat16):
            for layer in self.layers:
                linear = lambda x, part: functional.linear(x, layer[part], layer[f"{part}_bias"])
                heads = lambda x: x.view(count, length, HEADS, -1).transpose(1, 2)
                query, key, value = (heads(linear(x, part)) for part in ("query", "key", "value"))
                seen = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask[:, None, None])
                seen = linear(seen.transpose(1, 2).reshape(count, length, HIDDEN), "o")
                x = normed(x + seen, layer["n1"], layer["n1_bias"])
                x = normed(x + linear(functional.gelu(linear(x, "u")), "d"), layer["n2"], layer["n2_bias"])
        kept = mask[..., None].float()
        return functional.normalize((x.float() * kept).sum(1) / kept.sum(1), dim=-1)

    def tensors(self):
        tensors = {
            "embeddings.word_embeddings.weight": rounded(self.words), "embeddings.position_embeddings.weight": self.positions,
            "embeddings.token_type_embeddings.weight": torch.zeros(2, HIDDEN),
            "embeddings.LayerNorm.weight": self.norm, "embeddings.LayerNorm.bias": self.norm_bias,
        }
        for number, layer in enumerate(self.layers):
            for part, name in {**{part: f"attention.self.{part}" for part in ("query", "key", "value")}, **PARTS}.items():
                tensors[f"encoder.layer.{number}.{name}.weight"] = layer[part]
                tensors[f"encoder.layer.{number}.{name}.bias"] = layer[f"{part}_bias"]
        return {name: tensor.detach().float().cpu().contiguous() for name, tensor in tensors.items()}


class Texts:
    """All texts' tokens, one after the other."""

    def __init__(self, model, path):
        tokenizer = Tokenizer.from_file(os.path.join(model, "tokenizer.json"))
        tokenizer.no_padding()
        tokenizer.enable_truncation(WINDOW - 2)
        with open(path, encoding="utf-8") as file:
            texts = [json.loads(line)["text"] for line in file]
        random.Random(2).shuffle(texts)
        tokens = [encoding.ids for encoding in tokenizer.encode_batch(texts, add_special_tokens=False)]
        self.ends = numpy.cumsum([0] + [len(each) for each in tokens])
        self.ids = torch.tensor([token for each in tokens for token in each], device=DEVICE)
        self.count = len(texts)

    def batch(self, starts, lengths):
        starts, lengths = torch.from_numpy(starts).to(DEVICE)[:, None], torch.from_numpy(lengths).to(DEVICE)[:, None]
        at = torch.arange(int(lengths.max()) + 2, device=DEVICE)[None]
        ids = self.ids[(starts + at - 1).clamp(0, len(self.ids) - 1)]
        ids = torch.where(at > lengths, 0, ids).masked_fill(at == lengths + 1, SEP).masked_fill(at == 0, CLS)
        return ids, at <= lengths + 1

    def batches(self):
        """Texts of like length together, in random order, for ever."""
        generator = numpy.random.default_rng(1)
        while True:
            texts = generator.permutation(self.count - HELD_OUT)[:40_000]
            starts, whole = self.ends[texts], self.ends[texts + 1] - self.ends[texts]
            cut = numpy.minimum(whole, generator.integers(2, 40, len(texts)))
            is_cut = generator.random(len(texts)) < 0.25
            offsets = (generator.random(len(texts)) * (whole - cut + 1)).astype(numpy.int64)
            starts, lengths = starts + numpy.where(is_cut, offsets, 0), numpy.where(is_cut, cut, whole)
            order, groups = numpy.argsort(lengths, kind="stable"), []
            while len(order) >= 64:
                longest = lengths[order[min(300, len(order) - 1)]] + 2
                size = min(max(TOKENS // longest, 64), MOST_TEXTS)
                groups.append(order[:size])
                order = order[size:]
            generator.shuffle(groups)
            for group in groups:
                yield self.batch(starts[group], lengths[group])

    def held_out(self, most):
        texts = numpy.arange(self.count - HELD_OUT, self.count)
        lengths = numpy.minimum(self.ends[texts + 1] - self.ends[texts], most)
        for part in numpy.array_split(numpy.argsort(lengths), HELD_OUT // 100):
            yield self.batch(self.ends[texts[part]], lengths[part])


@torch.no_grad()
def agreement(student, teacher, texts):
    cosines = lambda most: torch.cat([(student(*each) * teacher(*each)).sum(1) for each in texts.held_out(most)])
    return " and ".join(f"{cosines(most).mean().item():.4f}" for most in (WINDOW, 8))


def main(model, texts_path, out, seconds="300"):
    seconds, texts = float(seconds), Texts(model, texts_path)
    source = {name: tensor.to(DEVICE) for name, tensor in load_file(os.path.join(model, "model.safetensors")).items()}
    teacher, student = Encoder(source, range(6), False), Encoder(source, LAYERS, True).to(DEVICE)
    print(f"{texts.count} texts, {len(texts.ids)} tokens", flush=True)
    optimizer = torch.optim.AdamW(student.parameters(), lr=RATE, betas=(0.9, 0.98), weight_decay=0.0)
    start, said = time.time(), 0.0
    for step, batch in enumerate(texts.batches()):
        spent = time.time() - start
        if spent >= seconds:
            break
        for group in optimizer.param_groups:
            group["lr"] = RATE * min(1, (step + 1) / WARM_UP) * (0.5 + 0.5 * math.cos(math.pi * spent / seconds))
        with torch.no_grad():
            wanted = teacher(*batch)
        vectors = student(*batch)
        similarities = (vectors @ wanted.T - wanted @ wanted.T).pow(2).mean()
        loss = (1 - (vectors * wanted).sum(1)).mean() + SIMILARITIES_SHARE * similarities
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(student.parameters(), 1.0)
        optimizer.step()
        if spent - said > 20:
            said = spent
            print(f"{spent:.0f} s, step {step}: {agreement(student, teacher, texts)}", flush=True)
    print(f"held out: {agreement(student, teacher, texts)}")
    shutil.copytree(model, out, dirs_exist_ok=True)
    save_file(student.tensors(), os.path.join(out, "model.safetensors"))
    with open(os.path.join(out, "config.json"), encoding="utf-8") as file:
        config = json.load(file)
    config |= {"num_hidden_layers": len(LAYERS), "max_position_embeddings": WINDOW}
    with open(os.path.join(out, "config.json"), "w", encoding="utf-8") as file:
        json.dump(config, file, indent=2)


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    main(*sys.argv[1:])
