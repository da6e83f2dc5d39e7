#!/usr/bin/env python3
"""A soak of dbdyno itself: python3 tests/measurements/soak.py PROGRAM HOURS [SEED] [FOLDER]

Screens stay open in a pseudo-terminal for the whole time, and run sessions there. Next to them a fixed seed chooses one step after the
other: sessions without a terminal, some of them killed at any moment, with a limit on file sizes or on a full disk; screens that are
detached, attached and killed; keys that are held down; exports, copies, imports, comparisons, deletions, repairs, tortures. After each step
every result that dbdyno has acknowledged has to be stored, `store check` has to find the store sound, and nothing of a killed program may
be left. The screens' memory, threads and descriptors, the files in the folders and the store's size are sampled; the table at the end
says what grows. Exit code 1: something was lost, left or grew. FOLDER is made and, if all is well, removed; it needs a disk, not memory.
Full disks need the right to mount (root); without it that step is a limit on file sizes.
"""
import csv, fcntl, io, json, os, pty, random, resource, select, shutil, signal, statistics, struct, subprocess, sys, tempfile
import termios, threading, time

PRESETS = {
    "soak-nothing": ("kv", 1000, 8, [("null", "")]),
    "soak-long": ("kv", 1000, 60, [("null", "")]),
    "soak-pair": ("kv", 1000, 2, [("lmdb", 'sync = "nosync"'), ("sqlite", 'journal_mode = "wal", synchronous = "off"')]),
}
ENGINES = ["null", "lmdb:sync=nosync", "sqlite:journal_mode=wal,synchronous=off", "redb:durability=none"]
LEFTOVERS = ["work/run-", "work/torture-", ".dbdyno-", "results.duckdb.new", "results.duckdb.undo", "results.duckdb.tmp"]
# Most sessions that stay: beyond, the oldest are deleted.
MOST_SESSIONS = 40
# What a figure may grow by from the first fifth after the warm-up to the last fifth: share of it, and as much again.
ALLOWED = {
    "screens: resident MB": (0.15, 12), "screens: own memory MB": (0.15, 12), "screens: threads": (0, 6),
    "screens: descriptors": (0, 6), "files": (0, 12), "store: bytes over a fresh copy": (0.5, 1),
}
# What a fresh copy of the store is compared with once it is larger than this; DuckDB's file grows in blocks of 256 KB.
LEAST_STORE = 2 << 20


class Screens:
    """The terminal UI in a pseudo-terminal; what it paints is read and dropped but for the end."""

    def __init__(self, soak, *arguments):
        self.process, self.master = pty.fork()
        if self.process == 0:
            os.execve(soak.program, [soak.program, *arguments], {**soak.environment, "TERM": "xterm-256color"})
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        os.kill(self.process, signal.SIGWINCH)
        self.painted = b""
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        soak.until("the screens are painted", lambda: self.painted or self.ended())

    def read(self):
        # It closes what it reads: closed elsewhere, the number would soon be that of another file, and this would take its content.
        try:
            while painted := os.read(self.master, 65536):
                self.painted = (self.painted + painted)[-65536:]
        except OSError:
            pass
        os.close(self.master)

    def press(self, keys, pause=0.0):
        try:
            os.write(self.master, keys.encode())
        except OSError:
            pass
        time.sleep(pause)

    def ended(self):
        try:
            return os.waitpid(self.process, os.WNOHANG) != (0, 0)
        except ChildProcessError:
            return True

    def kill(self, sent=signal.SIGKILL):
        """Ends what is in the terminal."""
        try:
            os.kill(self.process, sent)
            os.waitpid(self.process, 0)
        except (ProcessLookupError, ChildProcessError):
            pass


class Soak:
    def __init__(self, program, hours, seed, folder):
        self.program, self.folder, self.random = os.path.abspath(program), folder, random.Random(seed)
        for name in ("config/presets", "runtime", "cache", "engines", "exports"):
            os.makedirs(f"{folder}/{name}")
        self.store = f"{folder}/results.duckdb"
        self.environment = {
            **os.environ, "DBDYNO_STORE": self.store, "DBDYNO_WORK_DIR": f"{folder}/work", "DBDYNO_CONFIG": f"{folder}/config",
            "DBDYNO_ENGINE_PATH": f"{folder}/engines", "XDG_RUNTIME_DIR": f"{folder}/runtime", "XDG_CACHE_HOME": f"{folder}/cache",
        }
        for name, (suite, size, repeats, engines) in PRESETS.items():
            text = f'title = "soak"\nsuite = "{suite}"\nsizes = [{size}]\nrepeats = {repeats}\n'
            text += "".join(f'[[engine]]\nname = "{engine}"\noptions = {{ {options} }}\n' for engine, options in engines)
            with open(f"{folder}/config/presets/{name}.toml", "w") as file:
                file.write(text)
        # What was acknowledged, by session: pairs of run and test.
        self.acknowledged, self.wrong, self.samples, self.counts = {}, [], [], {}
        self.begun, self.end = time.monotonic(), time.monotonic() + hours * 3600
        self.may_mount = os.geteuid() == 0
        self.screens = None

    # What programs are asked

    def run(self, *arguments, environment=None, limit=None):
        """A command that runs to its end."""
        before = (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))) if limit else None
        return subprocess.run([self.program, *arguments], env=environment or self.environment, capture_output=True, text=True,
                              preexec_fn=before, timeout=600)

    def ok(self, *arguments, environment=None):
        done = self.run(*arguments, environment=environment)
        if done.returncode != 0:
            self.fault(f"`{' '.join(arguments)}` ended with {done.returncode}: {done.stderr.strip()[-400:]}")
        return done.stdout

    def rows(self, sql, environment=None):
        return list(csv.reader(io.StringIO(self.ok("sql", sql, "--format", "csv", environment=environment))))[1:]

    def measuring(self):
        """The jobs that measure."""
        return [line.split()[0] for line in self.run("attach", "--list").stdout.splitlines() if " measures " in line]

    def fault(self, what):
        self.wrong.append(what)
        print(f"!! after {self.elapsed():.0f} s: {what}", flush=True)

    def elapsed(self):
        return time.monotonic() - self.begun

    def until(self, what, condition, patience=60, pause=0.05):
        end = time.monotonic() + patience
        while not condition():
            if time.monotonic() > end:
                self.fault(f"waited {patience} s in vain: {what}")
                return False
            time.sleep(pause)
        return True

    def processes(self):
        """All processes of this soak, by the folder in their environment."""
        found = []
        for entry in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{entry}/environ", "rb") as file:
                    if self.folder.encode() not in file.read():
                        continue
                with open(f"/proc/{entry}/stat") as file:
                    if file.read().rsplit(")", 1)[1].split()[0] != "Z":
                        found.append(int(entry))
            except OSError:
                pass
        return [process for process in found if process != os.getpid()]

    # Sessions

    def session(self, how, environment=None, ledger=None):
        """A session without a terminal, to its end or killed; what it told before."""
        ledger = self.acknowledged if ledger is None else ledger
        engines = self.random.sample(ENGINES, self.random.randint(1, 2))
        repeats = self.random.randint(1, 4)
        arguments = ["run", "--suite", "kv", "--size", "1000", "--repeat", str(repeats), "--json"]
        arguments += [word for engine in engines for word in ("--engine", engine)]
        limit = int(10 ** self.random.uniform(4, 6)) if how == "limited" else None
        before = (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))) if limit else None
        process = subprocess.Popen([self.program, *arguments], env=environment or self.environment, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, preexec_fn=before)
        timer = None
        if how == "killed":
            timer = threading.Timer(self.random.uniform(0.02, 2.5), process.kill)
            timer.start()
        session, runs, told = None, {}, set()
        for line in process.stdout:
            try:
                event = json.loads(line)
            except ValueError:
                continue  # The line that a kill has cut off.
            if event["event"] == "session_started":
                session = event["session_id"]
            elif event["event"] == "run_started":
                runs[event["ordinal"]] = event["run_id"]
            elif event["event"] == "worker" and event["says"]["event"] == "test_done" and event["says"].get("measured", True):
                told.add((runs[event["ordinal"]], str(event["says"]["test"])))
        process.wait()
        process.stdout.close()
        if timer:
            timer.cancel()
        if session:
            ledger.setdefault(session, set()).update(told)
        if how == "whole" and process.returncode != 0:
            self.fault(f"a session ended with {process.returncode}: {' '.join(arguments)}")
        return session

    def step_session(self):
        self.session("whole")

    def step_killed_session(self):
        self.session("killed")

    def step_limited_session(self):
        self.session("limited")

    def step_resume(self):
        """Resumes what was cut short, if anything was."""
        done = self.run("resume", "--json")
        if done.returncode not in (0, 1, 2):
            self.fault(f"resume ended with {done.returncode}: {done.stderr.strip()[-400:]}")

    def step_full_disk(self):
        """A store on a disk that gets full, and has room again."""
        if not self.may_mount:
            return self.step_limited_session()
        disk, ledger = f"{self.folder}/disk", {}
        os.makedirs(disk, exist_ok=True)
        kilobytes = int(10 ** self.random.uniform(2.5, 4.2))
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "dbdyno-soak", disk], capture_output=True)
        if mounted.returncode != 0:
            self.may_mount = False
            return self.step_limited_session()
        try:
            environment = {**self.environment, "DBDYNO_STORE": f"{disk}/results.duckdb", "DBDYNO_STORE_WAIT": "2s"}
            for _ in range(2):
                self.session(self.random.choice(["full", "killed"]), environment, ledger)
            subprocess.run(["mount", "-o", "remount,size=100m", disk], check=True)
            if any(ledger.values()):
                self.keeps(ledger, environment)
        finally:
            subprocess.run(["umount", disk], check=True)

    # Screens

    def start_in(self, screens, preset):
        screens.press("\x1b\x1b1", 0.4)
        screens.press("p", 0.6)
        screens.press(preset, 0.4)
        screens.press("\r", 0.8)
        screens.press("\r", 0.3)

    def session_in_screens(self, screens, preset, meanwhile=lambda: None):
        sessions = lambda: {row[0] for row in self.rows("SELECT session_id FROM session")}
        known = sessions()
        for _ in range(3):
            self.start_in(screens, preset)
            end = time.monotonic() + 20
            # A short session may be over before anybody looks.
            while not (begun := self.measuring() or sessions() - known) and time.monotonic() < end:
                time.sleep(0.02)
            if begun:
                break
        meanwhile()
        if not self.until("the session in the screens ends", lambda: not self.measuring(), 120):
            return
        new = [row for row in self.rows("SELECT session_id, status, planned_runs FROM session WHERE finished_at IS NOT NULL") if row[0] not in known]
        if not new:
            return self.fault("the session in the screens did not begin")
        _, _, repeats, engines = PRESETS[preset]
        for session, status, runs in new:
            found = self.results_of(session)
            self.acknowledged[session] = found
            if status == "done" and (int(runs) != repeats * len(engines) or len(found) != 8 * int(runs)):
                self.fault(f"a session in the screens has {len(found)} results of {runs} runs")

    def step_session_in_screens(self):
        self.session_in_screens(self.screens, self.random.choice(list(PRESETS)))

    def step_detached_session(self):
        """A terminal is lost or left, and another one returns to what goes on."""
        screens, how = Screens(self), self.random.choice([signal.SIGKILL, signal.SIGHUP, None])

        def meanwhile():
            if how:
                screens.kill(how)
            else:
                screens.press("Z")
                end = time.monotonic() + 20
                while not screens.ended() and time.monotonic() < end:
                    time.sleep(0.1)
                # If the session is over, there is nothing to detach from, and the screens stay.
                if not screens.ended() and self.measuring():
                    self.fault("the terminal was not given back")
                screens.kill()
            time.sleep(self.random.uniform(0, 0.5))
            for job in self.measuring():
                other = Screens(self, "attach", job)
                time.sleep(self.random.uniform(0, 1))
                other.kill(self.random.choice([signal.SIGKILL, signal.SIGHUP]))

        self.session_in_screens(screens, "soak-long", meanwhile)

    def step_held_keys(self):
        """Screens are switched faster than they can be read."""
        self.screens.press("\x1b\x1b")
        for _ in range(self.random.randint(50, 300)):
            self.screens.press(self.random.choice("1234567"), self.random.choice([0, 0.01, 0.03]))
        self.screens.press("3", 1)

    def step_killed_screens(self):
        """Other screens are killed while they measure, or what they measure is."""
        other = Screens(self)
        self.start_in(other, self.random.choice(list(PRESETS)))
        time.sleep(self.random.uniform(0, 1.5))
        jobs = self.measuring()
        if self.random.random() < 0.5:
            for process in self.processes():
                with open(f"/proc/{process}/cmdline", "rb") as file:
                    if b"--detached" in file.read().split(b"\0"):
                        os.kill(process, signal.SIGKILL)
        other.kill()
        self.until("what the screens measured has ended", lambda: not set(jobs) & set(self.measuring()), 120)

    # What is stored, elsewhere and back

    def any_session(self):
        stored = [session for session, results in self.acknowledged.items() if results]
        return self.random.choice(stored) if stored else None

    def step_export(self):
        session = self.any_session()
        if not session:
            return
        ending = self.random.choice(["csv", "json", "parquet"])
        out = f"{self.folder}/exports/results.{ending}"
        process = subprocess.Popen([self.program, "export", f"session={session}", "--format", ending, "--out", out], env=self.environment,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if self.random.random() < 0.5:
            time.sleep(self.random.uniform(0, 0.3))
            process.kill()
        message = process.communicate()[1].decode()
        if process.returncode not in (0, -signal.SIGKILL):
            self.fault(f"an export ended with {process.returncode}: {message.strip()[-400:]}")
        if ending == "json" and os.path.exists(out):
            with open(out) as file:
                json.load(file)

    def step_import(self):
        """A session goes into another store and comes back into a third."""
        session = self.any_session()
        if not session:
            return
        other, third = f"{self.folder}/exports/other.duckdb", f"{self.folder}/exports/third.duckdb"
        self.ok("copy", f"session={session}", "--to", other)
        environment = {**self.environment, "DBDYNO_STORE": third}
        self.ok("import", other, environment=environment)
        found = {tuple(row) for row in self.rows("SELECT run_id, test FROM result", environment)}
        if not self.acknowledged[session] <= found:
            self.fault(f"{len(self.acknowledged[session] - found)} results of session {session} were lost on the way through two stores")
        shutil.rmtree(f"{self.folder}/exports")
        os.makedirs(f"{self.folder}/exports")

    def step_copy_killed(self):
        folder = f"{self.folder}/exports/parquet"
        process = subprocess.Popen([self.program, "copy", "--to-parquet", folder], env=self.environment,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(self.random.uniform(0, 0.6))
        process.kill()
        process.wait()
        if os.path.exists(folder) and not os.path.exists(f"{folder}/dbdyno.json"):
            self.fault("a copy that was killed has left half a folder under its name")
        shutil.rmtree(folder, ignore_errors=True)

    def step_compare(self):
        session = self.any_session()
        if session:
            self.run("compare", "--reference", f"session={session}", "--format", "json")
            self.ok("results", f"session={session}")

    def step_tag(self):
        session = self.any_session()
        if session:
            self.ok("tag", f"session={session}", "--add", f"soak{self.random.randrange(5)}")

    def step_delete(self):
        stored = [session for session, results in self.acknowledged.items() if results]
        for session in stored[:max(1, len(stored) - MOST_SESSIONS)] if len(stored) > 3 else []:
            self.ok("delete", f"session={session}", "--yes")
            if self.results_of(session):
                self.fault(f"session {session} is stored after it was deleted")
            del self.acknowledged[session]

    def step_killed_delete(self):
        """All of a session is deleted, or nothing of it."""
        session = self.any_session()
        if not session or len(self.acknowledged) <= 3:
            return
        process = subprocess.Popen([self.program, "delete", f"session={session}", "--yes"], env=self.environment, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL)
        time.sleep(self.random.uniform(0, 0.3))
        process.kill()
        process.communicate()
        found = self.results_of(session)
        if found and not self.acknowledged[session] <= found:
            self.fault(f"a killed deletion has deleted a part of session {session}")
        if not found:
            del self.acknowledged[session]

    def step_repair(self):
        process = subprocess.Popen([self.program, "store", "repair"], env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        if self.random.random() < 0.5:
            time.sleep(self.random.uniform(0, 0.2))
            process.kill()
        process.communicate()

    def step_torture(self):
        arguments = ["torture", self.random.choice(["sqlite", "lmdb"]), "--kills", "2", "--power", "4", "--mutants", "0"]
        process = subprocess.Popen([self.program, *arguments], env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if self.random.random() < 0.5:
            time.sleep(self.random.uniform(0, 3))
            process.kill()
        message = process.communicate()[1].decode()
        if process.returncode not in (0, -signal.SIGKILL):
            self.fault(f"a torture ended with {process.returncode}: {message.strip()[-400:]}")

    # What has to hold

    def results_of(self, session):
        sql = f"SELECT run_id, test FROM result JOIN run USING (run_id) WHERE session_id = '{session}'"
        return {tuple(row) for row in self.rows(sql)}

    def keeps(self, ledger, environment=None):
        """Every acknowledged result is stored, and the store is sound."""
        found = {tuple(row) for row in self.rows("SELECT run_id, test FROM result", environment)}
        for session, told in ledger.items():
            if not told <= found:
                self.fault(f"{len(told - found)} of {len(told)} acknowledged results of session {session} are lost")
                told &= found
        self.ok("store", "check", environment=environment)

    def left(self):
        """What is there that no living program uses: nothing runs but the screens."""
        found = [f"work/{name}" for name in os.listdir(f"{self.folder}/work")] if os.path.isdir(f"{self.folder}/work") else []
        found += [name for name in os.listdir(self.folder)] + [f"exports/{name}" for name in os.listdir(f"{self.folder}/exports")]
        left = [name for name in found if any(name.startswith(kind) for kind in LEFTOVERS) or "/.dbdyno-" in name]
        return left

    def check(self):
        expected = {self.screens.process}
        others = lambda: {process for process in self.processes() if process not in expected and not self.is_ours(process)}
        self.until("killed programs have taken their workers along", lambda: not others(), 20)
        for process in others():
            with open(f"/proc/{process}/cmdline", "rb") as file:
                self.fault(f"process {process} is left: {file.read().decode(errors='replace')}")
        if os.path.exists(self.store) or self.acknowledged:
            self.keeps(self.acknowledged)

    def is_ours(self, process):
        """A watchdog of the screens."""
        try:
            with open(f"/proc/{process}/cmdline", "rb") as file:
                return b"watch-terminal" in file.read()
        except OSError:
            return True

    def sweep(self):
        """The next session sweeps; then nothing may be left."""
        self.session("whole")
        self.run("copy", "--to-parquet", f"{self.folder}/exports/swept")
        shutil.rmtree(f"{self.folder}/exports/swept", ignore_errors=True)
        left = self.left()
        if left:
            self.fault(f"left behind: {', '.join(left)}")

    # What may not grow

    def status(self, process):
        with open(f"/proc/{process}/status") as file:
            lines = dict(line.split(":", 1) for line in file if ":" in line)
        number = lambda key: int(lines[key].split()[0])
        return number("VmRSS") / 1024, number("RssAnon") / 1024, number("Threads"), len(os.listdir(f"/proc/{process}/fd"))

    def sample(self, with_copy):
        time.sleep(0.5)
        try:
            resident, own, threads, descriptors = self.status(self.screens.process)
        except OSError:
            return self.fault("the screens are gone")
        sample = {
            "seconds": self.elapsed(), "screens: resident MB": resident, "screens: own memory MB": own, "screens: threads": threads,
            "screens: descriptors": descriptors,
            "files": sum(len(files) for folder, _, files in os.walk(self.folder) if "/engines" not in folder and "-job-" not in folder),
            "store: MB": os.path.getsize(self.store) / 1e6 if os.path.exists(self.store) else 0,
        }
        if with_copy and sample["store: MB"] * 1e6 > LEAST_STORE:
            fresh = f"{self.folder}/exports/fresh.duckdb"
            self.ok("copy", "--to", fresh)
            sample["store: bytes over a fresh copy"] = os.path.getsize(self.store) / max(os.path.getsize(fresh), LEAST_STORE)
            for name in os.listdir(f"{self.folder}/exports"):
                if name.startswith("fresh.duckdb"):
                    path = f"{self.folder}/exports/{name}"
                    shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
        self.samples.append(sample)

    def soak(self):
        self.session("whole")
        self.screens = Screens(self)
        weights = {
            "session": 4, "killed_session": 6, "limited_session": 3, "resume": 2, "full_disk": 2, "session_in_screens": 10,
            "detached_session": 4, "held_keys": 4, "killed_screens": 2, "export": 3, "import": 2, "copy_killed": 2, "compare": 3, "tag": 2,
            "delete": 4, "killed_delete": 2, "repair": 2, "torture": 2,
        }
        number = 0
        while time.monotonic() < self.end:
            step = self.random.choices(list(weights), weights.values())[0]
            begun = time.monotonic()
            faults = len(self.wrong)
            try:
                getattr(self, f"step_{step}")()
                self.check()
                if sum(1 for results in self.acknowledged.values() if results) > MOST_SESSIONS:
                    self.step_delete()
                number += 1
                if number % 10 == 0:
                    self.sweep()
                self.sample(number % 20 == 0)
            except Exception as error:  # What the harness itself did not expect is a finding too.
                self.fault(f"{step}: {error!r}")
            count, seconds = self.counts.get(step, (0, 0.0))
            self.counts[step] = (count + 1, seconds + time.monotonic() - begun)
            if len(self.wrong) > faults:
                print(f"   in step {number}, {step}", flush=True)
            if not self.samples and number > 3:
                continue
            if number % 25 == 0 and self.samples:
                last = self.samples[-1]
                print(f"   {self.elapsed():6.0f} s  {number} steps  " + "  ".join(
                    f"{key} {value:.1f}" for key, value in last.items() if key != "seconds"), flush=True)
        self.sweep()
        self.screens.press("\x1b\x1bq", 0.5)
        if not self.until("the screens end", self.screens.ended, 30):
            self.screens.kill()
        self.until("nothing of dbdyno runs", lambda: not self.processes(), 20)

    def table(self):
        """Start, end and slope of each figure, and whether it grows; whether any does."""
        print(f"\n{'figure':<34}{'start':>10}{'end':>10}{'slope/h':>10}   verdict")
        grows = False
        span = self.samples[-1]["seconds"] - self.samples[0]["seconds"] if self.samples else 0
        warm = [sample for sample in self.samples if sample["seconds"] - self.samples[0]["seconds"] >= span / 5]
        for name in [*ALLOWED, "store: MB"]:
            points = [(sample["seconds"], sample[name]) for sample in warm if name in sample]
            if len(points) < 4:
                print(f"{name:<34}{'-':>10}{'-':>10}{'-':>10}   too few samples")
                continue
            fifth = max(1, len(points) // 5)
            start = statistics.median(value for _, value in points[:fifth])
            end = statistics.median(value for _, value in points[-fifth:])
            slope = theil_sen(points) * 3600
            verdict = "-"
            if name in ALLOWED:
                share, more = ALLOWED[name]
                is_growing = end - start > share * start + more
                grows |= is_growing
                verdict = "GROWS" if is_growing else "flat"
            print(f"{name:<34}{start:>10.1f}{end:>10.1f}{slope:>10.1f}   {verdict}")
        return grows

    def steps(self):
        kept = sum(len(results) for results in self.acknowledged.values())
        print(f"\n{sum(count for count, _ in self.counts.values())} steps in {self.elapsed() / 60:.0f} min; {kept} acknowledged results are stored")
        for step, (count, seconds) in sorted(self.counts.items()):
            print(f"  {step:<22}{count:>5}  {seconds / count:6.1f} s each")


def theil_sen(points):
    """The median of the slopes of pairs of points."""
    points = points[::max(1, len(points) // 300)]
    slopes = [(y2 - y1) / (x2 - x1) for at, (x1, y1) in enumerate(points) for x2, y2 in points[at + 1:] if x2 > x1]
    return statistics.median(slopes) if slopes else 0.0


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    if len(sys.argv) > 4:
        folder = os.path.abspath(sys.argv[4])
        os.makedirs(folder)
    else:
        folder = tempfile.mkdtemp(prefix="dbdyno-soak-", dir=os.path.expanduser("~/.cache"))
    print(f"seed {seed}, folder {folder}", flush=True)
    soak = Soak(sys.argv[1], float(sys.argv[2]), seed, folder)
    soak.soak()
    soak.steps()
    grows = soak.table()
    for what in soak.wrong:
        print(f"!! {what}")
    if soak.wrong or grows:
        print(f"not sound: {len(soak.wrong)} findings{', and something grows' if grows else ''}; see {folder}")
        sys.exit(1)
    shutil.rmtree(folder)
    print("nothing was lost, nothing is left, nothing grows")


main()
