#!/usr/bin/env python3
"""What a run takes beside its tests, measured on the release build: python3 tests/measurements/runs.py PROGRAM [WORK_DIR] [REPEATS]

The machine must do nothing else. A session of 5 rounds and one of 45 are compared, so that what a session takes once cancels. The time of
the tests is what dbdyno reports for all of them, measured or not. Needs the package duckdb.
"""
import os, resource, shutil, statistics, subprocess, sys, tempfile, time
import duckdb

PROGRAM = os.path.abspath(sys.argv[1])
FOLDER = tempfile.mkdtemp(prefix="dbdyno-measure-", dir=sys.argv[2] if len(sys.argv) > 2 else os.path.expanduser("~/.cache"))
REPEATS = int(sys.argv[3]) if len(sys.argv) > 3 else 7
ENGINES = ["null", "sqlite", "lmdb", "redb", "fjall"]
FEW, MANY = 5, 45


def session(*arguments):
    """Runs a session. Returns its wall time, the CPU time of all its processes, and the wall time of its tests, s."""
    store = f"{FOLDER}/results.duckdb"
    cpu = lambda: sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    before, begun = cpu(), time.monotonic()
    command = [PROGRAM, "--store", store, *arguments, "--work-dir", f"{FOLDER}/work", "--quiet"]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    wall, used = time.monotonic() - begun, cpu() - before
    if done.returncode not in (0, 1):
        sys.exit(done.stderr)
    with duckdb.connect(store, read_only=True) as connection:
        (tests, runs), = connection.execute("SELECT sum(wall_ns) / 1e9, count(DISTINCT run_id) FROM result").fetchall()
    os.remove(store)
    return wall, used, tests, runs


def main():
    print(f"{'engine':8} {'a run beside its test, ms':>26} {'least-most':>14} {'CPU, ms':>8}")
    for engine in ENGINES:
        common = ["run", "--suite", "kv", "--size", "1000", "--test", "Sequential writes", "--engine", engine]
        beside, used = [], []
        for _ in range(REPEATS):
            few, many = (session(*common, "--repeat", str(rounds)) for rounds in (FEW, MANY))
            wall, cpu, tests, runs = (b - a for a, b in zip(few, many))
            beside.append((wall - tests) / runs * 1e3)
            used.append((cpu - tests) / runs * 1e3)
        print(f"{engine:8} {statistics.median(beside):26.1f} {min(beside):7.1f}-{max(beside):.1f} {statistics.median(used):8.1f}", flush=True)
    found = [session("--preset", "quick") for _ in range(REPEATS)]
    wall, _, tests, runs = (statistics.median(column) for column in zip(*found))
    print(f"quick: {wall:.2f} s, {runs:.0f} runs, {tests:.2f} s of tests: {1 - tests / wall:.0%} beside them")
    shutil.rmtree(FOLDER)


if __name__ == "__main__":
    main()
