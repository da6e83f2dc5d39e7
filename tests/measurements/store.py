#!/usr/bin/env python3
"""What questions cost in large stores, measured on the release build: python3 tests/measurements/store.py PROGRAM [WORK_DIR]

A session of eight rounds is run for its rows, and copied until the store has a million results, and ten million. Each question is
asked five times of dbdyno and of DuckDB with SQL written by hand, in turn: by `dbdyno sql`, which has the same build of DuckDB, and by the
package duckdb, whose build is another. The table has the medians, the ratio to the first where there is one (COPY is no query), its goal, and the
highest memory of dbdyno. SQL's time has the opening of the file in it. Needs the package duckdb and 12 GB of disk.
"""
import math, os, shutil, statistics, subprocess, sys, tempfile, time
import duckdb

PROGRAM = os.path.abspath(sys.argv[1])
FOLDER = tempfile.mkdtemp(prefix="dbdyno-measure-", dir=sys.argv[2] if len(sys.argv) > 2 else os.path.expanduser("~/.cache"))
MEDIANS = """SELECT r.engine, r.size, t.test, median(t.{metric}) FROM result t JOIN run r USING (run_id)
             WHERE r.engine IN ('{a}', '{b}') GROUP BY ALL"""
# The same table as dbdyno's but for interval and verdict: both medians, and the median ratio of runs of one round.
PAIRS = """WITH t AS (
               SELECT r.engine, r.session_id, r.round, r.size, t.test, t.test_name, t.{metric} AS value
               FROM result t JOIN run r USING (run_id)
               WHERE r.engine IN ('{a}', '{b}') AND t.failure IS NULL AND r.status NOT IN ('invalid', 'superseded'))
           SELECT a.size, a.test, a.test_name, median(a.value), median(b.value), median(a.value / b.value), count(*)
           FROM t a JOIN t b USING (session_id, round, size, test)
           WHERE a.engine = '{a}' AND b.engine = '{b}' GROUP BY ALL ORDER BY ALL"""
CLAIMS = """title = "LMDB against redb"
source = "nobody"
setup = "none"
caveats = []

[[comparison]]
title = "LMDB against redb"
suite = "kv"
a = "engine=lmdb suite=kv"
b = "engine=redb suite=kv"
a_name = "LMDB"
b_name = "redb"
allow = ["tiers"]
""" + "".join(f'''
[[comparison.claim]]
test = "{test}"
name = "test {test}"
faster = "a"
''' for test in range(1, 9))


def environment(store):
    places = {"DBDYNO_STORE": store, "DBDYNO_CONFIG": f"{FOLDER}/config", "DBDYNO_WORK_DIR": f"{FOLDER}/work"}
    return {**os.environ, **places}


def first_session(store):
    engines = ["--engine", "lmdb:sync=nosync", "--engine", "redb:durability=none", "--engine", "sqlite:journal_mode=wal,synchronous=off"]
    command = [PROGRAM, "run", "--suite", "kv", *engines, "--size", "1000", "--size", "2000", "--repeat", "8", "--quiet"]
    subprocess.run(command, env=environment(store), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def columns(connection, table, changed):
    """The columns of a table for a copy of its rows; those that change as expressions."""
    names = [row[0] for row in connection.execute(f"DESCRIBE {table}").fetchall()]
    return ", ".join(f"{changed[name]} AS {name}" if name in changed else f"t.{name}" for name in names)


def grow(template, store, results):
    """Copies the session of a store into another until that has so many results. Every hundredth keeps its histograms."""
    with duckdb.connect(template, read_only=True) as connection:
        each = connection.execute("SELECT count(*) FROM result").fetchone()[0]
    subprocess.run(["cp", template, store], check=True)
    copies = results // each
    with duckdb.connect(store) as connection:
        # Identifiers whose beginnings go with time, as those that dbdyno makes: a unit of the first eight digits is 65 seconds.
        (last,) = connection.execute("SELECT max(session_id)::VARCHAR FROM session").fetchone()
        copied = f"CAST(concat(lpad(to_hex({int(last[:8], 16)} + c.copy), 8, '0'), substr(md5(concat({{id}}, c.copy)), 1, 24)) AS UUID)"
        session, run = copied.format(id="t.session_id"), copied.format(id="t.run_id")
        at = "t.started_at + to_seconds(60 * c.copy)"
        noisy = "CAST(t.wall_ns * (0.9 + 0.2 * random()) AS UBIGINT)"
        rare = "CASE WHEN c.copy % 100 = 0 THEN t.histogram END"
        changes = {
            "session": {"session_id": session, "started_at": at},
            "run": {"session_id": session, "run_id": run, "started_at": at},
            "run_option": {"run_id": run},
            "result": {"run_id": run, "wall_ns": noisy, "histogram": rare},
        }
        # Without keys, which would take longer to make than all else; nothing that is read here looks at them.
        for table, changed in changes.items():
            kept = f"SELECT {columns(connection, table, changed)} FROM first_{table} t, range(1, {copies}) c(copy)"
            connection.execute(f"CREATE TEMP TABLE first_{table} AS FROM {table}")
            connection.execute(f"CREATE TABLE grown_{table} AS FROM {table} UNION ALL {kept}")
        named = dict(connection.execute("SELECT view_name, sql FROM duckdb_views() WHERE NOT internal").fetchall())
        connection.execute("DROP VIEW results; DROP VIEW runs; DROP VIEW run_tests; DROP VIEW run_facts")
        for table in changes:
            connection.execute(f"DROP TABLE {table}; ALTER TABLE grown_{table} RENAME TO {table}")
        for view in ("run_facts", "run_tests", "results", "runs"):
            connection.execute(named[view])
        # Thirty-six pairs that the rest is in the way of.
        pairs = "(SELECT run_id FROM run WHERE engine IN ('lmdb', 'redb') AND size = '1000' ORDER BY started_at LIMIT 72)"
        connection.execute(f"UPDATE run SET engine = engine || '-x' WHERE run_id IN {pairs}")
        connection.execute("CHECKPOINT")


def by_hand(store, sql):
    begun = time.monotonic()
    with duckdb.connect(store, read_only=True) as connection:
        connection.execute(sql).fetchall()
    return time.monotonic() - begun


def by_dbdyno(store, arguments):
    """Wall time and the peak of its memory, MB."""
    begun = time.monotonic()
    peak = 0
    with open(f"{FOLDER}/said", "w") as said:
        process = subprocess.Popen([PROGRAM, *arguments], env=environment(store), stdout=said, stderr=said)
        # What wait4 tells is never below the memory of this process, which has DuckDB in it.
        while process.poll() is None:
            peak = max(peak, resident(process.pid))
            time.sleep(0.005)
    if process.returncode != 0:
        sys.exit(f"{arguments}: {open(f'{FOLDER}/said').read()[-2000:]}")
    return time.monotonic() - begun, peak / 1024


def resident(process):
    """The most memory that a process had, KiB; 0 of one that has ended."""
    try:
        with open(f"/proc/{process}/status") as status:
            return max((int(line.split()[1]) for line in status if line.startswith("VmHWM:")), default=0)
    except OSError:
        return 0


def measure(store, questions):
    for name, arguments, sql, goal in questions:
        is_query = not sql.startswith("COPY")
        own = lambda: by_dbdyno(store, ["sql", sql, "--format", "csv"])[0] if is_query else math.nan
        measured = [(by_dbdyno(store, arguments), own(), by_hand(store, sql)) for _ in range(5)]
        ours = statistics.median(seconds for (seconds, _), _, _ in measured)
        own, package = (statistics.median(row[column] for row in measured) for column in (1, 2))
        memory = max(memory for (_, memory), _, _ in measured)
        shown = f"{own:.2f} s" if is_query else "-"
        ratio = ours / (own if is_query else package)
        print(f"| {name} | {ours:.2f} s | {shown} | {package:.2f} s | {ratio:.1f}x | {goal} | {memory:.0f} MB |", flush=True)


def main():
    template, million, ten = (f"{FOLDER}/{name}.duckdb" for name in ("template", "million", "ten"))
    first_session(template)
    os.makedirs(f"{FOLDER}/config/claims")
    with open(f"{FOLDER}/config/claims/large.toml", "w") as claims:
        claims.write(CLAIMS)
    sides = ["compare", "--a", "engine=lmdb", "--b", "engine=redb", "--allow-tiers"]
    wall = {"metric": "wall_ns", "a": "lmdb", "b": "redb"}
    pairs, medians, p99 = PAIRS.format(**wall), MEDIANS.format(**wall), PAIRS.format(**{**wall, "metric": "p99_ns"})
    wal = """SELECT count(*) FROM result JOIN run_option o USING (run_id) WHERE o.name = 'journal_mode' AND coalesce(o.in_force, o.asked) = 'wal'"""
    listed = "SELECT r.started_at, r.suite, r.size, t.test, t.test_name, r.label, r.round, t.wall_ns FROM result t JOIN run r USING (run_id) ORDER BY ALL"
    # As an export, once for each session and run what all of its rows have in common.
    once = "CASE WHEN row_number() OVER (PARTITION BY {0} ORDER BY started_at, run_id, test) = 1 THEN {1} END AS {1}"
    columns = f"* REPLACE ({once.format('session_id', 'session_facts')}, {once.format('run_id', 'option_details')})"
    everything = f"COPY (SELECT {columns} FROM results ORDER BY started_at, run_id, test) TO '{FOLDER}/by-hand.{{0}}' (FORMAT {{0}})"
    print("| question | dbdyno | SQL by hand | by the package | ratio | goal | memory |\n|---|---|---|---|---|---|---|", flush=True)
    grow(template, million, 1_000_000)
    measure(million, [
        ("compare two engines, a million results", sides, pairs, "5x, 500 MB"),
        ("the same beside SQL for the medians alone", sides, medians, ""),
        ("the same beside that over the view", sides, medians.replace("result t JOIN run r USING (run_id)", "results t").replace("r.", "t."), ""),
        ("the same by size", [*sides, "--by", "size"], pairs, "5x, 500 MB"),
        ("the same, p99", [*sides, "--metric", "p99"], p99, "5x, 500 MB"),
        ("claims about them", ["claims", "large"], pairs, "5x"),
        ("results --count journal_mode=wal", ["results", "--count", "journal_mode=wal"], wal, "5x"),
        ("results --format csv", ["results", "--format", "csv"], listed, "5x, 500 MB"),
        ("results", ["results"], listed, "5x, 500 MB"),
        *[(f"export --format {kind}", ["export", "--format", kind, "--out", f"{FOLDER}/ours.{kind}"], everything.format(kind), "5x")
          for kind in ("csv", "json")],
    ])
    os.remove(million)
    grow(template, ten, 10_000_000)
    few = ["compare", "--a", "engine=lmdb-x", "--b", "engine=redb-x", "--allow-tiers"]
    measure(ten, [
        ("36 pairs among ten million", few, PAIRS.format(**{**wall, "a": "lmdb-x", "b": "redb-x"}), "1.5x"),
        ("results --count of these", ["results", "--count", "engine=lmdb-x"], wal.replace("'wal'", "'none'"), "1.5x"),
    ])
    shutil.rmtree(FOLDER)


if __name__ == "__main__":
    main()
