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
