-- Which source the engine's library was built from, as it says itself: SQLite's source id.
ALTER TABLE run ADD COLUMN IF NOT EXISTS engine_source VARCHAR;
-- What earlier versions promised too much of. SQLite unlinks a rollback journal without syncing its folder, unless it has an exclusive
-- lock; and libraries were not examined.
UPDATE run SET tier = 2, tier_reason = 'the journal is unlinked and its folder never synced' WHERE engine = 'sqlite' AND tier = 3
AND run_id IN (SELECT run_id FROM run_option WHERE scope = 'engine' AND coalesce(in_force, asked) = 'delete' AND name = 'journal_mode')
AND run_id IN (SELECT run_id FROM run_option WHERE scope = 'engine' AND coalesce(in_force, asked) = 'full' AND name = 'synchronous')
AND run_id IN (SELECT run_id FROM run_option WHERE scope = 'engine' AND coalesce(in_force, asked) = 'normal' AND name = 'locking_mode');
UPDATE run SET tier = NULL, tier_reason = 'the library was not examined' WHERE engine = 'sqlite-lib';
-- Of a library that is not known to obey its options nobody can say what a commit survives: NULL, as a run's tier.
ALTER TABLE trial ALTER COLUMN tier_before DROP NOT NULL;
ALTER TABLE trial ALTER COLUMN tier_after DROP NOT NULL;
