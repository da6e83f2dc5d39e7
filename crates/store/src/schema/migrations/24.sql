-- What the turns of others cost a test in slices.
ALTER TABLE result ADD COLUMN returning_ns UBIGINT;
ALTER TABLE actor_result ADD COLUMN returning_ns UBIGINT;
