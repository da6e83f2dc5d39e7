-- What engines counted themselves.
CREATE TABLE engine_counter (
    run_id UUID NOT NULL,
    test   INTEGER NOT NULL,
    name   VARCHAR NOT NULL,
    value  UBIGINT NOT NULL,
    PRIMARY KEY (run_id, test, name)
);
