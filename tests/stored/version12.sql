-- The tables of a store as dbdyno 0.2.0 made them, by DuckDB's own account.

CREATE TABLE schema_version (
    "version" INTEGER NOT NULL, dbdyno VARCHAR NOT NULL, applied_at TIMESTAMP NOT NULL
);

CREATE TABLE host (
    host_id VARCHAR PRIMARY KEY, "name" VARCHAR NOT NULL, cpu_model VARCHAR, cores INTEGER, memory_bytes UBIGINT, kernel VARCHAR,
    architecture VARCHAR, virtualisation VARCHAR, os VARCHAR
);

CREATE TABLE "session" (
    session_id UUID PRIMARY KEY, host_id VARCHAR NOT NULL, started_at TIMESTAMP, finished_at TIMESTAMP, status VARCHAR NOT NULL,
    dbdyno_version VARCHAR, debug_build BOOLEAN, command_line VARCHAR, preset VARCHAR, suite VARCHAR NOT NULL, seed UBIGINT,
    rounds INTEGER NOT NULL, planned_runs INTEGER NOT NULL, kernel VARCHAR, work_folder VARCHAR, file_system VARCHAR,
    mount_options VARCHAR, device VARCHAR, disk_model VARCHAR, fsync_ns UBIGINT, cpu_governor VARCHAR, clock_source VARCHAR,
    load_1 DOUBLE, details JSON, "source" VARCHAR, source_file VARCHAR, "owner" VARCHAR, plan JSON, build_profile VARCHAR,
    build_flags VARCHAR
);

CREATE TABLE run (
    run_id UUID PRIMARY KEY, session_id UUID NOT NULL, ordinal INTEGER NOT NULL, round INTEGER NOT NULL, started_at TIMESTAMP,
    finished_at TIMESTAMP, status VARCHAR NOT NULL, failure VARCHAR, engine VARCHAR NOT NULL, engine_version VARCHAR NOT NULL,
    "label" VARCHAR NOT NULL, suite VARCHAR NOT NULL, size VARCHAR NOT NULL, seed UBIGINT, tier UTINYINT,
    tier_reason VARCHAR NOT NULL, open_ns UBIGINT, cpu INTEGER, steal_share DOUBLE, busy_share DOUBLE, psi_cpu_share DOUBLE,
    psi_io_share DOUBLE, psi_memory_share DOUBLE, context_switches UBIGINT, other_run_waited BOOLEAN NOT NULL, log VARCHAR,
    engine_build VARCHAR, twin_of VARCHAR, failure_kind VARCHAR, engine_source VARCHAR, clock VARCHAR, memory_limit_bytes UBIGINT,
    data_bytes UBIGINT, "cache" VARCHAR, tier_evidence VARCHAR
);

CREATE TABLE run_option (
    run_id UUID, "scope" VARCHAR, "name" VARCHAR, asked VARCHAR, in_force VARCHAR, assumed BOOLEAN DEFAULT(false),
    PRIMARY KEY(run_id, "scope", "name")
);

CREATE TABLE result (
    run_id UUID, test INTEGER, test_name VARCHAR NOT NULL, finished_at TIMESTAMP, wall_ns UBIGINT, user_ns UBIGINT,
    system_ns UBIGINT, operations UBIGINT, "rows" UBIGINT, verification VARCHAR, agrees BOOLEAN, p50_ns UBIGINT, p90_ns UBIGINT,
    p99_ns UBIGINT, p999_ns UBIGINT, read_bytes UBIGINT, written_bytes UBIGINT, voluntary_switches UBIGINT,
    involuntary_switches UBIGINT, syncs UBIGINT, peak_rss_bytes UBIGINT, database_bytes UBIGINT, side_bytes UBIGINT,
    operations_per_sample UBIGINT, histogram BLOB, failure VARCHAR, minor_faults UBIGINT, major_faults UBIGINT,
    instructions UBIGINT, open_ns UBIGINT, open_syncs UBIGINT, open_written_bytes UBIGINT, settle_ns UBIGINT,
    settle_syncs UBIGINT, settle_written_bytes UBIGINT, close_ns UBIGINT, close_syncs UBIGINT, close_written_bytes UBIGINT,
    samples UBIGINT, response_p50_ns UBIGINT, response_p90_ns UBIGINT, response_p99_ns UBIGINT, response_p999_ns UBIGINT,
    backlog UBIGINT, failures UBIGINT, busy UBIGINT, retries UBIGINT, longest_wait_ns UBIGINT, fairness_ppm UBIGINT,
    limit_ns UBIGINT, resident_bytes UBIGINT, start_bytes UBIGINT, PRIMARY KEY(run_id, test)
);

CREATE TABLE timeline (
    run_id UUID, test INTEGER, at_ns UBIGINT, duration_ns UBIGINT NOT NULL, operations UBIGINT NOT NULL, p99_ns UBIGINT,
    histogram BLOB, PRIMARY KEY(run_id, test, at_ns)
);

CREATE TABLE harness_cost (
    session_id UUID, size VARCHAR, test INTEGER, ns_per_operation DOUBLE NOT NULL, PRIMARY KEY(session_id, size, test)
);

CREATE TABLE warning (
    warning_id UUID PRIMARY KEY, session_id UUID NOT NULL, run_id UUID, test INTEGER, linter VARCHAR NOT NULL,
    message VARCHAR NOT NULL
);

CREATE TABLE journal (
    journal_id UUID PRIMARY KEY, "position" UBIGINT NOT NULL
);

CREATE TABLE run_key (
    run_id UUID, "key" VARCHAR, "value" VARCHAR NOT NULL, PRIMARY KEY(run_id, "key")
);

CREATE TABLE result_key (
    run_id UUID, test INTEGER, "key" VARCHAR, "value" VARCHAR NOT NULL, PRIMARY KEY(run_id, test, "key")
);

CREATE TABLE tag (
    run_id UUID, tag VARCHAR, PRIMARY KEY(run_id, tag)
);

CREATE TABLE note (
    note_id UUID PRIMARY KEY, run_id UUID NOT NULL, noted_at TIMESTAMP NOT NULL, "text" VARCHAR NOT NULL
);

CREATE TABLE trial (
    trial_id UUID PRIMARY KEY, session_id UUID, ledger VARCHAR NOT NULL, parent_id UUID, tried_at TIMESTAMP NOT NULL,
    kind VARCHAR NOT NULL, engine VARCHAR NOT NULL, engine_version VARCHAR NOT NULL, suite VARCHAR NOT NULL,
    suite_options JSON NOT NULL, size VARCHAR NOT NULL, tests JSON NOT NULL, base JSON NOT NULL, change JSON NOT NULL,
    tier_before UTINYINT, tier_after UTINYINT, tier_reason_before VARCHAR NOT NULL, tier_reason_after VARCHAR NOT NULL,
    risks JSON NOT NULL, seed UBIGINT NOT NULL, rounds INTEGER NOT NULL, looks INTEGER NOT NULL, changes INTEGER NOT NULL,
    state VARCHAR NOT NULL, reason VARCHAR, effects JSON NOT NULL, overall JSON, price JSON, accepted BOOLEAN NOT NULL,
    command_line VARCHAR NOT NULL
);

CREATE TABLE actor_result (
    run_id UUID, test INTEGER, test_name VARCHAR, finished_at TIMESTAMP, wall_ns UBIGINT, user_ns UBIGINT, system_ns UBIGINT,
    operations UBIGINT, "rows" UBIGINT, agrees BOOLEAN, p50_ns UBIGINT, p90_ns UBIGINT, p99_ns UBIGINT, p999_ns UBIGINT,
    read_bytes UBIGINT, written_bytes UBIGINT, voluntary_switches UBIGINT, involuntary_switches UBIGINT, syncs UBIGINT,
    peak_rss_bytes UBIGINT, database_bytes UBIGINT, side_bytes UBIGINT, operations_per_sample UBIGINT, histogram BLOB,
    failure VARCHAR, minor_faults UBIGINT, major_faults UBIGINT, instructions UBIGINT, open_ns UBIGINT, open_syncs UBIGINT,
    open_written_bytes UBIGINT, settle_ns UBIGINT, settle_syncs UBIGINT, settle_written_bytes UBIGINT, close_ns UBIGINT,
    close_syncs UBIGINT, close_written_bytes UBIGINT, samples UBIGINT, response_p50_ns UBIGINT, response_p90_ns UBIGINT,
    response_p99_ns UBIGINT, response_p999_ns UBIGINT, backlog UBIGINT, failures UBIGINT, busy UBIGINT, retries UBIGINT,
    longest_wait_ns UBIGINT, fairness_ppm UBIGINT, limit_ns UBIGINT, actor VARCHAR, threads UINTEGER, arrival_rate UBIGINT,
    arrival_gaps VARCHAR, response_histogram BLOB, resident_bytes UBIGINT, start_bytes UBIGINT, PRIMARY KEY(run_id, test, actor)
);

CREATE TABLE actor_slot (
    run_id UUID, test INTEGER, actor VARCHAR, at_ns UBIGINT, duration_ns UBIGINT NOT NULL, operations UBIGINT NOT NULL,
    busy UBIGINT NOT NULL, backlog UBIGINT, held UBIGINT, p99_ns UBIGINT, histogram BLOB, PRIMARY KEY(run_id, test, actor, at_ns)
);

CREATE TABLE reading (
    run_id UUID, test INTEGER, at_ns UBIGINT, "name" VARCHAR, "value" UBIGINT NOT NULL, PRIMARY KEY(run_id, test, at_ns, "name")
);

CREATE TABLE tier_evidence (
    evidence_id UUID PRIMARY KEY, host_id VARCHAR NOT NULL, tried_at TIMESTAMP NOT NULL, engine VARCHAR NOT NULL,
    engine_version VARCHAR NOT NULL, choice VARCHAR NOT NULL, "options" VARCHAR NOT NULL, tier UTINYINT,
    tier_reason VARCHAR NOT NULL, kills UINTEGER NOT NULL, images UINTEGER NOT NULL, whole UINTEGER NOT NULL,
    earlier UINTEGER NOT NULL, broken UINTEGER NOT NULL, strict_names BOOLEAN, mutants UINTEGER NOT NULL,
    mutants_caught UINTEGER NOT NULL, verdict VARCHAR NOT NULL, reason VARCHAR, image VARCHAR, seed UBIGINT NOT NULL,
    command_line VARCHAR NOT NULL
);
