"""Reads an index and searches it by a vector and by terms, written from docs/index-format.md alone.

    python3 read_index.py FILE TERM... < VECTOR    VECTOR: a JSON array of numbers

Prints a JSON object. `terms` has the score of each passage that has one of the terms, and whether
its headings do. `nearest` has the ten nearest passages: `chunk`, `cosine`, `text`, `source`,
`heading_path`, `line`, and as `exact` the cosine by the passage's row, which is `cosine` too where
codes are coarse. Needs nothing but Python's own library.
"""

import json
import math
import struct
import sys
import zlib

MASK = (1 << 64) - 1
PRIMES = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)


def xxh64(data):
    """XXH64 with seed 0."""
    one, two, three, four, five = PRIMES
    turn = lambda x, n: ((x << n) | (x >> (64 - n))) & MASK
    mix = lambda acc, lane: turn((acc + lane * two) & MASK, 31) * one & MASK
    at, length = 0, len(data)
    if length >= 32:
        lanes = [(one + two) & MASK, two, 0, -one & MASK]
        while at + 32 <= length:
            for number, word in enumerate(struct.unpack_from("<4Q", data, at)):
                lanes[number] = mix(lanes[number], word)
            at += 32
        acc = sum(turn(lane, n) for lane, n in zip(lanes, (1, 7, 12, 18))) & MASK
        for lane in lanes:
            acc = ((acc ^ mix(0, lane)) * one + four) & MASK
    else:
        acc = five
    acc = (acc + length) & MASK
    while at + 8 <= length:
        acc = (turn(acc ^ mix(0, struct.unpack_from("<Q", data, at)[0]), 27) * one + four) & MASK
        at += 8
    if at + 4 <= length:
        acc = (turn(acc ^ struct.unpack_from("<I", data, at)[0] * one & MASK, 23) * two + three) & MASK
        at += 4
    for byte in data[at:]:
        acc = turn(acc ^ byte * five & MASK, 11) * one & MASK
    for shift, prime in ((33, two), (29, three)):
        acc = (acc ^ acc >> shift) * prime & MASK
    return acc ^ acc >> 32


def sections(file):
    assert file[:8] == b"\x89ibid\r\n\x1a", "magic bytes"
    version, features, length, count = struct.unpack_from("<IIQI", file, 8)
    assert (version, features, length) == (1, 0, len(file)), "header"
    table = file[64 : 64 + 32 * count]
    assert struct.unpack_from("<Q", file, 32)[0] == xxh64(file[:32] + table), "checksum of the header"
    found = {}
    for line in range(count):
        name, zero, start, size, checksum = struct.unpack_from("<4sIQQQ", table, 32 * line)
        section = file[start : start + size]
        assert zero == 0 and xxh64(section) == checksum, name
        found[name.decode()] = section
    return found


def blocks(table, section):
    """Each block with the numbers of its records."""
    record = start = at = 0
    while at < len(table):
        count, at = number_at(table, at)
        length, at = number_at(table, at)
        end = start + length
        block = section[start + 6 : end]
        assert table[at : at + 2] + section[start : start + 6] == struct.pack("<Q", xxh64(block)), "checksum of a block"
        yield range(record, record + count), block
        record, start, at = record + count, end, at + 2
    assert start == len(section), "blocks and their table"


def number_at(data, at):
    """A varint, and where it ends."""
    end = next(end for end in range(at, len(data)) if data[end] < 128) + 1
    return next(varints(data[at:end])), end


class Block:
    """The rest of a block of passages."""

    def __init__(self, block):
        length, body = struct.unpack_from("<I", block)[0], block[4:]
        self.rest = body if len(body) == length else zlib.decompress(body, -15)

    def take(self, length):
        taken, self.rest = self.rest[:length], self.rest[length:]
        return taken

    def number(self):
        length = next(at for at, byte in enumerate(self.rest) if byte < 128) + 1
        return next(varints(self.take(length)))

    def text(self):
        return self.take(self.number()).decode()

    def list(self, item):
        return [item() for _ in range(self.number())]

    def place(self):
        return [*(self.number() for _ in range(7)), self.list(lambda: (self.number(), self.text()))]

    def read(self, count):
        documents = self.list(lambda: (self.number(), json.loads(self.text())))
        sections = self.list(lambda: (self.number(), self.list(self.text), self.list(self.text)))
        passages = [
            (self.take(8), self.text(), self.list(self.place)) for _ in range(count)
        ]
        assert not self.rest, "the block has more than its passages"
        return documents, sections, passages


def varints(data):
    number = shift = 0
    for byte in data:
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield number
            number = shift = 0


def random(n):
    one = (0x69626964 + (n + 1) * 0x9E3779B97F4A7C15) & MASK
    two = (one ^ one >> 30) * 0xBF58476D1CE4E5B9 & MASK
    three = (two ^ two >> 27) * 0x94D049BB133111EB & MASK
    return three ^ three >> 31


def transformed(values):
    half = 1
    while half < len(values):
        for start in range(0, len(values), 2 * half):
            for at in range(start, start + half):
                a, b = values[at], values[at + half]
                values[at], values[at + half] = a + b, a - b
        half *= 2
    return [value / len(values) ** 0.5 for value in values]


def rotated(vector):
    size = len(vector)
    power = 1 << size.bit_length() - 1
    for turn in range(3):
        vector = [-x if random(turn * size + at) & 1 else x for at, x in enumerate(vector)]
        vector[:power] = transformed(vector[:power])
        if power < size:
            vector[-power:] = transformed(vector[-power:])
    return vector


def unpacked(packed, width):
    """Coarse codes as others are."""
    halves = [half for byte in packed for half in (byte & 15, byte >> 4)]
    return bytes((half & 3) + 6 | (half >> 2) + 6 << 4 for half in halves[:width])


def numbers(count, data, at=0):
    """Numbers of which two bytes are written: the upper halves of f32."""
    return [struct.unpack("<f", bytes(2) + data[at + 2 * i :][:2])[0] for i in range(count)]


def product(query, factor, codes):
    half = len(codes)
    values = [code & 15 for code in codes] + [code >> 4 for code in codes]
    return factor * sum(x * (code - 7.5) for x, code in zip(query, values[: len(query)])) if half else 0.0


class Bits:
    """Numbers in a stream of bits, from the lowest of each byte on."""

    def __init__(self, data):
        self.rest = int.from_bytes(data, "little")

    def take(self, bits):
        taken = self.rest & (1 << bits) - 1
        self.rest >>= bits
        return taken

    def below(self, limit):
        bits = limit.bit_length() - 1
        short = (2 << bits) - limit
        number = self.take(bits)
        if number >= short:
            number = 2 * number + self.take(1) - short
        return (number + (limit - short) // 2) % limit

    def about(self, usual):
        zeros = 0
        while self.take(1) == 0:
            assert self.rest, "a number without an end"
            zeros += 1
        digits = usual + zeros
        return (1 << digits) + self.take(digits) - (1 << usual)


def postings(data, count, chunks):
    """Each chunk with its level, and whether it has the term in a heading."""
    bits, chunk = Bits(data), -1
    least = bits.below(20)
    greatest = bits.below(20 - least if count > 1 else 1)
    headed = bits.below(greatest + 2)
    usual = max(chunks // (3 * count), 1).bit_length() - 1
    for _ in range(count):
        chunk += bits.about(usual) + 1
        level = bits.below(greatest + 1)
        yield chunk, least + level, level >= headed and bits.below(2) == 1
    assert bits.rest == 0, "bits behind the postings"


def terms(index, chunks):
    """Each term with its postings."""
    at = 1 + index["lexi"][0]
    length, at = struct.unpack_from("<I", index["lexi"], at)[0], at + 4
    for _, block in blocks(index["lexi"][at : at + length], index["post"]):
        size, at = number_at(block, 0)
        end, term = at + size, b""
        start = end
        while at < end:
            shared, at = number_at(block, at)
            length, at = number_at(block, at)
            term = term[:shared] + block[at : at + length]
            count, at = number_at(block, at + length)
            length, at = number_at(block, at)
            yield term.decode(), list(postings(block[start : start + length], count, chunks))
            start += length


def by_terms(index, wanted):
    chunks, found = json.loads(index["mani"])["chunks"], {}
    for term, its_postings in terms(index, chunks):
        if term in wanted:
            count = len(its_postings)
            worth = math.log(1 + (chunks - count + 0.5) / (count + 0.5))
            for chunk, level, in_heading in its_postings:
                score, with_heading = found.get(chunk, (0, False))
                found[chunk] = score + worth * (level + 1) / 20, with_heading or in_heading
    return found


def search(index, query):
    manifest = json.loads(index["mani"])
    size = manifest["space"]["dimensions"]
    length = sum(x * x for x in query) ** 0.5
    query = [x / length for x in query]
    turned = rotated(query)

    head, width = index["clus"], (size + 1) // 2
    count, bits = struct.unpack_from("<II", head)
    factors = numbers(count, head, 8)
    at = 8 + 2 * count
    middles = [product(turned, factors[group], head[at + width * group :][:width]) for group in range(count)]
    at += width * count
    tables = []
    for _ in range(2):
        length = struct.unpack_from("<I", head, at)[0]
        tables.append(head[at + 4 :][:length])
        at += 4 + length

    nearness, lengths, packed, seen = {}, {}, (width + 1) // 2, 0
    probes = manifest["calibration"]["probes"] or 16
    groups, clusters = list(blocks(tables[0], index["cent"])), list(blocks(tables[1], index["code"]))
    most = 32 * probes
    if len(index["cent"]) > 65536:
        most = min(most, max(len(clusters) // 3, 2 * probes))
    for group in sorted(range(count), key=lambda group: -middles[group]):
        if seen >= most:
            break
        members, block = groups[group]
        written = numbers(3 * len(members), block)
        for place, number in enumerate(members):
            share, factor, lengths[number] = written[place :: len(members)]
            codes = unpacked(block[6 * len(members) + packed * place :][:packed], width)
            nearness[number] = share * middles[group] + product(turned, factor, codes)
        seen += len(members)
    nearest = sorted(nearness, key=lambda number: -nearness[number])[:probes]

    scores, wide = {}, width if bits == 4 else packed
    for number in nearest:
        members, block = clusters[number]
        size_here, chunk = len(members), -1
        gaps = varints(block[size_here * (2 + wide) :])
        for member in range(size_here):
            chunk += next(gaps) + 1
            factor = numbers(1, block, 2 * member)[0]
            codes = block[2 * size_here + wide * member :][:wide]
            codes = codes if bits == 4 else unpacked(codes, width)
            estimate = lengths[number] * nearness[number] + product(turned, factor, codes)
            scores.setdefault(chunk, estimate)

    def exact(chunk):
        row = index["vecs"][(size + 8) * chunk :][: size + 8]
        assert xxh64(row[:-4]) & 0xFFFFFFFF == struct.unpack_from("<I", row, size + 4)[0], "checksum of a row"
        components, scale = struct.unpack_from(f"<{size}b", row), struct.unpack_from("<f", row, size)[0]
        return scale * sum(x * y for x, y in zip(query, components))

    best = lambda count: sorted(scores, key=lambda chunk: -scores[chunk])[:count]
    if bits == 2:
        scores.update({chunk: exact(chunk) for chunk in best(30)})

    hits = []
    passages = list(blocks(index["tblk"], index["text"]))
    for chunk in best(10):
        chunks, block = next((chunks, block) for chunks, block in passages if chunk in chunks)
        documents, headings, records = Block(block).read(len(chunks))
        _, text, places = records[chunk - chunks.start]
        document, section, _, line, _, _, _, _ = places[0]
        hits.append(
            {
                "chunk": chunk,
                "cosine": scores[chunk],
                "exact": exact(chunk),
                "text": text,
                "source": documents[document][1]["source"],
                "heading_path": headings[section][1],
                "line": line,
            }
        )
    return hits


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as opened:
        index = sections(opened.read())
    found = {"nearest": search(index, json.load(sys.stdin)), "terms": by_terms(index, sys.argv[2:])}
    json.dump(found, sys.stdout)
