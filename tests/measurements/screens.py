#!/usr/bin/env python3
"""What the screens cost, measured on the release build: python3 tests/measurements/screens.py PROGRAM [WORK_DIR]

1. A session watched on the Live screen against the same session without a terminal, in ten pairs that alternate which comes
   first: ratios of the tests' wall times, with the signed-rank interval (needs the packages duckdb and scipy).
2. CPU time and bytes written while nothing happens for twenty seconds.
3. Time from starting the program to its first painted screen, with a store of 100,000 results; fifteen starts.
"""
import fcntl, itertools, math, os, pty, select, signal, statistics, struct, subprocess, sys, tempfile, termios, time
import duckdb

PROGRAM = os.path.abspath(sys.argv[1])
FOLDER = tempfile.mkdtemp(prefix="dbdyno-measure-", dir=sys.argv[2] if len(sys.argv) > 2 else os.path.expanduser("~/.cache"))
PRESET = """title = "what the screens cost"
suite = "kv"
sizes = [50000]
repeats = 1
tests = [2, 4, 7]
[[engine]]
name = "lmdb"
[[engine]]
name = "sqlite"
options = { journal_mode = "wal", synchronous = "off" }
"""


def environment(store):
    places = {"DBDYNO_STORE": store, "DBDYNO_CONFIG": f"{FOLDER}/config", "DBDYNO_WORK_DIR": f"{FOLDER}/work"}
    return {**os.environ, **places, "TERM": "xterm-256color"}


def terminal(store):
    """Starts the program in a pseudo-terminal of 120 x 40."""
    process, master = pty.fork()
    if process == 0:
        os.execve(PROGRAM, [PROGRAM], environment(store))
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


def watched(store):
    process, master = terminal(store)
    read_until(master, b"Suite")
    os.write(master, b"p")
    read_until(master, b"Load a preset")
    os.write(master, b"cost\r")
    time.sleep(0.3)
    os.write(master, b"\r")
    # The line that says so; cells that do not change are not painted again, so not every text is there in one piece.
    read_until(master, b"there compares")
    leave(process, master)


def headless(store):
    subprocess.run([PROGRAM, "--preset", "cost", "--quiet"], env=environment(store), check=True, stdout=subprocess.DEVNULL)


def times(store):
    """Wall time of each engine and test of the store's only session."""
    with duckdb.connect(store, read_only=True) as connection:
        rows = connection.execute("SELECT engine, test, wall_ns FROM results WHERE status = 'ok'").fetchall()
    return {(engine, test): wall for engine, test, wall in rows}


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


def compare_live():
    pairs = []
    for pair in range(10):
        stores = {}
        order = [("watched", watched), ("headless", headless)]
        for name, run in order if pair % 2 == 0 else reversed(order):
            stores[name] = f"{FOLDER}/{name}-{pair}.duckdb"
            run(stores[name])
        pairs.append((times(stores["watched"]), times(stores["headless"])))
    for key in sorted(pairs[0][1]):
        logs = [math.log(watched[key] / headless[key]) for watched, headless in pairs]
        ratio, low, high = interval(logs)
        print(f"{key[0]:8} test {key[1]}: watched/headless {ratio:.3f} [{low:.3f}, {high:.3f}]")
    means = [statistics.mean(math.log(watched[key] / headless[key]) for key in headless) for watched, headless in pairs]
    ratio, low, high = interval(means)
    print(f"all tests together: watched/headless {ratio:.3f} [{low:.3f}, {high:.3f}], ten pairs")


def cpu_seconds(process):
    """Of a process and its children: what is in the terminal, and what measures and paints."""
    fields = open(f"/proc/{process}/stat").read().rsplit(")", 1)[1].split()
    children = open(f"/proc/{process}/task/{process}/children").read().split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") + sum(cpu_seconds(child) for child in children)


def idle():
    process, master = terminal(f"{FOLDER}/watched-0.duckdb")
    read_until(master, b"Suite")
    drain(master, 4)
    before = cpu_seconds(process)
    painted = drain(master, 20)
    print(f"idle for 20 s: {(cpu_seconds(process) - before) * 1000:.0f} ms of CPU time, {painted} bytes painted")
    leave(process, master)


def first_frame():
    store = f"{FOLDER}/large.duckdb"
    with duckdb.connect(f"{FOLDER}/watched-0.duckdb") as connection:
        connection.execute(f"ATTACH '{store}' AS large; COPY FROM DATABASE \"watched-0\" TO large")
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
        read_until(master, b"Suite")
        taken.append((time.monotonic() - begun) * 1000)
        leave(process, master)
    print(f"first frame: median {statistics.median(taken):.0f} ms, slowest {max(taken):.0f} ms of {len(taken)} starts")


if __name__ == "__main__":
    os.makedirs(f"{FOLDER}/config/presets")
    open(f"{FOLDER}/config/presets/cost.toml", "w").write(PRESET)
    compare_live()
    idle()
    first_frame()
    subprocess.run(["rm", "-rf", FOLDER], check=True)
