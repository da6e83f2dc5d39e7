-- The store's schema, version 1. Times are UTC, durations nanoseconds, sizes bytes.

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
    session_id     UUID PRIMARY KEY,
    host_id        VARCHAR NOT NULL,
    started_at     TIMESTAMP NOT NULL,
    finished_at    TIMESTAMP,             -- NULL: still running, or interrupted
    status         VARCHAR NOT NULL,      -- running, done, failed, cancelled
    dbdyno_version VARCHAR NOT NULL,
    debug_build    BOOLEAN NOT NULL,
    command_line   VARCHAR NOT NULL,
    preset         VARCHAR,
    suite          VARCHAR NOT NULL,
    seed           UBIGINT NOT NULL,
    rounds         INTEGER NOT NULL,
    planned_runs   INTEGER NOT NULL,
    kernel         VARCHAR,
    work_folder    VARCHAR NOT NULL,
    file_system    VARCHAR,
    mount_options  VARCHAR,
    device         VARCHAR,
    disk_model     VARCHAR,
    fsync_ns       UBIGINT,               -- median of small synced writes in the work folder
    cpu_governor   VARCHAR,
    clock_source   VARCHAR,
    load_1         DOUBLE,                -- load average when the session began
    details        JSON                   -- everything known of host, folder and load, as read
);

CREATE TABLE run (
    run_id          UUID PRIMARY KEY,
    session_id      UUID NOT NULL,
    ordinal         INTEGER NOT NULL,     -- place in the session, from 0
    round           INTEGER NOT NULL,     -- runs of the same round are paired
    started_at      TIMESTAMP NOT NULL,
    finished_at     TIMESTAMP,
    status          VARCHAR NOT NULL,     -- running, done, failed, cancelled
    failure         VARCHAR,              -- why it failed
    engine          VARCHAR NOT NULL,
    engine_version  VARCHAR NOT NULL,
    label           VARCHAR NOT NULL,     -- the engine with the options that tell it from others of the session
    suite           VARCHAR NOT NULL,
    size            VARCHAR NOT NULL,     -- a number, or two with a comma between
    seed            UBIGINT NOT NULL,
    tier            UTINYINT NOT NULL,    -- 0 unsafe to 3 power-safe
    tier_reason     VARCHAR NOT NULL,
    open_ns         UBIGINT,
    cpu             INTEGER,              -- the CPU it was pinned to
    steal_share     DOUBLE,               -- of the CPU time of all cores during the run, taken by other guests
    busy_share      DOUBLE,
    psi_cpu_share   DOUBLE,               -- of the run's time that some task waited for a CPU, for I/O, for memory
    psi_io_share    DOUBLE,
    psi_memory_share DOUBLE,
    context_switches UBIGINT,             -- of the whole machine
    other_run_waited BOOLEAN NOT NULL,    -- whether another session's run held the machine before it
    log             VARCHAR               -- what the worker wrote to stderr
);

CREATE TABLE run_option (
    run_id   UUID NOT NULL,
    scope    VARCHAR NOT NULL,            -- engine or suite
    name     VARCHAR NOT NULL,
    asked    VARCHAR,                     -- NULL: the engine told of it by itself
    in_force VARCHAR,                     -- NULL: cannot be read back
    PRIMARY KEY (run_id, scope, name)
);

CREATE TABLE result (
    run_id                UUID NOT NULL,
    test                  INTEGER NOT NULL,
    test_name             VARCHAR NOT NULL,
    finished_at           TIMESTAMP NOT NULL,
    wall_ns               UBIGINT NOT NULL,
    user_ns               UBIGINT NOT NULL,
    system_ns             UBIGINT NOT NULL,
    operations            UBIGINT NOT NULL,
    rows                  UBIGINT NOT NULL,
    verification          VARCHAR,        -- checksum of the answers; NULL: the engine does not answer
    agrees                BOOLEAN,        -- whether the answers equal those of the other engines; NULL: not compared
    p50_ns                UBIGINT,        -- of single operations, where there are enough of them
    p90_ns                UBIGINT,
    p99_ns                UBIGINT,
    p999_ns               UBIGINT,
    read_bytes            UBIGINT NOT NULL,
    written_bytes         UBIGINT NOT NULL,
    voluntary_switches    UBIGINT NOT NULL,
    involuntary_switches  UBIGINT NOT NULL,
    syncs                 UBIGINT NOT NULL,
    peak_rss_bytes        UBIGINT NOT NULL,
    database_bytes        UBIGINT NOT NULL, -- with side files
    side_bytes            UBIGINT NOT NULL, -- logs, journals, locks
    operations_per_sample UBIGINT NOT NULL,
    histogram             BLOB NOT NULL,  -- HdrHistogram V2 compressed, ns a sample
    PRIMARY KEY (run_id, test)
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

CREATE TABLE harness_cost (
    session_id       UUID NOT NULL,
    size             VARCHAR NOT NULL,
    test             INTEGER NOT NULL,
    ns_per_operation DOUBLE NOT NULL,     -- as the engine that does nothing measured it
    PRIMARY KEY (session_id, size, test)
);

CREATE TABLE warning (
    warning_id UUID PRIMARY KEY,
    session_id UUID NOT NULL,
    run_id     UUID,                      -- NULL: of the whole session
    test       INTEGER,                   -- NULL: of all tests
    linter     VARCHAR NOT NULL,
    message    VARCHAR NOT NULL
);

-- One row a run and test: what people query.
CREATE VIEW results AS
SELECT
    s.session_id,
    r.run_id,
    r.round,
    r.started_at,
    h.name AS host,
    r.suite,
    t.test,
    t.test_name,
    r.size,
    r.engine,
    r.engine_version,
    r.label,
    coalesce(o.options, MAP {}) AS options,
    r.tier,
    CASE WHEN t.agrees = false THEN 'disagrees' ELSE 'ok' END AS status,
    r.status AS run_status,
    t.wall_ns,
    t.user_ns + t.system_ns AS cpu_ns,
    t.operations,
    t.rows,
    CASE WHEN t.wall_ns > 0 THEN t.operations * 1e9 / t.wall_ns END AS rate,
    t.p50_ns,
    t.p90_ns,
    t.p99_ns,
    t.p999_ns,
    t.database_bytes,
    t.side_bytes,
    t.syncs,
    t.written_bytes,
    t.read_bytes,
    t.peak_rss_bytes,
    t.verification,
    s.preset,
    r.seed,
    s.host_id
FROM result t
JOIN run r ON r.run_id = t.run_id
JOIN session s ON s.session_id = r.session_id
LEFT JOIN host h ON h.host_id = s.host_id
LEFT JOIN (
    SELECT run_id, map_from_entries(list({'k': name, 'v': value} ORDER BY name)) AS options
    FROM (
        -- An option of the engine comes before one of the suite with the same name.
        SELECT run_id, name, arg_min(coalesce(in_force, asked), scope) AS value
        FROM run_option
        GROUP BY run_id, name
    )
    GROUP BY run_id
) o ON o.run_id = r.run_id;
