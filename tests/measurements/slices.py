#!/usr/bin/env python3
"""What slices gain and cost, measured on the release build: python3 tests/measurements/slices.py PROGRAM [WORK_DIR] [ROUNDS] [PARTS]

The machine must do nothing else. PARTS is a text of some of these letters; the default is all of them.

e  Real engines, in whole runs and in slices: the ratio, the standard deviation of a round's log ratio, the time in slices
   beside the time in whole runs, and the seconds until a difference of 5 % or 1 % is decided at that deviation. On a quiet machine,
   and beside neighbours that work in bursts, for a steady share of the time, and ever more.
d  A true difference of 5 % (the engine `null`, whose operations turn in a loop) beside those neighbours: rounds and seconds until
   `--until-decided` decides it.
a  The same without a difference: how often one is called.
p  A true difference of 1 % on a quiet machine: how often it is found within ten seconds.
g  How far ratios of slices are from those of whole runs, on a quiet machine: sessions of both kinds in turn, with the same seeds. Also
   once the time that dbdyno puts down to the turns of others is taken off.

Needs the packages duckdb and scipy.
"""
import json, math, os, shutil, statistics, subprocess, sys, tempfile, time
import duckdb, scipy.stats

PROGRAM = os.path.abspath(sys.argv[1])
FOLDER = tempfile.mkdtemp(prefix="dbdyno-measure-", dir=sys.argv[2] if len(sys.argv) > 2 else os.path.expanduser("~/.cache"))
ROUNDS = int(sys.argv[3]) if len(sys.argv) > 3 else 12
PARTS = sys.argv[4] if len(sys.argv) > 4 else "edapg"
ENGINES = ["lmdb", "redb", "sqlite:journal_mode=wal", "fjall:persist=sync_data", "rocksdb"]
# As in kv and ycsb, but long enough for many slices: a test of a few milliseconds has one.
WORKLOADS = {"reads": "read=100,rows=100k,operations=200k", "reads and commits": "read=50,update=50,rows=100k,operations=4k"}
# Normal quantiles of an error of 5 % and of a miss in one of ten.
NEEDED = (1.96 + 1.28) ** 2
BURSTS = "end = time.monotonic() + rng.expovariate(10)\n    while time.monotonic() < end: pass\n    time.sleep(rng.expovariate(10))"
SHARE = "end = time.monotonic() + 0.002\n    while time.monotonic() < end: pass\n    time.sleep(0.006)"
DRIFT = "end = time.monotonic() + min(0.009, 0.0001 * (time.monotonic() - begun))\n    while time.monotonic() < end: pass\n    time.sleep(0.005)"
NEIGHBOURS = {"quiet": None, "bursts": BURSTS, "a quarter of each CPU": SHARE, "more and more": DRIFT}
# Reads of one thread, of 25 µs each: a quarter of a second.
WORK = "read=100,rows=1k,operations=10k"


class Neighbour:
    """A process on each CPU that takes some of its time."""

    def __init__(self, kind):
        code = f"import random, time\nrng, begun = random.Random(), time.monotonic()\nwhile True:\n    {NEIGHBOURS[kind]}"
        count = os.cpu_count() if NEIGHBOURS[kind] else 0
        self.processes = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(count)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.wait()


def run(store, *more):
    command = [PROGRAM, "--store", f"{FOLDER}/{store}.duckdb", "run", *more, "--work-dir", f"{FOLDER}/work", "--quiet"]
    begun = time.monotonic()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode not in (0, 1):
        sys.exit(done.stderr)
    return time.monotonic() - begun


def rows(store, sql):
    with duckdb.connect(f"{FOLDER}/{store}.duckdb", read_only=True) as connection:
        return connection.execute(sql).fetchall()


def compared(store, a, b):
    command = [PROGRAM, "--store", f"{FOLDER}/{store}.duckdb", "compare", a, b, "--format", "json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["lines"][0]


def available(engine):
    return subprocess.run([PROGRAM, "run", "--suite", "kv", "--size", "10", "--engine", engine, "--dry-run"], capture_output=True).returncode == 0


def times(store):
    """The times of each test by its name, engine and round."""
    found = {}
    sql = "SELECT t.test_name, r.engine, r.round, t.wall_ns FROM result t JOIN run r USING (run_id) WHERE r.status = 'done'"
    for name, engine, number, wall in rows(store, sql):
        found.setdefault((name, engine), {})[number] = wall
    return found


def engines(kind, work):
    names = [engine for engine in ENGINES if available(engine)]
    words = [word for engine in names for word in ("--engine", engine)]
    walls, took = {}, {}
    for slices in ("off", "on"):
        store = f"{work}-{slices}-{list(NEIGHBOURS).index(kind)}"
        took[slices] = run(store, "--workload", WORKLOADS[work], *words, "--repeat", str(ROUNDS), "--seed", "1", "--slices", slices, "--allow", "tiers")
        walls[slices] = times(store)
    print(f"\n{work}, {kind}: {took['off']:.1f} s in whole runs, {took['on']:.1f} s in slices")
    print(f"{'test':20} {'engine':8} {'ratio':>7} {'sliced':>7} {'sd':>7} {'sliced':>7} {'cost':>6} {'5 %: s':>8} {'sliced':>7} {'1 %: s':>8} {'sliced':>7}")
    first = names[0].split(":")[0]
    for name, engine in walls["off"]:
        if engine == first:
            continue
        ratios, sds, seconds = [], [], []
        for slices in ("off", "on"):
            a, b = walls[slices].get((name, engine), {}), walls[slices].get((name, first), {})
            logs = [math.log(a[at] / b[at]) for at in a if at in b]
            if len(logs) < 3:
                break
            pair = (statistics.median(a.values()) + statistics.median(b.values())) / 1e9
            ratios.append(math.exp(statistics.median(logs)))
            sds.append(statistics.stdev(logs))
            seconds.append([max(8, math.ceil(NEEDED * (sds[-1] / math.log(by)) ** 2)) * pair for by in (1.05, 1.01)])
        else:
            cost = statistics.median(walls["on"][name, engine].values()) / statistics.median(walls["off"][name, engine].values())
            (five, one), (five_sliced, one_sliced) = seconds
            print(f"{name:20} {engine:8} {ratios[0]:7.3f} {ratios[1]:7.3f} {sds[0]:7.4f} {sds[1]:7.4f} {cost:6.3f} {five:8.2f} {five_sliced:7.2f} {one:8.2f} {one_sliced:7.2f}")


def agreement(work, sessions):
    """Prints the ratios of both kinds, and how far they are apart with the interval of 95 % (Student's t, of sessions)."""
    names = [engine for engine in ENGINES if available(engine)]
    words = [word for engine in names for word in ("--engine", engine)]
    for at in range(sessions):
        for slices in ("off", "on") if at % 2 == 0 else ("on", "off"):
            more = ["--repeat", "2", "--seed", str(at), "--slices", slices, "--allow", "tiers"]
            run(f"agreement-{work}-{slices}", "--workload", WORKLOADS[work], *words, *more)
    sql = """SELECT t.test_name, r.engine, s.seed, avg(ln(t.wall_ns - {off})) FROM result t JOIN run r USING (run_id)
             JOIN session s USING (session_id) WHERE r.status = 'done' GROUP BY ALL"""
    def logs(slices, off="0"):
        return {(test, engine, seed): log for test, engine, seed, log in rows(f"agreement-{work}-{slices}", sql.format(off=off))}
    kinds = [logs("off"), logs("on"), logs("on", "coalesce(t.returning_ns, 0)")]
    first = names[0].split(":")[0]
    print(f"\n{work}, {sessions} sessions of each kind\n{'test':20} {'engine':8} {'whole':>7} {'sliced':>7} {'apart':>22} {'less turns: apart':>24}")
    for test, engine in dict.fromkeys(key[:2] for key in kinds[0]):
        if engine == first:
            continue
        seeds = [at for at in range(sessions) if all((test, name, at) in kind for kind in kinds for name in (engine, first))]
        ratios = [[kind[test, engine, at] - kind[test, first, at] for at in seeds] for kind in kinds]
        apart = []
        for sliced in ratios[1:]:
            each = [b - a for a, b in zip(ratios[0], sliced)]
            half = scipy.stats.t.ppf(0.975, len(each) - 1) * statistics.stdev(each) / len(each) ** 0.5
            apart.append("{:+.1%} ({:+.1%} to {:+.1%})".format(*(math.exp(statistics.mean(each) + by) - 1 for by in (0, -half, half))))
        whole, sliced = (math.exp(statistics.mean(kind)) for kind in ratios[:2])
        print(f"{test:20} {engine:8} {whole:7.3f} {sliced:7.3f} {apart[0]:>22} {apart[1]:>24}", flush=True)


def verdict(slices, spins, *more):
    """Runs a session. Returns the verdict, the rounds and the seconds."""
    store = f"decided-{time.monotonic_ns()}"
    took = run(store, "--workload", WORK, "--engine", f"null:spins=1000|{spins}", "--slices", slices, *more)
    line = compared(store, f"spins={spins}", "spins=1000")
    os.remove(f"{FOLDER}/{store}.duckdb")
    return line["found"]["verdict"]["word"], len(line["a"]["values"]), took


def until_decided(kind, tries):
    for slices in ("off", "on"):
        found = [verdict(slices, 1050, "--until-decided=150") for _ in range(tries)]
        words = [word for word, _, _ in found]
        rounds, seconds = ([one[at] for one in found] for at in (1, 2))
        print(f"5 % beside {kind}, slices {slices}: {words.count('slower')} of {tries} right, {words.count('faster')} wrong; "
              f"rounds {statistics.median(rounds):.0f} ({min(rounds)}-{max(rounds)}), {statistics.median(seconds):.1f} s ({min(seconds):.1f}-{max(seconds):.1f})", flush=True)


def equal(kind, slices, tries):
    found = [verdict(slices, 1001, "--until-decided=9") for _ in range(tries)]
    wrong = sum(word in ("slower", "faster") for word, _, _ in found)
    print(f"no difference beside {kind}, slices {slices}: one was called in {wrong} of {tries}", flush=True)


def main():
    if "e" in PARTS:
        for kind in NEIGHBOURS:
            for work in WORKLOADS:
                with Neighbour(kind):
                    engines(kind, work)
    if "d" in PARTS:
        for kind in NEIGHBOURS:
            with Neighbour(kind):
                until_decided(kind, 5)
    if "a" in PARTS:
        for kind in ("quiet", "bursts"):
            with Neighbour(kind):
                equal(kind, "on", 60)
    if "p" in PARTS:
        # Not until all is decided: that may end as soon as the two are the same within 3 %. Without A against A, dbdyno calls no
        # difference below 1 %.
        found = [verdict("on", 1010, "--repeat", "150", "--budget", "10s", "--aa") for _ in range(10)]
        right = sum(word == "slower" for word, _, _ in found)
        print(f"1 % on a quiet machine: found within 10 s in {right} of 10; rounds {[rounds for _, rounds, _ in found]}, seconds {[round(seconds, 1) for _, _, seconds in found]}")
    if "g" in PARTS:
        for work in WORKLOADS:
            agreement(work, ROUNDS)
    shutil.rmtree(FOLDER)


if __name__ == "__main__":
    main()
