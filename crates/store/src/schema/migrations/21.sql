-- How engines find the rows of statements.
CREATE TABLE query_plan (
    run_id    UUID NOT NULL,
    test      INTEGER NOT NULL,
    statement VARCHAR NOT NULL,
    plan      VARCHAR NOT NULL,
    PRIMARY KEY (run_id, test, statement)
);

-- Repetitions of tests that find out what their time goes to. The repetition is slower than the run, and compared with nothing.
CREATE TABLE explained_test (
    run_id         UUID NOT NULL,
    test           INTEGER NOT NULL,
    wall_ns        UBIGINT NOT NULL,
    operations     UBIGINT NOT NULL,
    part_user_ns   UBIGINT,
    part_kernel_ns UBIGINT,
    part_sync_ns   UBIGINT,
    part_sleep_ns  UBIGINT,
    part_queue_ns  UBIGINT,
    part_rest_ns   UBIGINT,
    stacks         VARCHAR,
    PRIMARY KEY (run_id, test)
);

-- The time of kinds of calls and waits in these repetitions, of all threads.
CREATE TABLE explained_spent (
    run_id  UUID NOT NULL,
    test    INTEGER NOT NULL,
    kind    VARCHAR NOT NULL,
    calls   UBIGINT,
    cpu_ns  UBIGINT NOT NULL,
    wait_ns UBIGINT NOT NULL,
    PRIMARY KEY (run_id, test, kind)
);
