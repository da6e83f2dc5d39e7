#!/usr/bin/env python3
"""What the screens cost, measured on the release build: python3 tests/measurements/screens.py PROGRAM [WORK_DIR]

1. A session while the Live screen shows it, against the same session while the screens stand still (SIGSTOP), in pairs of blocks of
   seconds: the ratio of the tests' wall times, with the signed-rank interval (needs the package duckdb). Sessions drift by more than
   the screens cost, so both sides are in one session.
2. CPU time and bytes written while nothing happens for twenty seconds.
3. Time from starting the program to its first painted screen, with a store of 100,000 results; fifteen starts.
4. Two groups of 100,000 results on the Compare screen: from starting the program to the table, five times; and from each key there to what
   it shows, with a million results in the store.
"""
import fcntl, itertools, math, os, pty, select, signal, statistics, struct, subprocess, termios, time
import duckdb
from store import FOLDER, PROGRAM, environment, first_session, grow

PRESET = """title = "what the screens cost"
suite = "kv"
sizes = [50000]
repeats = 10000
tests = [2, 4, 7]
[[engine]]
name = "lmdb"
[[engine]]
name = "sqlite"
options = { journal_mode = "wal", synchronous = "off" }
"""

# Pairs of blocks, the seconds of each, and those between two blocks.
PAIRS, BLOCK, SETTLING = 200, 1.2, 0.4


def terminal(store, *arguments):
    """Starts the program in a pseudo-terminal of 120 x 40."""
    process, master = pty.fork()
    if process == 0:
        os.execve(PROGRAM, [PROGRAM, *arguments], {**environment(store), "TERM": "xterm-256color"})
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    os.kill(process, signal.SIGWINCH)
    return process, master


def read_until(master, text, patience=120):
    """Reads until the text has been painted; what was read."""
    seen, end = b"", time.monotonic() + patience
    while text not in seen:
        assert time.monotonic() < end, f"{text!r} was not painted: {seen[-2000:]!r}"
        if select.select([master], [], [], 0.2)[0]:
            seen += os.read(master, 65536)
    return seen


def drain(master, seconds):
    """Bytes painted within some seconds."""
    count, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        if select.select([master], [], [], 0.1)[0]:
            count += len(os.read(master, 65536))
    return count


def leave(process, master):
    os.write(master, b"q")
    end = time.monotonic() + 20
    while os.waitpid(process, os.WNOHANG) == (0, 0):
        assert time.monotonic() < end, "the program did not leave"
        if select.select([master], [], [], 0.05)[0]:
            try:
                os.read(master, 65536)
            except OSError:
                pass
    os.close(master)


def begin(store):
    """Starts the program and its session; the process and the terminal."""
    process, master = terminal(store)
    read_until(master, b"Reproduce a publication")
    os.write(master, b"p")
    read_until(master, b"Load a preset")
    os.write(master, b"cost\r")
    time.sleep(0.3)
    os.write(master, b"\r")
    time.sleep(1)
    os.write(master, b"y")
    return process, master


def runs(store):
    """Begin and end of each run, and the wall times of its tests by engine and test."""
    query = """SELECT epoch(r.started_at), epoch(r.finished_at), r.engine, t.test, t.wall_ns
        FROM result t JOIN run r USING (run_id) WHERE t.failure IS NULL AND r.status = 'done' ORDER BY 1, 2"""
    with duckdb.connect(store, read_only=True) as connection:
        rows = connection.execute(query).fetchall()
    found = {}
    for start, end, engine, test, wall in rows:
        found.setdefault((start, end), {})[engine, test] = wall
    return found


def interval(logs):
    """Hodges-Lehmann and the 95 % signed-rank interval of ten or so paired logarithms."""
    walsh = sorted((a + b) / 2 for a, b in itertools.combinations_with_replacement(logs, 2))
    n = len(logs)
    counts = {0: 1}
    for rank in range(1, n + 1):
        counts = {s: counts.get(s, 0) + counts.get(s - rank, 0) for s in set(counts) | {s + rank for s in counts}}
    below, k = 0, 0
    while (below + counts.get(k, 0)) / 2**n <= 0.025:
        below += counts.get(k, 0)
        k += 1
    k = max(k, 1)
    return [math.exp(value) for value in (statistics.median(walsh), walsh[k - 1], walsh[-k])]


def blocks(process, master):
    """Lets the screens work and stand still in turn, in an order that reverses: (begin, end, watched) of each block."""
    found = []
    for pair in range(PAIRS):
        for watched in (True, False) if pair % 2 == 0 else (False, True):
            os.kill(process, signal.SIGCONT if watched else signal.SIGSTOP)
            # What came while they stood still is painted first.
            drain(master, SETTLING)
            begin = time.time()
            drain(master, BLOCK)
            found.append((begin, time.time(), watched))
    os.kill(process, signal.SIGCONT)
    return found


def compare_live():
    store = f"{FOLDER}/watched.duckdb"
    process, master = begin(store)
    drain(master, 5)
    all_blocks = blocks(process, master)
    before = own_cpu_seconds(process)
    painted = drain(master, 10)
    print(f"live: {(own_cpu_seconds(process) - before) * 10:.1f} % of a CPU, {painted / 10240:.1f} KiB/s painted")
    # The session is ended, and its runs are kept.
    os.write(master, b"K")
    time.sleep(0.5)
    os.write(master, b"y")
    # Thousands of runs are brought from the journal into the store.
    drain(master, 30)
    leave(process, master)
    measured = runs(store)
    # Medians of blocks: a run in a few is twice as long, for reasons of the machine.
    medians = []
    for begin_, end, _ in all_blocks:
        of_block = {}
        for (start, done), tests in measured.items():
            for key, wall in tests.items() if begin_ <= start and done <= end else ():
                of_block.setdefault(key, []).append(math.log(wall))
        medians.append({key: statistics.median(walls) for key, walls in of_block.items()})
    logs = []
    for at in range(0, len(all_blocks), 2):
        one, other = medians[at], medians[at + 1]
        log = statistics.mean(one[key] - other[key] for key in one.keys() & other.keys())
        logs.append(log if all_blocks[at][2] else -log)
    ratio, low, high = interval(logs)
    print(f"all tests together: watched/not {ratio:.3f} [{low:.3f}, {high:.3f}], {len(logs)} pairs, {len(measured)} runs")


def own_cpu_seconds(process):
    """Of a process without its children."""
    fields = open(f"/proc/{process}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def cpu_seconds(process):
    """Of a process and its children: what is in the terminal, and what measures and paints."""
    children = open(f"/proc/{process}/task/{process}/children").read().split()
    return own_cpu_seconds(process) + sum(cpu_seconds(child) for child in children)


def idle():
    process, master = terminal(f"{FOLDER}/watched.duckdb")
    read_until(master, b"Reproduce a publication")
    drain(master, 4)
    before = cpu_seconds(process)
    painted = drain(master, 20)
    print(f"idle for 20 s: {(cpu_seconds(process) - before) * 1000:.0f} ms of CPU time, {painted} bytes painted")
    leave(process, master)


def first_frame():
    store = f"{FOLDER}/large.duckdb"
    with duckdb.connect(f"{FOLDER}/watched.duckdb") as connection:
        connection.execute(f"ATTACH '{store}' AS large; COPY FROM DATABASE watched TO large")
    with duckdb.connect(store) as connection:
        results = connection.execute("SELECT count(*) FROM result").fetchone()[0]
        copies = -(-100_000 // results)
        connection.execute(f"CREATE TEMP TABLE copies AS SELECT range AS copy FROM range(1, {copies + 1})")
        anew = "(uuid()::VARCHAR)::UUID"
        connection.execute(f"CREATE TEMP TABLE fresh AS SELECT run_id, copy, {anew} AS fresh FROM run, copies")
        for table in ("run", "run_option", "result"):
            connection.execute(f"INSERT INTO {table} SELECT f.fresh AS run_id, t.* EXCLUDE (run_id) FROM {table} t JOIN fresh f USING (run_id)")
        print(connection.execute("SELECT count(*) FROM result").fetchone()[0], "results in the store")
    taken = []
    for _ in range(15):
        begun = time.monotonic()
        process, master = terminal(store)
        read_until(master, b"Reproduce a publication")
        taken.append((time.monotonic() - begun) * 1000)
        leave(process, master)
    print(f"first frame: median {statistics.median(taken):.0f} ms, slowest {max(taken):.0f} ms of {len(taken)} starts")


def large_groups():
    template, large, million = (f"{FOLDER}/{name}.duckdb" for name in ("template", "groups", "million"))
    first_session(template)
    # Three engines, of which two are compared.
    grow(template, large, 300_000)
    taken = []
    for _ in range(5):
        begun = time.monotonic()
        process, master = terminal(large, "tui", "--screen", "compare", "--a", "engine=lmdb", "--b", "engine=sqlite")
        read_until(master, b"geometric mean")
        taken.append(time.monotonic() - begun)
        leave(process, master)
    print(f"two groups of 100,000 results: compared {statistics.median(taken):.2f} s after the start, slowest {max(taken):.2f} s")
    grow(template, million, 1_000_000)
    process, master = terminal(million)
    read_until(master, b"Reproduce a publication")
    slowest = {}
    for _ in range(5):
        for key in ("3", "j", "s", "v", "g", "\x1b", "4", "5", "6", "7", "1", "?", "\x1b", ":", "\x1b"):
            drain(master, 0.5)
            begun = time.monotonic()
            os.write(master, key.encode())
            if select.select([master], [], [], 5)[0]:
                slowest[key] = max(slowest.get(key, 0), (time.monotonic() - begun) * 1000)
    print("keys with a million results, the slowest of five:", ", ".join(f"{key!r} {ms:.0f} ms" for key, ms in slowest.items()))
    leave(process, master)


if __name__ == "__main__":
    os.makedirs(f"{FOLDER}/config/presets")
    open(f"{FOLDER}/config/presets/cost.toml", "w").write(PRESET)
    compare_live()
    idle()
    first_frame()
    large_groups()
    subprocess.run(["rm", "-rf", FOLDER], check=True)
