#!/usr/bin/env python3
"""What slices gain, measured on the release build: python3 tests/measurements/slices.py PROGRAM [WORK_DIR] [ROUNDS]

The same engines on the same suite, in whole runs and in slices, on a machine that does nothing else and beside a neighbour that works in
bursts. For each test and pair of engines: the ratio, the standard deviation of a round's log ratio, and how many rounds a difference of
5 % needs at that deviation. Sessions of whole runs and of slices come in turn. Needs the package duckdb.
"""
import math, os, random, statistics, subprocess, sys, tempfile, time
import duckdb

PROGRAM = os.path.abspath(sys.argv[1])
FOLDER = tempfile.mkdtemp(prefix="dbdyno-measure-", dir=sys.argv[2] if len(sys.argv) > 2 else os.path.expanduser("~/.cache"))
ROUNDS = int(sys.argv[3]) if len(sys.argv) > 3 else 12
ENGINES = ["lmdb", "redb", "sqlite:journal_mode=wal", "fjall:persist=sync_data"]
TESTS = "2,4,5,6,7,8"
# Normal quantiles of an error of 5 % and of a miss in one of ten.
NEEDED = (1.96 + 1.28) ** 2


def neighbour():
    """A process that works in bursts of up to a fifth of a second, on as many CPUs as there are."""
    code = """import random, time
rng = random.Random()
while True:
    end = time.monotonic() + rng.expovariate(10)
    while time.monotonic() < end: pass
    time.sleep(rng.expovariate(10))"""
    return [subprocess.Popen([sys.executable, "-c", code]) for _ in range(os.cpu_count())]


def session(slices, seed):
    store = f"{FOLDER}/{slices}-{seed}.duckdb"
    engines = [word for engine in ENGINES for word in ("--engine", engine)]
    command = [PROGRAM, "--store", store, "run", "--suite", "kv", "--size", "10000", "--test", TESTS, *engines]
    command += ["--repeat", str(ROUNDS), "--seed", str(seed), "--slices", slices, "--work-dir", f"{FOLDER}/work", "--quiet"]
    begun = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return store, time.monotonic() - begun


def log_ratios(store):
    """By test and pair of engines."""
    with duckdb.connect(store, read_only=True) as connection:
        rows = connection.execute("SELECT t.test, t.test_name, r.engine, r.round, t.wall_ns FROM result t JOIN run r USING (run_id)").fetchall()
    names, walls = {}, {}
    for test, name, engine, number, wall in rows:
        names[test] = name
        walls.setdefault((test, engine), {})[number] = wall
    engines = [engine.split(":")[0] for engine in ENGINES]
    found = {}
    for test in names:
        for place, one in enumerate(engines):
            for other in engines[place + 1:]:
                a, b = walls.get((test, one), {}), walls.get((test, other), {})
                found[test, names[test], one, other] = [math.log(a[at] / b[at]) for at in a if at in b]
    return found


def main():
    for place in ("quiet", "beside a neighbour in bursts"):
        others = neighbour() if place != "quiet" else []
        stores = {}
        for slices in ("off", "on"):
            stores[slices], took = session(slices, 1)
            print(f"{place}, slices {slices}: {took:.1f} s")
        for other in others:
            other.kill()
        whole, sliced = log_ratios(stores["off"]), log_ratios(stores["on"])
        print(f"{'test':24} {'pair':14} {'ratio':>7} {'sliced':>7} {'sd':>7} {'sliced':>7} {'rounds for 5 %':>15} {'sliced':>7}")
        for key in whole:
            a, b = whole[key], sliced.get(key, [])
            if len(a) < 3 or len(b) < 3:
                continue
            sds = [statistics.stdev(logs) for logs in (a, b)]
            rounds = [max(6, math.ceil(NEEDED * (sd / math.log(1.05)) ** 2)) for sd in sds]
            ratios = [math.exp(statistics.median(logs)) for logs in (a, b)]
            _, name, one, other = key
            print(f"{name:24} {one + '/' + other:14} {ratios[0]:7.3f} {ratios[1]:7.3f} {sds[0]:7.4f} {sds[1]:7.4f} {rounds[0]:15} {rounds[1]:7}")
    subprocess.run(["rm", "-rf", FOLDER], check=True)


if __name__ == "__main__":
    main()
