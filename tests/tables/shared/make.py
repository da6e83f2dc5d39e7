"""Known answers that engines of every language have to give: generator, digest, words, formats, expressions, histogram.

Written from the definitions in docs/write-an-engine.md and docs/write-a-suite.md, sharing no code with the programs.
Run in this folder: python3 make.py
"""

import base64
import json
import re
import struct
import sys
import uuid
import zlib

sys.path.insert(0, "..")
from model import MASK, Digest, SplitMix64, stream

SMALL = ("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
         "seventeen eighteen nineteen").split()
TENS = "- - twenty thirty forty fifty sixty seventy eighty ninety".split()
SCALES = ["", "thousand", "million", "billion", "trillion", "quadrillion", "quintillion"]


def words(number):
    if number < 0:
        return "minus " + words(-number)
    if number == 0:
        return SMALL[0]
    parts = []
    for scale in reversed(range(len(SCALES))):
        group = number // 1000 ** scale % 1000
        if group:
            parts += [below_thousand(group), SCALES[scale]]
    return " ".join(part for part in parts if part)


def below_thousand(number):
    parts = [SMALL[number // 100] + " hundred"] if number >= 100 else []
    number %= 100
    if number >= 20:
        parts.append(TENS[number // 10])
        number %= 10
    if number:
        parts.append(SMALL[number])
    return " ".join(parts)


def signed(number):
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)


def value(tree, names):
    if isinstance(tree, int):
        return tree
    if isinstance(tree, str):
        return names[tree]
    left, right = value(tree[1], names), value(tree[2], names)
    if tree[0] in "/%" and right == 0:
        return 0
    # Python's own // and % round down, as they have to.
    return signed({"+": lambda: left + right, "-": lambda: left - right, "*": lambda: left * right,
                   "/": lambda: left // right, "%": lambda: left % right}[tree[0]]())


def fnv1a(number):
    hashed = 0xCBF29CE484222325
    for byte in number.to_bytes(8, "little"):
        hashed = (hashed ^ byte) * 1099511628211 & MASK
    return abs(signed(hashed))


def rendered(form, key, op, rng):
    """A format with everything put in."""
    def some(drawn, form):
        lengths, _, percent = form.partition(",")
        pieces = [re.fullmatch(r"(\d+)(?:-(\d+))?(?:\*(\d+))?", piece) for piece in lengths.split("/")]
        pieces = [(int(least), int(most or least), int(weight or 1)) for least, most, weight in (piece.groups() for piece in pieces)]
        at = drawn.below(sum(weight for *_, weight in pieces)) if len(pieces) > 1 else 0
        for least, most, weight in pieces:
            at -= weight
            if at < 0:
                break
        count = least + (drawn.below(most - least + 1) if most > least else 0)
        fresh = count - count * int(percent.rstrip("%") or 0) // 100
        new = b"".join(drawn.next().to_bytes(8, "little") for _ in range((fresh + 7) // 8))[:fresh] or b"x"
        return (new * (count // len(new) + 1))[:count]

    def put(kind, form):
        if kind in ("random", "scattered"):
            return some(rng if kind == "random" else stream(0, key), form)
        if kind in ("uuid4", "uuid7"):
            drawn = stream(0, key)
            bits = drawn.next() << 64 | drawn.next()
            if kind == "uuid7":
                bits = (1_767_225_600_000 + key) << 80 | bits & (1 << 80) - 1
            # RFC 9562: Python's own class puts version and variant in.
            made = uuid.UUID(int=bits & ~(0xF << 76) & ~(3 << 62) | int(kind[4:]) << 76 | 2 << 62)
            return made.bytes if form else str(made).encode()
        number = {"key": key, "op": op, "hash": fnv1a(key)}[kind]
        if form and form[0] == "u":
            return (number & (1 << 8 * int(form[1:])) - 1).to_bytes(int(form[1:]), "big")
        return str(number).zfill(int(form or 0)).encode()
    parts = re.split(r"(\{[a-z0-9]+(?::[^}]+)?\})", form)
    shape = re.compile(r"\{([a-z0-9]+)(?::([^}]+))?\}")
    return b"".join(put(*found.groups()) if (found := shape.fullmatch(part)) else part.encode() for part in parts)


def shuffled(count, seed):
    """The numbers below a count in the order that a seed stands for: Feistel's four rounds, walked until they fall among them."""
    half = max(1, ((count - 1).bit_length() + 1) // 2)
    mask = (1 << half) - 1
    def scatter(number):
        left, right = number >> half, number & mask
        for step in range(4):
            left, right = right, left ^ stream(seed, step << half | right).next() & mask
        return left << half | right
    def at(place):
        number = scatter(place)
        while number >= count:
            number = scatter(number)
        return number
    return [at(place) for place in range(count)]


def histogram(latencies):
    """HdrHistogram V2, compressed: 1 ns to 1 h, 3 digits."""
    counts, out, last = {}, bytearray(), 0
    for ns in latencies:
        doublings = (ns | 2047).bit_length() - 11
        at = doublings * 1024 + (ns >> doublings)
        counts[at] = counts.get(at, 0) + 1

    def put(number):
        number = (number << 1) if number >= 0 else (-number << 1) - 1
        while number > 127:
            out.append(number & 127 | 128)
            number >>= 7
        out.append(number)

    for at in sorted(counts):
        if at > last:
            put(last - at)
        put(counts[at])
        last = at + 1
    head = struct.pack(">iiiiqqd", 0x1C849313, len(out), 0, 3, 1, 3_600_000_000_000, 1.0)
    body = zlib.compress(head + bytes(out))
    return base64.b64encode(struct.pack(">ii", 0x1C849314, len(body)) + body).decode()


def digest(fields):
    made = Digest()
    for field in fields:
        made.bytes(field)
    return made.text()


def digest_of_values(values):
    """Values of SQL: null, a whole number, a real one, a text, {"blob": its bytes in hexadecimal}."""
    made = Digest()
    for one in values:
        if one is None:
            made.word(0)
        elif isinstance(one, float):
            made.word(2)
            made.word(struct.unpack("<Q", struct.pack("<d", one))[0])
        elif isinstance(one, int):
            made.word(1)
            made.word(one & MASK)
        elif isinstance(one, str):
            made.word(3)
            made.bytes(one.encode())
        else:
            made.word(4)
            made.bytes(bytes.fromhex(one["blob"]))
    return made.text()


def main():
    draws = lambda rng, bounds: [str(rng.below(bound)) for bound in bounds]
    bounds = [1, 2, 10, 1000, 100_000, 1 << 32, (1 << 63) + 5, MASK, 0, 7]
    fields = [b"", b"a", b"abc", b"abcdefg", b"abcdefgh", b"key_00000000", bytes(range(16)), bytes(range(17)),
              bytes(range(24)), bytes(range(25)), bytes(range(32)), bytes(range(256)) * 3,
              bytes(range(256)) * 4, bytes(range(256)) * 4 + b"a", bytes(range(256)) * 10 + bytes(range(25))]
    values = [[], [None], [0], [-1, 2 ** 63 - 1, -2 ** 63], [0.0, -0.21, 1e300], ["", "a", "fourteen thousand"],
              [{"blob": ""}, {"blob": "00ff"}], [None, 7, 7.0, "7", {"blob": "37"}]]
    numbers = [0, 1, 13, 20, 21, 99, 100, 110, 999, 1000, 1001, 14_286, 499_999, 1_000_000, 1_000_015, 10 ** 18,
               2 ** 63 - 1, -15, -2 ** 63]
    names = {"i": 17, "n": -5, "r": 99_999}
    trees = [3, "i", ["+", 3000, ["*", 10, "i"]], ["-", "n", "r"], ["/", "n", 3], ["%", "n", 3], ["/", 5, -3],
             ["%", 5, -3], ["/", "i", 0], ["%", "i", 0], ["+", 2 ** 63 - 1, 1], ["*", 2 ** 62, 4], ["-", -2 ** 63, 1],
             ["/", -2 ** 63, -1], ["%", -2 ** 63, -1], ["%", ["*", 14_285, "i"], 500_000]]
    formats = ["key_{key:8}", "{op}", "user{hash}", "v{random:11}!", "wide_{key:20}_x", "constant", "{key:u4}\x18",
               "{op:u8}{hash:u2}{key}", "a{scattered:24}b{scattered:3}", "{random:3}{key:03}{random:9}",
               "{random:5-40}{op}{scattered:1-17}", "{random:4-4}", "{random:10*9/100-109}", "{scattered:1/2*3/30-40*5,50%}",
               "{random:17,80%}{random:5,100%}{op}", "{uuid4} {uuid7}", "{uuid7:u16}{uuid4:u16}"]
    shuffles = [(1, 0), (2, 7), (5, 1), (16, 42), (17, 42), (100, MASK)]
    latencies = [1, 2, 2047, 2048, 5_000, 5_001, 123_456_789, 3_599_999_999_999] + [1_000] * 300
    told = {
        "splitmix64": [{"seed": str(seed), "next": [str(rng.next()) for _ in range(5)]}
                       for seed in [0, 1, 1_234_567, MASK] for rng in [SplitMix64(seed)]],
        "streams": [{"seed": str(seed), "number": number, "bounds": [str(bound) for bound in bounds],
                     "below": draws(stream(seed, number), bounds)}
                    for seed, number in [(0, 0), (42, 1), (13309476754707697221, 18), (MASK, 3)]],
        "digests": [{"fields": [field.hex() for field in some], "digest": digest(some)}
                    for some in [[]] + [[field] for field in fields] + [fields]],
        "values": [{"values": some, "digest": digest_of_values(some)} for some in values],
        "words": [{"number": str(number), "words": words(number)} for number in numbers],
        "digits": [{"number": str(number), "width": width, "digits": f"{number:0{width}d}"}
                   for number in [0, 7, -7, 123_456_789, -2 ** 63] for width in [1, 5, 8]],
        "expressions": [{"tree": tree, "value": str(value(tree, names))} for tree in trees],
        "variables": names,
        "formats": [{"format": form, "key": key, "op": op, "seed": 5,
                     "rendered": rendered(form, key, op, SplitMix64(5)).hex()}
                    for form in formats for key, op in [(0, 0), (42, 7), (123_456_789, 1)]],
        "shuffles": [{"count": count, "seed": str(seed), "order": shuffled(count, seed)} for count, seed in shuffles],
        "histogram": {"latencies": [str(ns) for ns in latencies], "encoded": histogram(latencies)},
    }
    with open("answers.json", "w") as file:
        json.dump(told, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
