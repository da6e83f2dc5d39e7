"""Uses SQLite in the ways that a recorder could disturb. What it prints must not depend on the recorder."""

import os
import sqlite3
import sys
import threading
import time

path = sys.argv[1]
connection = sqlite3.connect(path)
if len(sys.argv) > 2:
    connection.enable_load_extension(True)
    connection.load_extension(sys.argv[2])
    connection.close()
    connection = sqlite3.connect(path)
traced = []
if len(sys.argv) < 3:
    connection.set_trace_callback(traced.append)
connection.execute("CREATE TABLE t(a INTEGER PRIMARY KEY, b, c)")
connection.execute("INSERT INTO t VALUES (?, ?, ?)", (1, "it's \u00e9", b"\x00\xff"))
connection.executemany("INSERT INTO t VALUES (?, ?, ?)", [(n, n / 4, None) for n in range(2, 20)])
connection.commit()
print(connection.execute("SELECT * FROM t WHERE a = :a AND b <> :b", {"a": 1, "b": "x"}).fetchone())
print(len(connection.execute("SELECT * FROM t").fetchall()))
cursor = connection.execute("SELECT a FROM t")
print(cursor.fetchone())
cursor.close()
try:
    connection.execute("INSERT INTO t VALUES (1, 2, 3)")
except sqlite3.IntegrityError as error:
    print(error)
try:
    connection.execute("SELECT nope")
except sqlite3.OperationalError as error:
    print(error)
connection.rollback()
connection.executescript(
    "CREATE TABLE u(x); CREATE TRIGGER r AFTER INSERT ON u BEGIN INSERT INTO t(b) VALUES (new.x); END"
)
connection.execute("INSERT INTO u VALUES (?)", (float("inf"),))
connection.commit()
connection.create_function("nested", 1, lambda a: connection.execute("SELECT ? + 1", (a,)).fetchone()[0])
print(connection.execute("SELECT nested(5)").fetchone())


def queries(number):
    own = sqlite3.connect(path)
    for n in range(100):
        own.execute("SELECT count(*) FROM t WHERE a > ?", (number * 1000 + n,)).fetchone()
    own.close()


threads = [threading.Thread(target=queries, args=(number,)) for number in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
sys.stdout.flush()
child = os.fork()
if child == 0:
    own = sqlite3.connect(path)
    own.execute("INSERT INTO u VALUES ('from the child')")
    own.commit()
    if len(sys.argv) > 2:
        # An extension cannot see this end, so what is recorded must be old enough to be written.
        time.sleep(0.7)
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
other = sqlite3.connect(path + "-other")
other.execute("CREATE TABLE IF NOT EXISTS o(x)")
other.close()
connection.execute("ATTACH ? AS other", (path + "-other",))
print(connection.execute("SELECT count(*) FROM other.o").fetchone())
print(len(traced), traced[-1:] == ["SELECT count(*) FROM other.o"])
connection.close()
