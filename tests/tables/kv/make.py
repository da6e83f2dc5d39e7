"""The kv suite done again in Python on a dict: what every engine has to answer.

Written from the suite's file and the definitions of the generator and the digest, sharing no code with the program.
Run in this folder: python3 make.py
"""

import json
import sys

sys.path.insert(0, "..")
from model import Digest, stream


def run(size, seed, mixed):
    """(rows, verification) of each test."""
    answers = {}
    main, bulk = {}, {}
    key = lambda i: b"key_%08d" % i

    def done(test, digest, rows, state=None):
        for k in sorted(state or {}):
            digest.bytes(k)
            digest.bytes(state[k])
        digest.word(rows)
        answers[test] = [rows, digest.text()]

    for i in range(size):
        main[key(i)] = b"value_%08d_with_some_additional_data_to_make_it_realistic" % i
    done(1, Digest(), size)

    rng, digest, rows = stream(seed, 2), Digest(), 0
    for _ in range(max(round(size * 0.05), 1000)):
        value = main.get(key(rng.below(size)))
        if value is not None:
            digest.bytes(value)
            rows += 1
    done(2, digest, rows)

    digest = Digest()
    for k in sorted(main):
        digest.bytes(k)
        digest.bytes(main[k])
    done(3, digest, len(main))

    rng = stream(seed, 4)
    count = max(round(size * 0.01), 1000)
    for op in range(count):
        main[key(rng.below(size))] = b"updated_value_%08d" % op
    done(4, Digest(), count)

    rng, digest, rows = stream(seed, 5), Digest(), 0
    for _ in range(max(round(size * 0.005), 1000)):
        found = main.pop(key(rng.below(size)), None) is not None
        digest.word(int(found))
        rows += found
    done(5, digest, rows)

    rng, digest, rows = stream(seed, 6), Digest(), 0
    for _ in range(max(round(size * 0.05), 1000)):
        found = key(rng.below(size)) in main
        digest.word(int(found))
        rows += found
    done(6, digest, rows)

    rng, digest, rows = stream(seed, 7), Digest(), 0
    weights = {"70/20/10": [("get", 70), ("put", 20), ("delete", 10)], "80/20": [("get", 80), ("put", 20)]}[mixed]
    for op in range(max(round(size * 0.02), 1000)):
        drawn = rng.below(100)
        for kind, weight in weights:
            if drawn < weight:
                break
            drawn -= weight
        k = key(rng.below(size))
        if kind == "get":
            if k in main:
                digest.bytes(main[k])
                rows += 1
        elif kind == "put":
            main[k] = b"mixed_value_%08d" % op
            rows += 1
        else:
            found = main.pop(k, None) is not None
            digest.word(int(found))
            rows += found
    done(7, digest, rows, main)

    for i in range(size):
        bulk[b"bulk_key_%08d" % i] = b"bulk_value_%08d" % i
    done(8, Digest(), size, bulk)
    return answers


tables = [
    {"size": size, "session_seed": seed, "round": round_, "mixed": mixed,
     "answers": run(size, stream(seed, round_).next(), mixed)}
    for size, seed, round_, mixed in [
        (1000, 42, 0, "70/20/10"),
        (1000, 42, 1, "70/20/10"),
        (1000, 42, 0, "80/20"),
        (25000, 2**64 - 1, 0, "70/20/10"),
    ]
]
with open("answers.json", "w") as file:
    json.dump(tables, file, indent=1)
    file.write("\n")
