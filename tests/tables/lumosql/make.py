"""The suite lumosql done again in Python on lists: what every engine has to answer.

Written from the suite's file and the definitions of the generator and the digest, sharing no code with the program, and
without SQLite. Run in this folder: python3 make.py
"""

import json
import struct
import sys

sys.path.insert(0, "..")
from model import Digest, stream


class Values(Digest):
    def add(self, value):
        if value is None:
            self.word(0)
        elif isinstance(value, int):
            self.word(1)
            self.word(value)
        elif isinstance(value, float):
            self.word(2)
            self.word(struct.unpack("<Q", struct.pack("<d", value))[0])
        else:
            self.word(3)
            self.bytes(value.encode())


ONES = ("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen").split()
TENS = "- - twenty thirty forty fifty sixty seventy eighty ninety".split()


def words(n):
    if n >= 1000:
        return words(n // 1000) + " thousand" + (" " + words(n % 1000) if n % 1000 else "")
    if n >= 100:
        return ONES[n // 100] + " hundred" + (" " + words(n % 100) if n % 100 else "")
    if n >= 20:
        return TENS[n // 10] + (" " + ONES[n % 10] if n % 10 else "")
    return ONES[n]


def run(reads, writes, seed):
    """(rows, verification) of each test."""
    answers = {}
    t1, t2 = [], []

    class Test:
        def __init__(self, number):
            self.number, self.digest, self.rows, self.rng = number, Values(), 0, stream(seed, number)

        def answer(self, *rows):
            for row in rows:
                for value in row:
                    self.digest.add(value)
            self.changed(len(rows))

        def changed(self, rows):
            self.digest.word(rows)
            self.rows += rows

        def schema(self, name, table):
            """Columns and indexes of a table, or None where it is not there."""
            self.digest.add(name)
            if table is None:
                return self.digest.add(None)
            columns, indexes = table
            self.digest.word(len(columns))
            for column in columns:
                self.digest.add(column)
            self.digest.word(len(indexes))
            for index in sorted(indexes):
                self.digest.add(index)
                self.digest.add(indexes[index])

        def done(self, *tables):
            for table in tables:
                total = 0
                for row in table:
                    digest = Values()
                    for value in row:
                        digest.add(value)
                    total += digest.value
                self.digest.word(len(table))
                self.digest.word(total)
            self.digest.word(self.rows)
            answers[self.number] = [self.rows, self.digest.text()]

    def count_average(values):
        return len(values), sum(values) / len(values) if values else None

    test = Test(1)
    test.schema("t1", (["a", "b", "c"], {}))
    test.done()

    test = Test(2)
    for i in range(1, 1000 * writes + 1):
        r = test.rng.below(100000)
        t1.append([i, r, words(r)])
        test.changed(1)
    test.done(t1)

    test = Test(3)
    test.answer(t1[0])
    for i in range(1, 100 * writes + 1):
        r = test.rng.below(100000)
        t1[i - 1][1:] = [r, words(r)]
        test.changed(1)
    test.done(t1)

    test = Test(4)
    for i in range(1, 25000 * writes + 1):
        v = (14285 * i - 14284) % 500000
        t2.append([i, v, words(v)])
        test.changed(1)
    test.done(t2)

    ordered = sorted(row[1] for row in t2)
    for number, count, width in [(5, 100, 1000), (8, 5000, 100)]:
        test = Test(number)
        for i in range(count * reads):
            test.answer(count_average([b for b in ordered if 100 * i <= b < 100 * i + width] if number == 5 else
                                      ordered[bisect(ordered, 100 * i):bisect(ordered, 100 * i + width)]))
        test.done()

    test = Test(6)
    for i in range(1, 100 * reads + 1):
        test.answer(count_average([b for _, b, c in t2 if words(i) in c]))
    test.done()

    test = Test(7)
    test.schema("t2", (["a", "b", "c"], {"i2a": "a", "i2b": "b"}))
    test.done()

    test = Test(9)
    for i in range(1000 * writes):
        hit = t1[max(10 * i - 1, 0):10 * (i + 1) - 1]
        for row in hit:
            row[1] *= 2
        test.changed(len(hit))
    test.done(t1)

    test = Test(10)
    for row in t2:
        row[1] = test.rng.below(500000)
        test.changed(1)
    test.done(t2)

    test = Test(11)
    for row in t2:
        row[2] = words(test.rng.below(500000))
        test.changed(1)
    test.done(t2)

    test = Test(12)
    test.changed(len(t2))
    t1 += [list(row) for row in t2]
    test.changed(len(t1))
    t2 += [list(row) for row in t1]
    test.done(t1, t2)

    for number, gone in [(13, lambda row: "fifty" in row[2]), (14, lambda row: 10 < row[0] < 20000)]:
        test = Test(number)
        kept = [row for row in t2 if not gone(row)]
        test.changed(len(t2) - len(kept))
        t2 = kept
        test.done(t2)

    test = Test(15)
    test.changed(len(t1))
    t2 += [list(row) for row in t1]
    test.done(t2)

    test = Test(16)
    test.changed(len(t1))
    t1 = []
    for i in range(1, 3001):
        r = test.rng.below(100000)
        t1.append([i, r, words(r)])
        test.changed(1)
    test.done(t1, t2)

    test = Test(17)
    test.schema("t1", None)
    test.schema("t2", None)
    test.done()

    test = Test(18)
    for i in range(100):
        drawn = [test.rng.below(100000) for _ in range(5)]
        for _ in drawn:
            test.changed(1)
        test.answer(count_average(drawn))
    test.done()
    return answers


def bisect(values, least):
    """The place of the first value that is not below `least`."""
    low, high = 0, len(values)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if values[middle] < least else (low, middle)
    return low


tables = [
    {"size": f"{reads},{writes}" if reads != writes else str(reads), "session_seed": seed,
     "answers": run(reads, writes, stream(seed, 0).next())}
    for reads, writes, seed in [(1, 1, 42), (2, 2, 42), (2, 1, 7)]
]
with open("answers.json", "w") as file:
    json.dump(tables, file, indent=1)
    file.write("\n")
