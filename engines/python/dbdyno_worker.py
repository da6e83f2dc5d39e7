"""The worker protocol of dbdyno, version 2, for engines in Python: suites of kind kv, tests of one thread.

`serve(description, Store)` is an engine's whole program. It creates a Store for each database, with the path of a file and the options. A Store has
in_force, get, put, delete, scan, commit and size. Unsupported features fail with an error: zipfian keys, ranges, random bytes.
"""
import base64, collections, json, os, re, resource, shutil, signal, struct, sys, threading, time, zlib

MASK, K = 2**64 - 1, 0x9E3779B97F4A7C15
OPERATIONS, KEYS = {"get", "put", "delete", "remove", "exists", "scan"}, {"ascending", "uniform"}
BLOCK = 256                                          # operations whose inputs are made before they are timed
LOCK, NOW = threading.RLock(), {}                    # NOW: the test that is under way, for `progress`
HARNESS = "python-null"                              # a job of this engine is done by Nothing: what this module itself costs


def memory():                                        # the peak so far, bytes
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


FLOOR = memory()                                     # before anything is opened


def serve(description, store):
    if sys.argv[1:] == ["describe"]:
        ability = {"operations": sorted(OPERATIONS), "keys": sorted(KEYS)}
        print(json.dumps({**description, "kv": ability, "harness": HARNESS}))
    elif sys.argv[1:] == ["run"]:
        run(description, store)
    else:
        sys.exit("expected describe or run")


def say(**event):
    with LOCK:
        print(json.dumps(event), flush=True)


def run(description, open_store):
    job = json.loads(sys.stdin.readline())
    if job["protocol"] != description["protocol"]:
        sys.exit(f"the job speaks protocol {job['protocol']}, this engine speaks {description['protocol']}")
    if job["engine"] == HARNESS:
        description, open_store = {**description, "name": HARNESS, "options": []}, Nothing
    for name, value in job["options"].items():       # doing something else in its place would be a wrong figure
        check_option(description, name, value)

    def stop(*_):
        if not job["keep_folder"]:
            shutil.rmtree(job["folder"], ignore_errors=True)
        os._exit(1)

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, stop)
    wait, ends = threading.Semaphore(0), time.monotonic() + (job["deadline_ms"] or 1e12) / 1000

    def watch():                                     # each line lets the engine go on; the end of stdin means stop
        for _ in sys.stdin:
            wait.release()
        stop()

    def report():
        while time.monotonic() < ends:
            time.sleep(max(job["progress_ms"], 50) / 1000)
            with LOCK:
                if NOW and not NOW.get("away"):      # there is no progress while other workers have their turns
                    elapsed = time.perf_counter_ns() - NOW["begun"]
                    say(event="progress", elapsed_ns=elapsed, histogram=None, **NOW["said"])
        stop()

    for target in (watch, report):
        threading.Thread(target=target, daemon=True).start()
    go_on = wait.acquire if job["wait"] else lambda: None
    slices = job.get("slices") if job["wait"] else None
    os.makedirs(job["folder"], exist_ok=True)
    stores, tests = {}, job["suite"]["tests"]

    def store(label):                                # each label is a database of its own
        if label not in stores:
            stores[label] = open_store(os.path.join(job["folder"], label), job["options"])
        return stores[label]

    begun = time.perf_counter_ns()
    in_force = store(tests[0]["database"]).in_force()
    say(event="opened", version=description["version"], in_force=in_force, open_ns=time.perf_counter_ns() - begun)
    go_on()
    for test in tests:
        say(event="test_started", test=test["number"], name=test["name"], measured=test["measured"],
            operations=test["operations"])
        turns = Turns(slices["ns"], test["number"], go_on) if slices and test["number"] in slices["tests"] else None
        measure(job, test, store(test["database"]), turns)
        go_on()
    say(event="done")


class Turns:                                         # the turns that a test takes with those of other workers
    def __init__(self, ns, test, go_on):
        self.ns, self.due, self.test, self.go_on, self.away, self.away_cpu = ns, ns, test, go_on, 0, 0

    def pass_on(self, operations, wall):             # returns when it is this test's turn again
        begun, cpu = time.perf_counter_ns(), time.process_time_ns()
        with LOCK:
            NOW["away"] = True
            say(event="turn", test=self.test, operations=operations, wall_ns=wall)
        self.go_on()
        self.away_cpu += time.process_time_ns() - cpu
        self.due = wall + self.ns
        away = time.perf_counter_ns() - begun
        self.away += away
        with LOCK:
            NOW.update(begun=NOW["begun"] + away, away=False)


class Nothing:                                       # a Store that does nothing
    def __init__(self, path, options):
        self.puts = 0

    def in_force(self):
        return {}

    def get(self, key):
        return b"value_00000000_with_some_additional_data_to_make_it_realistic"

    def put(self, key, value):
        self.puts += 1

    def delete(self, key):
        return True

    def scan(self):
        return [(b"key_00000000", self.get(None))] * self.puts

    def commit(self):
        pass

    def size(self):
        return 0


def check_option(description, name, value):
    option = next((option for option in description["options"] if option["name"] == name), None)
    if option is None:
        sys.exit(f"engine `{description['name']}` has no option `{name}`")
    number = int(value) if re.fullmatch(r"-?\d+", value) else None
    taken = {
        "choice": lambda: value in option["choices"],
        "bool": lambda: value in ("on", "off"),
        "integer": lambda: number is not None and option["min"] <= number <= option["max"],
        "size": lambda: value in option.get("words", []) or number is not None and option["min"] <= number <= option["max"],
        "path": lambda: True,
    }
    if not taken[option["type"]]():
        sys.exit(f"option `{name}` of engine `{description['name']}` cannot be `{value}`")


def measure(job, test, store, turns):
    below, digest, works = stream(job["seed"], test["number"]), Digest(), test["work"]
    formats = " ".join([test["key"], *(work.get("value", "") for work in works)])
    keys = test["keys"] if isinstance(test["keys"], str) else "popular"
    unknown = {work["op"] for work in works} - OPERATIONS | {keys} - KEYS
    unknown |= set(re.findall(r"\{(?!(?:key|op)(?::\d+)?})[^}]*}", formats))
    if unknown:
        message = f"{job['engine']} does not know {sorted(unknown)}"
        say(event="failed", test=test["number"], message=message, database_usable=True)
        sys.exit(1)
    scope = test["transaction"]
    every = scope["batch"] if isinstance(scope, dict) else {"each": 1}.get(scope, MASK)
    sample = test["clock_every"]
    rows, done, wall, latencies = 0, 0, 0, []
    cpu, stacks = 0, collections.Counter()
    said = {"test": test["number"], "operations": 0, "total": test["operations"]}
    with LOCK:
        NOW.update(begun=time.perf_counter_ns(), said=said)
    explains = job.get("explain") and test["measured"]
    if explains:
        observe(stacks)
    before = thread_times()
    while done < test["operations"] and works[0]["op"] != "scan":
        # Keys, values and digests are made while the timer stands still: in Python they take longer than a store does.
        count = min(-(-BLOCK // sample) * sample, test["operations"] - done)
        inputs = [drawn(test, works, below, op) for op in range(done, done + count)]
        answers = []
        cpu -= time.thread_time_ns()
        begun = last = time.perf_counter_ns()
        for op, (kind, key, value) in enumerate(inputs, done + 1):
            if kind == "put":
                store.put(key, value)
            elif kind == "get":
                answers.append(store.get(key))
            elif kind == "delete":
                answers.append(store.delete(key))
            elif kind == "remove":
                store.delete(key)
            else:
                answers.append(store.get(key) is not None)
            if op % every == 0:
                store.commit()
            if op % sample == 0:
                now = time.perf_counter_ns()
                latencies.append(now - last)
                last = now
                if turns and wall + now - begun >= turns.due:
                    wall += now - begun
                    cpu += time.thread_time_ns()
                    turns.pass_on(op, wall)
                    cpu -= time.thread_time_ns()
                    begun = last = time.perf_counter_ns()
        wall += time.perf_counter_ns() - begun
        cpu += time.thread_time_ns()
        done += count
        said["operations"] = done
        rows += counted(inputs, answers, digest)
    cpu -= time.thread_time_ns()
    begun = time.perf_counter_ns()
    found = store.scan() if works[0]["op"] == "scan" else []
    store.commit()
    wall += time.perf_counter_ns() - begun
    cpu += time.thread_time_ns()
    spent = parts(before, thread_times(), wall, cpu, turns.away if turns else 0)
    if turns:
        spent.update(away_ns=turns.away, away_cpu_ns=turns.away_cpu)
    if explains:
        signal.setitimer(signal.ITIMER_PROF, 0)
        spent["explained"] = {"spent": {}, "stacks": dict(stacks.most_common(1000))}
    if works[0]["op"] == "scan":
        rows = done = digest.rows(found)
    with LOCK:
        NOW.clear()
    if test["verify_state"]:                         # untimed
        digest.rows(store.scan())
    digest.word(rows)
    say(event="test_done", test=test["number"], measured=test["measured"], wall_ns=wall, operations=done, rows=rows,
        verification=f"3:{digest.value:016x}", peak_rss_bytes=memory(), floor_rss_bytes=FLOOR,
        database_bytes=store.size(), side_bytes=0, operations_per_sample=test["clock_every"], histogram=histogram(latencies),
        **spent)


def thread_times():                                  # of this thread so far, ns: in all, on a CPU, user mode, kernel, waiting for a CPU
    with open("/proc/thread-self/schedstat") as scheduled:
        queue = int(scheduled.read().split()[1])
    usage = resource.getrusage(resource.RUSAGE_THREAD)
    return time.perf_counter_ns(), time.thread_time_ns(), int(usage.ru_utime * 1e9), int(usage.ru_stime * 1e9), queue


def parts(before, after, wall, cpu, away):           # what `wall` went to, of which `cpu` was on a CPU; others worked for `away`
    whole, used, user, kernel, queue = (late - early for early, late in zip(before, after))
    used, cpu = used - cpu, min(cpu, wall)           # while the timer stands still, this thread calculates or waits for a CPU
    kernel = cpu * kernel // max(user - used + kernel, kernel, 1)
    queue = max(0, min(queue - (whole - away - wall - used), wall - cpu))
    return {"part_user_ns": cpu - kernel, "part_kernel_ns": kernel, "part_queue_ns": queue, "part_rest_ns": wall - cpu - queue,
            "part_sync_ns": 0, "part_sleep_ns": 0}   # nobody times these: they are in the rest


def observe(stacks):                                 # samples the store's functions about every 10 ms of CPU time
    def sample(_, frame):
        names, file = [], __file__
        while frame and frame.f_code is not measure.__code__:
            file = frame.f_code.co_filename
            names.append(frame.f_code.co_qualname)
            frame = frame.f_back
        if frame and file != __file__:               # what this module calls for itself is no operation
            stacks[";".join(reversed(names))] += 1

    signal.signal(signal.SIGPROF, sample)
    signal.setitimer(signal.ITIMER_PROF, 0.01, 0.01)


def drawn(test, works, below, op):                   # an operation's kind, key and value
    work = works[0]
    if len(works) > 1:                               # the kind of operation is drawn first, then the key
        number = below(sum(work["weight"] for work in works))
        for work in works:
            if number < work["weight"]:
                break
            number -= work["weight"]
    index = op if test["keys"] == "ascending" else below(test["records"])
    value = rendered(work["value"], index, op) if work["op"] == "put" else None
    return work["op"], rendered(test["key"], index, op), value


def counted(inputs, answers, digest):                # the rows of a block, and its answers into the digest
    rows, answers = 0, iter(answers)
    for kind, _, _ in inputs:
        if kind in ("put", "remove"):
            rows += 1
            continue
        answer = next(answers)
        if kind != "get":
            digest.word(int(answer))
            rows += answer
        elif answer is not None:
            digest.bytes(answer)
            rows += 1
    return rows


def rendered(form, index, op):                       # "key_{key:8}": at least 8 digits
    number = {"key": index, "op": op}
    return re.sub(r"\{(key|op)(?::(\d+))?}", lambda found: str(number[found[1]]).zfill(int(found[2] or 0)), form).encode()


def mix(z):
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
    return z ^ (z >> 31)


def stream(seed, number):                            # SplitMix64, of the test's number: draws numbers below a bound
    state = mix((seed + K * (number + 1)) & MASK)

    def below(bound):
        nonlocal state
        state = (state + K) & MASK
        return mix(state) * bound >> 64

    return below


BLOCK_KEYS = [(mix(K * at & MASK), mix(K * (at + 1) & MASK)) for at in range(1, 128, 2)]


def hashed(data):                                    # at most 1024 bytes
    n = len(data)
    blocks = data if n >= 16 else data[:8] + data[-8:] if n >= 8 else data.ljust(16, b"\0")
    a, b = 0, n
    for at, (s, t) in zip(range(0, len(blocks), 16), BLOCK_KEYS):  # a last one that is not whole is the last 16 bytes
        u, v = struct.unpack_from("<QQ", blocks, min(at, len(blocks) - 16))
        a += ((u ^ s) & 0xFFFFFFFF) * ((u ^ s) >> 32) + v
        b += ((v ^ t) & 0xFFFFFFFF) * ((v ^ t) >> 32) + u
    return rotated(a & MASK, 32) ^ b & MASK


class Digest:                                        # what the answers amount to
    def __init__(self):
        self.value = 0

    def word(self, word):
        self.value = (rotated(self.value, 5) ^ word) * K & MASK

    def bytes(self, data):
        first, *rest = [data[at:at + 1024] for at in range(0, len(data), 1024)] or [b""]
        h = hashed(first)
        for more in rest:
            h = (rotated(h, 5) ^ hashed(more)) * K & MASK
        self.word(h)

    def rows(self, rows):
        for key, value in rows:
            self.bytes(key)
            self.bytes(value)
        return len(rows)


def rotated(word, bits):
    return (word << bits | word >> 64 - bits) & MASK


def histogram(latencies):                            # HdrHistogram V2, compressed: 1 ns to 1 h, 3 digits
    counts, out, last = {}, bytearray(), 0
    for ns in latencies:
        ns = min(ns, 3_600_000_000_000)
        doublings = (ns | 2047).bit_length() - 11
        at = doublings * 1024 + (ns >> doublings)
        counts[at] = counts.get(at, 0) + 1

    def put(number):                                 # ZigZag, then 7 bits a byte; a run of zeros is a negative number
        number = number << 1 if number >= 0 else (-number << 1) - 1
        while number > 127:
            out.append(number & 127 | 128)
            number >>= 7
        out.append(number)

    for at in sorted(counts):
        if at > last:
            put(last - at)
        put(counts[at])
        last = at + 1
    head = struct.pack(">iiiiqqd", 0x1C849313, len(out), 0, 3, 1, 3_600_000_000_000, 1.0)
    body = zlib.compress(head + bytes(out))
    return base64.b64encode(struct.pack(">ii", 0x1C849314, len(body)) + body).decode()
