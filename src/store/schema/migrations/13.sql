-- What opening the database read, and what of it was in memory when the timer of a test began that was to begin cold.
ALTER TABLE result ADD COLUMN IF NOT EXISTS open_read_bytes UBIGINT;
ALTER TABLE result ADD COLUMN IF NOT EXISTS opened_resident_bytes UBIGINT;
ALTER TABLE actor_result ADD COLUMN IF NOT EXISTS open_read_bytes UBIGINT;
ALTER TABLE actor_result ADD COLUMN IF NOT EXISTS opened_resident_bytes UBIGINT;
-- Resident memory of the worker before it opened anything.
ALTER TABLE result ADD COLUMN IF NOT EXISTS floor_rss_bytes UBIGINT;
ALTER TABLE actor_result ADD COLUMN IF NOT EXISTS floor_rss_bytes UBIGINT;
