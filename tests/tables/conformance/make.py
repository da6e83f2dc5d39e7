"""The suites of `dbdyno check-engine` done again in Python, on dicts and lists: what every engine has to answer.

It reads the suites' own files and does them as docs/write-a-suite.md, docs/write-a-sql-suite.md and docs/write-an-engine.md say, sharing no code with the program. SQL is not parsed: a
statement is done by its `direct` plan. Tests of several threads that end with the time have no answer. Run in this folder: python3 make.py
"""

import json
import re
import struct
import sys
import tomllib

sys.path.insert(0, "../shared")
sys.path.insert(0, "..")
from make import fnv1a, rendered, shuffled, words
from model import Digest, stream

SUITES = "../../../assets/conformance/"
SEED = 1
THETA = 0.99


class Zipf:
    """YCSB's generators: Gray and others, "Quickly Generating Billion-Record Synthetic Databases"."""

    def __init__(self, items, zeta=None):
        self.items = items
        self.zeta = zeta or sum(k ** -THETA for k in range(1, items + 1))
        self.eta = (1 - (2 / items) ** (1 - THETA)) / (1 - (1 + 2 ** -THETA) / self.zeta)

    def grown(self):
        return Zipf(self.items + 1, self.zeta + (self.items + 1) ** -THETA)

    def rank(self, rng):
        u = (rng.next() >> 11) / (1 << 53)
        if u * self.zeta < 1:
            return 0
        if u * self.zeta < 1 + 0.5 ** THETA:
            return 1
        return min(int(self.items * (self.eta * u - self.eta + 1) ** (1 / (1 - THETA))), self.items - 1)


def popular(kind, records):
    """Groups of equally popular records, most popular first: how many, and their weight."""
    name, numbers = kind.split(":")
    if name == "hot":
        some, draws = map(float, numbers.split("/"))
        hot = min(max(round(records * some / 100), 1), records - 1)
        return [(hot, round(draws / 100 * 2 ** 40)), (records - hot, round((100 - draws) / 100 * 2 ** 40))]
    groups, rank, exponent = [], 1, float(numbers)
    while rank <= records:
        width = 1 if rank <= 64 else min(rank // 32, records - rank + 1)
        low, high = rank - 0.5, rank + width - 0.5
        many = (low ** (1 - exponent) - high ** (1 - exponent)) / (exponent - 1) if width > 1 else rank ** -exponent
        groups.append((width, many))
        rank += width
    whole = sum(share for _, share in groups)
    return [(width, round(share / whole * 2 ** 40)) for width, share in groups]


class Keys:
    def __init__(self, kind, records, rng, thread=0, threads=1):
        self.kind, self.records, self.inserted, self.rng = kind, records, 0, rng
        self.thread, self.threads = thread, threads
        if ":" in kind:
            self.groups, self.order = popular(kind, records), shuffled(records, 0x706f_7075_6c61_7221)
            self.zipf = None
            return
        self.order = shuffled(records, rng.next()) if kind == "shuffled" else None
        self.zipf = {"zipfian": lambda: Zipf(10 ** 10, 26.46902820178302), "latest": lambda: Zipf(records)}.get(kind, lambda: None)()

    def draw(self, op):
        if ":" in self.kind:
            drawn, first = self.rng.below(sum(weight for _, weight in self.groups)), 0
            for count, weight in self.groups:
                if drawn < weight:
                    return self.order[first + (self.rng.below(count) if count > 1 else 0)]
                drawn, first = drawn - weight, first + count
        if self.kind == "zipfian":
            return fnv1a(self.zipf.rank(self.rng)) % self.records
        if self.kind == "latest":
            return self.records + self.inserted - 1 - self.zipf.rank(self.rng)
        return {"ascending": lambda: op, "shuffled": lambda: self.order[op], "uniform": lambda: self.rng.below(self.records)}[self.kind]()

    def insert(self):
        self.inserted += 1
        if self.kind == "latest":
            self.zipf = self.zipf.grown()
        return self.records + (self.inserted - 1) * self.threads + self.thread


def kv(test, size, databases):
    table = databases.setdefault(test["database"], {})
    if "actor" in test:
        return several(test, size, table)
    digest, rows = work(test, test, size, table, stream(SEED, test["number"]), operations(test, size))
    if test.get("verify_state"):
        add(digest, sorted(table.items()))
    digest.word(rows)
    return [rows, digest.text(), {}]


def several(test, size, table):
    """Threads that read what nobody changes, or add to it: the checksum of each, which ends with its rows, one after the other."""
    all, rows = Digest(), 0
    of_test = stream(SEED, test["number"]).next()
    for number, actor in enumerate(test["actor"]):
        for thread in range(actor["threads"]):
            share = operations(actor, size) // actor["threads"] + (thread < operations(actor, size) % actor["threads"])
            rng = stream(of_test, number << 32 | thread)
            digest, own = work(test, actor, size, table, rng, share, thread, actor["threads"])
            digest.word(own)
            all.word(digest.value)
            rows += own
    all.word(rows)
    return [rows, all.text(), {}]


def operations(of, size):
    return max(round(size * of["operations"]["share"]), of["operations"].get("least", 1))


def add(digest, pairs):
    for key, found in pairs:
        digest.bytes(key)
        digest.bytes(found)


def work(test, of, size, table, rng, count, thread=0, threads=1):
    """So many operations of a test or one of its threads: the digest of what they read, and rows."""
    digest, rows = Digest(), 0
    works, keys = of["work"], Keys(of["keys"], size, rng, thread, threads)
    if works[0]["op"] == "scan":
        add(digest, sorted(table.items()))
        return digest, len(table)
    for op in range(count):
        work, weights = works[0], [work.get("weight", 1) for work in works]
        if len(works) > 1:
            drawn, at = rng.below(sum(weights)), 0
            while drawn >= weights[at]:
                drawn, at = drawn - weights[at], at + 1
            work = works[at]
        index = keys.insert() if work["op"] == "insert" else keys.draw(op)
        key = rendered(test["key"], index, op, rng)
        if work["op"] in ("put", "insert", "modify"):
            new = rendered(work["value"], index, op, rng)
            if work["op"] == "modify" and key in table:
                digest.bytes(table[key])
            table[key] = new
            rows += 1
        elif work["op"] == "get":
            if key in table:
                digest.bytes(table[key])
                rows += 1
        elif work["op"] == "miss":
            assert key + b"~" not in table
        elif work["op"] == "range":
            most = work["least"] + rng.below(work["most"] - work["least"] + 1)
            found = sorted(pair for pair in table.items() if pair[0] >= key)[:most]
            add(digest, found)
            rows += len(found)
        elif work["op"] == "remove":
            table.pop(key, None)
            rows += 1
        else:
            there = key in table
            if work["op"] == "delete":
                table.pop(key, None)
            digest.word(int(there))
            rows += there
    return digest, rows


class Tables:
    """What SQL suites do, by their plans."""

    def __init__(self, suite):
        self.columns = {table["name"]: [column["name"] for column in table["columns"]] for table in suite["table"]}
        self.indexes = {index["name"]: index for index in suite.get("index", [])}
        self.rows, self.made = {}, {}

    def change(self, plan, bound):
        value = lambda it: bound[int(it[1:]) - 1] if isinstance(it, str) and it.startswith("?") else it
        (kind, plan), = plan.items()
        if kind == "copy":
            self.rows[plan["to"]] += [list(row) for row in self.rows[plan["from"]]]
            return len(self.rows[plan["from"]]), None
        table = self.rows[plan["table"]]
        at = {name: place for place, name in enumerate(self.columns[plan["table"]])}
        if kind == "insert":
            table.append(list(bound))
            return 1, None
        (how, where), = plan["where"].items()
        column = at[where["column"]]
        holds = {
            "equal": lambda row: row[column] == value(where["value"]),
            "range": lambda row: value(where["from"]) <= row[column] < value(where["below"]),
            "like": lambda row: value(where["pattern"]).strip("%") in row[column],
        }[how]
        hit = [row for row in table if holds(row)]
        if kind == "read":
            return None, hit
        if kind == "count_average":
            of = [row[at[plan["column"]]] for row in hit]
            return None, [[len(of), sum(of) / len(of) if of else None]]
        if kind == "delete":
            self.rows[plan["table"]] = [row for row in table if not holds(row)]
        if kind == "update":
            for row in hit:
                for name, new in plan["set"].items():
                    row[at[name]] = value(new)
        return len(hit), None


class Values(Digest):
    def add(self, value):
        if value is None:
            self.word(0)
        elif isinstance(value, float):
            self.word(2)
            self.word(struct.unpack("<Q", struct.pack("<d", value))[0])
        elif isinstance(value, int):
            self.word(1)
            self.word(value)
        elif isinstance(value, bytes):
            self.word(4)
            self.bytes(value)
        else:
            self.word(3)
            self.bytes(value.encode())


def expression(text, names):
    """Python works out what suites have between numbers alike, but for / and a division by 0, which is not met here."""
    return eval(str(text).replace("/", "//"), {"__builtins__": {}}, names)


def parameter(spec, names, rng, kept):
    if not isinstance(spec, dict):
        return expression(spec, names)
    if "text" in spec:
        return spec["text"]
    if "kept" in spec:
        row = kept.get(spec["kept"], [])
        return row[spec.get("column", 0)] if spec.get("column", 0) < len(row) else None
    if "one_of" in spec:
        one = spec["one_of"][expression(spec["at"], names) % len(spec["one_of"])]
        return one if not isinstance(one, dict) else bytes.fromhex(one["blob"]) if "blob" in one else None
    if "format" in spec:
        made = rendered(spec["format"], expression(spec["key"], names), 0, rng)
        if spec.get("blob"):
            return made
        return bytes(byte if 0x20 <= byte <= 0x7E else ord("a") + byte % 26 for byte in made).decode()
    if "real" in spec:
        return expression(spec["real"], names) / spec["per"]
    if "words" in spec:
        return spec.get("prefix", "") + words(expression(spec["words"], names)) + spec.get("suffix", "")
    return spec.get("prefix", "") + str(expression(spec["digits"], names)).zfill(spec.get("width", 1)) + spec.get("suffix", "")


class Popular:
    """Numbers of which some are more popular than others, scattered over all."""

    def __init__(self, spec, names):
        records = expression(spec["below"], names)
        self.groups = popular(spec["keys"], records)
        self.order = shuffled(records, 0x706F70756C617221)

    def draw(self, rng):
        at, first = rng.below(sum(weight for _, weight in self.groups)), 0
        for records, weight in self.groups:
            if at < weight:
                return self.order[first + (rng.below(records) if records > 1 else 0)]
            at, first = at - weight, first + records


def sql(test, size, tables):
    rng, digest, rows = stream(SEED, test["number"]), Values(), 0
    actors = test.get("actors", [])
    # The rows that were kept, and under each name the sum of the answers' checksums and the rows.
    kept, named = {}, {}

    def do(steps, names):
        nonlocal rows
        for step in steps:
            if "create_table" in step:
                tables.rows[step["create_table"]], tables.made[step["create_table"]] = [], {}
            elif "create_index" in step:
                index = tables.indexes[step["create_index"]]
                tables.made[index["table"]][index["name"]] = index["column"]
            elif "drop_table" in step:
                del tables.rows[step["drop_table"]], tables.made[step["drop_table"]]
            elif "transaction" in step:
                do(step["transaction"], names)
            elif "mix" in step:
                at = rng.below(sum(choice["weight"] for choice in step["mix"]))
                for choice in step["mix"]:
                    at -= choice["weight"]
                    if at < 0:
                        break
                do(choice["steps"], names)
            elif "repeat" in step:
                begin = expression(step.get("from", 0), names)
                for count in range(begin, begin + expression(step["repeat"], names)):
                    do(step["steps"], {**names, step.get("as", "i"): count})
            else:
                drawn = {}
                for name, spec in sorted(step.get("draw", {}).items()):
                    is_popular = isinstance(spec, dict)
                    drawn[name] = Popular(spec, names).draw(rng) if is_popular else rng.below(expression(spec, names))
                bound = [parameter(spec, {**names, **drawn}, rng, kept) for spec in step.get("bind", [])]
                changed, answer = tables.change(step["direct"], bound)
                own = Values()
                for row in answer or []:
                    for value in row:
                        digest.add(value)
                        own.add(value)
                changed = len(answer) if answer is not None else changed
                if "keep" in step:
                    kept[step["keep"]] = list(answer[0]) if answer else []
                digest.word(changed)
                own.word(changed)
                rows += changed
                if "name" in step:
                    total, count = named.get(step["name"], (0, 0))
                    named[step["name"]] = total + own.value, count + changed

    do(test.get("steps", []), {"R": size, "W": size})
    # Each thread draws from a stream of its own. Threads that write have no answers: only the tables at the end are certain.
    of_test, ordinal = rng.next() if actors else 0, 0
    for actor in actors:
        for thread in range(actor["threads"]):
            rng = stream(of_test, ordinal)
            do(actor["steps"], {"R": size, "W": size, "thread": thread})
            ordinal += 1
    if actors:
        digest, named = Values(), {}
    for name in test.get("verify", []):
        total = 0
        for row in tables.rows[name]:
            of_row = Values()
            for value in row:
                of_row.add(value)
            total += of_row.value
        digest.word(len(tables.rows[name]))
        digest.word(total)
    for name in test.get("verify_schema", []):
        digest.add(name)
        if name not in tables.made:
            digest.add(None)
            continue
        digest.word(len(tables.columns[name]))
        for column in tables.columns[name]:
            digest.add(column)
        digest.word(len(tables.made[name]))
        for index, column in sorted(tables.made[name].items()):
            digest.add(index)
            digest.add(column)
    digest.word(0 if actors else rows)
    return [rows, digest.text(), {name: of_name(*sums) for name, sums in named.items()}]


def of_name(total, rows):
    digest = Values()
    digest.word(total)
    digest.word(rows)
    return digest.text()


def answers(name):
    with open(SUITES + name + ".toml") as file:
        # Inline tables of several lines are TOML 1.1, which tomllib does not read.
        suite = tomllib.loads(re.sub(r",\s*}", "}", re.sub(r"\n +", " ", file.read())))
    size, = suite["size"]["default"]
    known = {}
    for test in suite["test"]:
        if any("operations" not in actor for actor in test.get("actor", [])):
            continue
        wanted = [one for one in suite["test"] if one["number"] in test.get("needs", [])] + [test]
        state = {} if suite["kind"] == "kv" else Tables(suite)
        for one in wanted:
            known[test["number"]] = (kv if suite["kind"] == "kv" else sql)(one, size, state)
    return known


def written(known):
    line = lambda number, answer: f'    "{number}": {json.dumps(answer)}'
    suite = lambda name, of: f'  "{name}": {{\n' + ",\n".join(line(*one) for one in of.items()) + "\n  }"
    return "{\n" + ",\n".join(suite(*one) for one in known.items()) + "\n}\n"


if __name__ == "__main__":
    with open(SUITES + "answers.json", "w") as file:
        file.write(written({name: answers(name) for name in ["kv", "kv-more", "sql", "sql-more"]}))
