-- The store's tables, in the newest version; views.sql has the views. Times are UTC, durations nanoseconds, sizes bytes.
-- NULL: not known. Results of another program's database have many of them; dbdyno's own have few.

CREATE TABLE schema_version (
    version    INTEGER NOT NULL,
    dbdyno     VARCHAR NOT NULL,          -- the program that made this version of the schema
    applied_at TIMESTAMP NOT NULL
);

CREATE TABLE host (
    host_id        VARCHAR PRIMARY KEY,   -- from the facts that stay between boots
    name           VARCHAR NOT NULL,
    cpu_model      VARCHAR,
    cores          INTEGER,
    memory_bytes   UBIGINT,
    kernel         VARCHAR,
    architecture   VARCHAR,
    virtualisation VARCHAR,
    os             VARCHAR
);

CREATE TABLE session (
    session_id       UUID PRIMARY KEY,
    host_id          VARCHAR NOT NULL,
    started_at       TIMESTAMP,
    finished_at      TIMESTAMP,           -- NULL: still running, or interrupted
    status           VARCHAR NOT NULL,    -- running, done, failed, cancelled; interrupted: its process is gone
    dbdyno_version   VARCHAR,
    debug_build      BOOLEAN,
    command_line     VARCHAR,
    preset           VARCHAR,
    suite            VARCHAR NOT NULL,
    seed             UBIGINT,
    rounds           INTEGER NOT NULL,
    planned_runs     INTEGER NOT NULL,
    kernel           VARCHAR,
    work_folder      VARCHAR,
    file_system      VARCHAR,
    mount_options    VARCHAR,
    device           VARCHAR,
    disk_model       VARCHAR,
    fsync_ns         UBIGINT,             -- median of small synced writes in the work folder
    cpu_governor     VARCHAR,
    clock_source     VARCHAR,
    load_1           DOUBLE,              -- load average when the session began
    details          JSON,                -- everything known of host, folder and load, as read
    source           VARCHAR,             -- NULL: dbdyno ran it; lumosql, listing: what it was imported from
    source_file      VARCHAR,             -- name of the file imported
    owner            VARCHAR,             -- the journal of the process that runs it, locked as long as that lives
    plan             JSON,                -- what is to be run, for whoever finishes it
    build_profile    VARCHAR,             -- how the program was built
    build_flags      VARCHAR,             -- of the compiler, for the program
    syncs_believed   BOOLEAN,             -- whether syncs of the work folder reach a disk; NULL: not examined
    sync_least_ns    UBIGINT,             -- the shortest of small synced writes there, which other work does not make longer
    sync_doubt       VARCHAR,             -- why they are not believed
    cpus_allowed     INTEGER,             -- CPUs it could run on; NULL: not known, as are its quota and memory
    cpu_quota        DOUBLE,              -- of control groups around it, CPUs' time; NULL: without
    memory_max_bytes UBIGINT,             -- of control groups around it; NULL: without
    preloaded        VARCHAR,             -- LD_PRELOAD and /etc/ld.so.preload; NULL: nothing
    allocator        VARCHAR              -- file of the library whose malloc was called; NULL: not known
);

CREATE TABLE run (
    run_id             UUID PRIMARY KEY,
    session_id         UUID NOT NULL,
    ordinal            INTEGER NOT NULL,  -- place in the session, from 0
    round              INTEGER NOT NULL,  -- runs of the same round are paired
    started_at         TIMESTAMP,
    finished_at        TIMESTAMP,
    status             VARCHAR NOT NULL,  -- as a session's; superseded: not finished, and run again from its beginning
    failure            VARCHAR,           -- why it failed
    engine             VARCHAR NOT NULL,
    engine_version     VARCHAR NOT NULL,
    label              VARCHAR NOT NULL,  -- the engine with the options that tell it from others of the session
    suite              VARCHAR NOT NULL,
    size               VARCHAR NOT NULL,  -- a number, or two with a comma between
    seed               UBIGINT,
    tier               UTINYINT,          -- 0 unsafe to 3 power-safe; NULL: unknown
    tier_reason        VARCHAR NOT NULL,
    open_ns            UBIGINT,
    cpu                INTEGER,           -- the CPU it was pinned to
    steal_share        DOUBLE,            -- of the CPU time of all cores during the run, taken by other guests
    busy_share         DOUBLE,
    psi_cpu_share      DOUBLE,            -- of the run's time that some task waited for a CPU, for I/O, for memory
    psi_io_share       DOUBLE,
    psi_memory_share   DOUBLE,
    context_switches   UBIGINT,           -- of the whole machine
    other_run_waited   BOOLEAN NOT NULL,  -- whether another session's run held the machine before it
    log                VARCHAR,           -- what the worker wrote to stderr
    engine_build       VARCHAR,           -- compile options of the engine's library, separated by commas
    twin_of            VARCHAR,           -- the label of the configuration that this is once more, for an A/A comparison
    failure_kind       VARCHAR,           -- options_differ, deadline, engine, worker, unkept; NULL: it did not fail, or is not known
    engine_source      VARCHAR,           -- which source the engine's library was built from, as it says itself: SQLite's source id
    clock              VARCHAR,           -- what times of tests are read from: the processor's counter, or the monotonic clock
    memory_limit_bytes UBIGINT,           -- what it was held to; NULL: without a limit
    data_bytes         UBIGINT,           -- rows without any overhead; NULL: the suite does not say
    cache              VARCHAR,           -- with which its tests began: warm, cold; NULL: warm
    tier_evidence      VARCHAR,           -- the latest verdict on its configuration; NULL: never tried
    throttled_periods  UBIGINT,           -- how often control groups around it had used up their CPU time; NULL: nobody counted
    throttled_ns       UBIGINT,           -- how long threads waited for more, summed over CPUs
    others_cpus        DOUBLE             -- CPUs busy on average with anything but its worker; NULL: not known
);

CREATE TABLE run_option (
    run_id   UUID NOT NULL,
    scope    VARCHAR NOT NULL,            -- engine or suite
    name     VARCHAR NOT NULL,
    asked    VARCHAR,                     -- NULL: the engine told of it by itself
    in_force VARCHAR,                     -- NULL: as given, the engine does not tell
    assumed  BOOLEAN DEFAULT false,       -- true: the imported file does not say; the default of its program
    PRIMARY KEY (run_id, scope, name)
);

CREATE TABLE result (
    run_id                UUID NOT NULL,
    test                  INTEGER NOT NULL,
    test_name             VARCHAR NOT NULL,
    finished_at           TIMESTAMP,
    wall_ns               UBIGINT,
    user_ns               UBIGINT,
    system_ns             UBIGINT,
    operations            UBIGINT,
    rows                  UBIGINT,
    verification          VARCHAR,        -- checksum of the answers; NULL: the engine does not answer
    agrees                BOOLEAN,        -- whether the answers equal those of the other engines; NULL: not compared
    p50_ns                UBIGINT,        -- of single operations, where there are enough of them
    p90_ns                UBIGINT,
    p99_ns                UBIGINT,
    p999_ns               UBIGINT,
    read_bytes            UBIGINT,
    written_bytes         UBIGINT,
    voluntary_switches    UBIGINT,
    involuntary_switches  UBIGINT,
    syncs                 UBIGINT,
    peak_rss_bytes        UBIGINT,
    database_bytes        UBIGINT,        -- with side files
    side_bytes            UBIGINT,        -- logs, journals, locks
    operations_per_sample UBIGINT,
    histogram             BLOB,           -- HdrHistogram V2 compressed, ns a sample
    failure               VARCHAR,        -- why the test failed; its figures are in no statistics
    minor_faults          UBIGINT,        -- page faults that needed no reading
    major_faults          UBIGINT,        -- page faults that had to read
    instructions          UBIGINT,        -- in user mode; NULL: the machine does not count them for a process
    open_ns               UBIGINT,        -- of opening the database, outside of the timer; NULL: it was open
    open_syncs            UBIGINT,
    open_written_bytes    UBIGINT,
    settle_ns             UBIGINT,        -- of the wait until the engine's own threads rest
    settle_syncs          UBIGINT,
    settle_written_bytes  UBIGINT,
    close_ns              UBIGINT,        -- of closing the database; NULL: it stayed open
    close_syncs           UBIGINT,
    close_written_bytes   UBIGINT,
    samples               UBIGINT,        -- latencies that were taken: of fast operations not all are
    response_p50_ns       UBIGINT,        -- of a test of several threads: from when operations were due
    response_p90_ns       UBIGINT,
    response_p99_ns       UBIGINT,
    response_p999_ns      UBIGINT,
    backlog               UBIGINT,        -- operations due at the end and not begun
    failures              UBIGINT,
    busy                  UBIGINT,        -- how often another transaction was in the way
    retries               UBIGINT,
    longest_wait_ns       UBIGINT,        -- the longest that a timed operation took
    fairness_ppm          UBIGINT,        -- Jain's index, millionths
    limit_ns              UBIGINT,        -- how long it was to last; NULL: it ended with its operations
    resident_bytes        UBIGINT,        -- in memory when it began, where it was to begin cold; NULL: it began as it was
    start_bytes           UBIGINT,        -- of so much
    open_read_bytes       UBIGINT,        -- that opening the database read
    opened_resident_bytes UBIGINT,        -- in memory once the database was open, of a test that was to begin cold
    floor_rss_bytes       UBIGINT,        -- resident memory of the worker before it opened anything
    part_user_ns          UBIGINT,        -- what the time of the measured threads went to: on a CPU in user mode
    part_kernel_ns        UBIGINT,        -- on a CPU in the kernel
    part_sync_ns          UBIGINT,        -- waiting for syncs
    part_sleep_ns         UBIGINT,        -- asleep in pauses
    part_queue_ns         UBIGINT,        -- ready, and waiting for a CPU
    part_rest_ns          UBIGINT,        -- other waiting: reads, locks, page faults
    away_ns               UBIGINT,        -- how long others had their turns; NULL: it took no turns
    away_cpu_ns           UBIGINT,        -- CPU time of the worker meanwhile
    returning_ns          UBIGINT,        -- how much longer it took because of others' turns; NULL: unknown
    PRIMARY KEY (run_id, test)
);

-- What parts of a test did: the actors of a test of several threads, and the steps of SQL that have one name; columns as those of `result`.
CREATE TABLE actor_result (
    run_id                UUID NOT NULL,
    test                  INTEGER NOT NULL,
    test_name             VARCHAR,
    finished_at           TIMESTAMP,
    wall_ns               UBIGINT,
    user_ns               UBIGINT,
    system_ns             UBIGINT,
    operations            UBIGINT,
    rows                  UBIGINT,
    agrees                BOOLEAN,
    p50_ns                UBIGINT,
    p90_ns                UBIGINT,
    p99_ns                UBIGINT,
    p999_ns               UBIGINT,
    read_bytes            UBIGINT,
    written_bytes         UBIGINT,
    voluntary_switches    UBIGINT,
    involuntary_switches  UBIGINT,
    syncs                 UBIGINT,
    peak_rss_bytes        UBIGINT,
    database_bytes        UBIGINT,
    side_bytes            UBIGINT,
    operations_per_sample UBIGINT,
    histogram             BLOB,
    failure               VARCHAR,
    minor_faults          UBIGINT,
    major_faults          UBIGINT,
    instructions          UBIGINT,
    open_ns               UBIGINT,
    open_syncs            UBIGINT,
    open_written_bytes    UBIGINT,
    settle_ns             UBIGINT,
    settle_syncs          UBIGINT,
    settle_written_bytes  UBIGINT,
    close_ns              UBIGINT,
    close_syncs           UBIGINT,
    close_written_bytes   UBIGINT,
    samples               UBIGINT,
    response_p50_ns       UBIGINT,
    response_p90_ns       UBIGINT,
    response_p99_ns       UBIGINT,
    response_p999_ns      UBIGINT,
    backlog               UBIGINT,
    failures              UBIGINT,
    busy                  UBIGINT,
    retries               UBIGINT,
    longest_wait_ns       UBIGINT,
    fairness_ppm          UBIGINT,
    limit_ns              UBIGINT,
    actor                 VARCHAR NOT NULL,
    threads               UINTEGER,
    arrival_rate          UBIGINT,        -- operations a second that were due; NULL: each when the one before it was done
    arrival_gaps          VARCHAR,        -- even, poisson
    response_histogram    BLOB,           -- as histogram, from when operations were due
    resident_bytes        UBIGINT,
    start_bytes           UBIGINT,
    open_read_bytes       UBIGINT,
    opened_resident_bytes UBIGINT,
    floor_rss_bytes       UBIGINT,
    verification          VARCHAR,        -- of a statement; NULL: of an actor, whose test has it
    plan                  VARCHAR,        -- how the engine finds a statement's rows, a step a line; NULL: unknown
    part_user_ns          UBIGINT,
    part_kernel_ns        UBIGINT,
    part_sync_ns          UBIGINT,
    part_sleep_ns         UBIGINT,
    part_queue_ns         UBIGINT,
    part_rest_ns          UBIGINT,
    away_ns               UBIGINT,
    away_cpu_ns           UBIGINT,
    returning_ns          UBIGINT,
    PRIMARY KEY (run_id, test, actor)
);

CREATE TABLE timeline (
    run_id      UUID NOT NULL,
    test        INTEGER NOT NULL,
    at_ns       UBIGINT NOT NULL,         -- end of the slot, from the beginning of the test
    duration_ns UBIGINT NOT NULL,
    operations  UBIGINT NOT NULL,         -- in this slot
    p99_ns      UBIGINT,                  -- of single operations in this slot
    histogram   BLOB,                     -- of this slot; NULL: no operation ended in it
    PRIMARY KEY (run_id, test, at_ns)
);

-- What tests that are followed came to, second by second: their actors, and the database and the process.
CREATE TABLE actor_slot (
    run_id      UUID NOT NULL,
    test        INTEGER NOT NULL,
    actor       VARCHAR NOT NULL,
    at_ns       UBIGINT NOT NULL,         -- end of the slot, from the beginning of the test
    duration_ns UBIGINT NOT NULL,
    operations  UBIGINT NOT NULL,         -- in this slot
    busy        UBIGINT NOT NULL,         -- in this slot: how often another transaction was in the way
    backlog     UBIGINT,                  -- operations due and not begun; NULL: none is due at a time
    held        UBIGINT,                  -- snapshots held; NULL: it holds none at any time
    p99_ns      UBIGINT,                  -- of operations in this slot: from when they were due, where they were
    histogram   BLOB,                     -- of this slot; NULL: no operation ended in it
    PRIMARY KEY (run_id, test, actor, at_ns)
);

CREATE TABLE reading (
    run_id UUID NOT NULL,
    test   INTEGER NOT NULL,
    at_ns  UBIGINT NOT NULL,              -- as in actor_slot
    name   VARCHAR NOT NULL,              -- database_bytes, side_bytes, rss_bytes, written_bytes, and the engine's own
    value  UBIGINT NOT NULL,
    PRIMARY KEY (run_id, test, at_ns, name)
);

-- The slices in which the tests of a round took turns.
CREATE TABLE slice (
    run_id     UUID NOT NULL,
    test       INTEGER NOT NULL,
    slice      UINTEGER NOT NULL,         -- number of the first, from 0; slices of one number ran one after the other
    slices     UINTEGER NOT NULL,         -- how many a row has
    operations UBIGINT NOT NULL,          -- in them
    wall_ns    UBIGINT NOT NULL,          -- measured time in them
    PRIMARY KEY (run_id, test, slice)
);

CREATE TABLE engine_counter (
    run_id UUID NOT NULL,
    test   INTEGER NOT NULL,
    name   VARCHAR NOT NULL,              -- as the engine's description has it: cache_misses
    value  UBIGINT NOT NULL,              -- of all threads of the test; in ns or bytes, if the name ends so
    PRIMARY KEY (run_id, test, name)
);

-- How engines find the rows of statements.
CREATE TABLE query_plan (
    run_id    UUID NOT NULL,
    test      INTEGER NOT NULL,
    statement VARCHAR NOT NULL,           -- with placeholders
    plan      VARCHAR NOT NULL,           -- a step a line
    PRIMARY KEY (run_id, test, statement)
);

-- Repetitions of tests that find out what their time goes to. The repetition is slower than the run, and compared with nothing.
CREATE TABLE explained_test (
    run_id         UUID NOT NULL,         -- the run that was repeated
    test           INTEGER NOT NULL,
    wall_ns        UBIGINT NOT NULL,      -- of the repetition
    operations     UBIGINT NOT NULL,
    part_user_ns   UBIGINT,               -- its parts, as in result
    part_kernel_ns UBIGINT,
    part_sync_ns   UBIGINT,
    part_sleep_ns  UBIGINT,
    part_queue_ns  UBIGINT,
    part_rest_ns   UBIGINT,
    stacks         VARCHAR,               -- sampled call stacks, one a line: functions from the outermost, and samples
    PRIMARY KEY (run_id, test)
);

-- The time of kinds of calls and waits in these repetitions, of all threads.
CREATE TABLE explained_spent (
    run_id  UUID NOT NULL,
    test    INTEGER NOT NULL,
    kind    VARCHAR NOT NULL,             -- read, write, lock, fault, sync, sleep
    calls   UBIGINT,                      -- NULL: not counted
    cpu_ns  UBIGINT NOT NULL,             -- on a CPU
    wait_ns UBIGINT NOT NULL,             -- waiting
    PRIMARY KEY (run_id, test, kind)
);

CREATE TABLE harness_cost (
    session_id       UUID NOT NULL,
    size             VARCHAR NOT NULL,
    engine           VARCHAR NOT NULL,    -- which does nothing: null for dbdyno's own loop, go-null, python-null
    test             INTEGER NOT NULL,
    ns_per_operation DOUBLE NOT NULL,     -- as that engine measured it
    PRIMARY KEY (session_id, size, engine, test)
);

CREATE TABLE warning (
    warning_id UUID PRIMARY KEY,
    session_id UUID NOT NULL,
    run_id     UUID,                      -- NULL: of the whole session
    test       INTEGER,                   -- NULL: of all tests
    linter     VARCHAR NOT NULL,
    message    VARCHAR NOT NULL,
    matter     VARCHAR                    -- what is wrong with a configuration, without its figures
);

-- How far each journal was taken in. Its rows stay: what was taken in once is never taken in again.
CREATE TABLE journal (
    journal_id UUID PRIMARY KEY,          -- the name of its file
    position   UBIGINT NOT NULL           -- bytes
);

-- What an imported file says of a run beyond the columns, and what users add.
CREATE TABLE run_key (
    run_id UUID NOT NULL,
    key    VARCHAR NOT NULL,
    value  VARCHAR NOT NULL,
    PRIMARY KEY (run_id, key)
);

-- The same of a test.
CREATE TABLE result_key (
    run_id UUID NOT NULL,
    test   INTEGER NOT NULL,
    key    VARCHAR NOT NULL,
    value  VARCHAR NOT NULL,
    PRIMARY KEY (run_id, test, key)
);

CREATE TABLE tag (
    run_id UUID NOT NULL,
    tag    VARCHAR NOT NULL,
    PRIMARY KEY (run_id, tag)
);

CREATE TABLE note (
    note_id  UUID PRIMARY KEY,
    run_id   UUID NOT NULL,
    noted_at TIMESTAMP NOT NULL,
    text     VARCHAR NOT NULL
);

-- A change of options that was measured against its base: the ledger of tuning. Its runs have the key `trial`.
CREATE TABLE trial (
    trial_id           UUID PRIMARY KEY,
    session_id         UUID,              -- of its last look; NULL: it was not run
    ledger             VARCHAR NOT NULL,  -- the name under which it is kept
    parent_id          UUID,              -- the accepted trial that the base comes from; NULL: the base was given
    tried_at           TIMESTAMP NOT NULL,
    kind               VARCHAR NOT NULL,  -- what-if, search
    engine             VARCHAR NOT NULL,
    engine_version     VARCHAR NOT NULL,
    suite              VARCHAR NOT NULL,
    suite_options      JSON NOT NULL,     -- those not at their default
    size               VARCHAR NOT NULL,
    tests              JSON NOT NULL,     -- numbers of the tests that count
    base               JSON NOT NULL,     -- every option of the engine
    change             JSON NOT NULL,     -- options that are changed, with their new values
    tier_before        UTINYINT,          -- NULL: of a library that is not known to obey its options nobody can say
    tier_after         UTINYINT,
    tier_reason_before VARCHAR NOT NULL,
    tier_reason_after  VARCHAR NOT NULL,
    risks              JSON NOT NULL,     -- what to know before using the new values
    seed               UBIGINT NOT NULL,
    rounds             INTEGER NOT NULL,  -- over all looks
    looks              INTEGER NOT NULL,  -- 1, and 1 more for each extension
    changes            INTEGER NOT NULL,  -- how many changes share the allowed false alarms
    state              VARCHAR NOT NULL,  -- tried, stopped, cannot_differ, failed
    reason             VARCHAR,           -- why it cannot differ, or failed
    effects            JSON NOT NULL,     -- for each test: ratio changed / base with interval, p and verdict
    overall            JSON,              -- the same of all tests together, of a search
    price              JSON,              -- memory, disk, side files and syncs, before and after
    accepted           BOOLEAN NOT NULL,  -- whether it is the base of what follows
    command_line       VARCHAR NOT NULL
);

-- What `choose` was asked and answered: which engine, with which settings. Its runs have the key `choice`.
CREATE TABLE choice (
    choice_id    UUID PRIMARY KEY,
    host_id      VARCHAR NOT NULL,
    begun_at     TIMESTAMP NOT NULL,
    suite        VARCHAR NOT NULL,
    state        VARCHAR NOT NULL,  -- running, stopped, answered
    question     JSON NOT NULL,     -- the workload, the constraints, the budget and the seed
    steps        JSON NOT NULL,     -- the sessions that were finished, in order, with which it goes on after an interruption
    answer       JSON,              -- NULL: there is none yet
    command_line VARCHAR NOT NULL
);

-- What kills and simulated power losses showed of the tier of a configuration.
CREATE TABLE tier_evidence (
    evidence_id    UUID PRIMARY KEY,
    host_id        VARCHAR NOT NULL,
    tried_at       TIMESTAMP NOT NULL,
    engine         VARCHAR NOT NULL,
    engine_version VARCHAR NOT NULL,
    choice         VARCHAR NOT NULL,   -- the engine with the options that are not at their default, as it is asked for
    options        VARCHAR NOT NULL,   -- every option of the engine, as JSON, by name
    tier           UTINYINT,           -- NULL: unknown
    tier_reason    VARCHAR NOT NULL,
    kills          UINTEGER NOT NULL,
    images         UINTEGER NOT NULL,  -- of what a disk may hold after a power loss
    whole          UINTEGER NOT NULL,  -- images with all acknowledged commits, where a file's sync keeps its name
    earlier        UINTEGER NOT NULL,  -- images without the latest of them
    broken         UINTEGER NOT NULL,  -- images that are no state between commits
    strict_names   BOOLEAN,            -- whether the tier is kept where only a folder's sync keeps names; NULL: not tried
    mutants        UINTEGER NOT NULL,  -- kinds of sync calls that were left out, one at a time
    mutants_caught UINTEGER NOT NULL,
    verdict        VARCHAR NOT NULL,   -- evidenced, contradicted, not evidenced
    reason         VARCHAR,            -- what contradicts it, or why nothing was shown
    image          VARCHAR,            -- the folder with what contradicts it
    seed           UBIGINT NOT NULL,
    command_line   VARCHAR NOT NULL,
    route          VARCHAR             -- how its writes were recorded: writes (the worker's calls), mount; NULL: no images, or not known
);
