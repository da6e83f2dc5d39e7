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
-- What a run was held to: how much memory it had for how much data, and whether tests began with an empty cache.
ALTER TABLE run ADD COLUMN IF NOT EXISTS memory_limit_bytes UBIGINT; -- NULL: without a limit
ALTER TABLE run ADD COLUMN IF NOT EXISTS data_bytes UBIGINT; -- rows without any overhead; NULL: the suite does not say
ALTER TABLE run ADD COLUMN IF NOT EXISTS cache VARCHAR; -- warm, cold; NULL: warm
-- What was in memory when a test began that was to begin cold.
ALTER TABLE result ADD COLUMN IF NOT EXISTS resident_bytes UBIGINT; -- NULL: it began as it was
ALTER TABLE result ADD COLUMN IF NOT EXISTS start_bytes UBIGINT; -- of so much
ALTER TABLE actor_result ADD COLUMN IF NOT EXISTS resident_bytes UBIGINT;
ALTER TABLE actor_result ADD COLUMN IF NOT EXISTS start_bytes UBIGINT;
