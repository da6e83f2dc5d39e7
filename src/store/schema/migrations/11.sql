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
