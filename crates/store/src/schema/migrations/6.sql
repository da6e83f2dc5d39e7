-- What was read from texts before: see fill_in.sql.
ALTER TABLE run ADD COLUMN IF NOT EXISTS twin_of VARCHAR;      -- the label of the configuration that this is once more, for an A/A comparison
ALTER TABLE run ADD COLUMN IF NOT EXISTS failure_kind VARCHAR; -- options_differ, deadline, engine, worker, unkept; NULL: it did not fail, or is not known
