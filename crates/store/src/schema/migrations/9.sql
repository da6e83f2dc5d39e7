-- What is done for a test outside of its timer: opening the database, the wait until the engine's own threads rest, closing it.
ALTER TABLE result ADD COLUMN IF NOT EXISTS open_ns UBIGINT; -- NULL: the database was open
ALTER TABLE result ADD COLUMN IF NOT EXISTS open_syncs UBIGINT;
ALTER TABLE result ADD COLUMN IF NOT EXISTS open_written_bytes UBIGINT;
ALTER TABLE result ADD COLUMN IF NOT EXISTS settle_ns UBIGINT;
ALTER TABLE result ADD COLUMN IF NOT EXISTS settle_syncs UBIGINT;
ALTER TABLE result ADD COLUMN IF NOT EXISTS settle_written_bytes UBIGINT;
ALTER TABLE result ADD COLUMN IF NOT EXISTS close_ns UBIGINT; -- NULL: it stayed open
ALTER TABLE result ADD COLUMN IF NOT EXISTS close_syncs UBIGINT;
ALTER TABLE result ADD COLUMN IF NOT EXISTS close_written_bytes UBIGINT;
