-- What a run was held to: how much memory it had for how much data, and whether tests began with an empty cache.
ALTER TABLE run ADD COLUMN IF NOT EXISTS memory_limit_bytes UBIGINT; -- NULL: without a limit
ALTER TABLE run ADD COLUMN IF NOT EXISTS data_bytes UBIGINT; -- rows without any overhead; NULL: the suite does not say
ALTER TABLE run ADD COLUMN IF NOT EXISTS cache VARCHAR; -- warm, cold; NULL: warm
-- What was in memory when a test began that was to begin cold.
ALTER TABLE result ADD COLUMN IF NOT EXISTS resident_bytes UBIGINT; -- NULL: it began as it was
ALTER TABLE result ADD COLUMN IF NOT EXISTS start_bytes UBIGINT; -- of so much
ALTER TABLE actor_result ADD COLUMN IF NOT EXISTS resident_bytes UBIGINT;
ALTER TABLE actor_result ADD COLUMN IF NOT EXISTS start_bytes UBIGINT;
