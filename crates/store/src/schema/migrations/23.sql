-- The slices in which the tests of a round took turns.
CREATE TABLE slice (
    run_id     UUID NOT NULL,
    test       INTEGER NOT NULL,
    slice      UINTEGER NOT NULL,
    slices     UINTEGER NOT NULL,
    operations UBIGINT NOT NULL,
    wall_ns    UBIGINT NOT NULL,
    PRIMARY KEY (run_id, test, slice)
);

-- What workers did while others had their turns.
ALTER TABLE result ADD COLUMN away_ns UBIGINT;
ALTER TABLE result ADD COLUMN away_cpu_ns UBIGINT;
ALTER TABLE actor_result ADD COLUMN away_ns UBIGINT;
ALTER TABLE actor_result ADD COLUMN away_cpu_ns UBIGINT;
