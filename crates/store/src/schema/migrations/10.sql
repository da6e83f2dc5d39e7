-- Latencies that were taken: of fast operations not all are.
ALTER TABLE result ADD COLUMN IF NOT EXISTS samples UBIGINT;
-- What the actors of a test of several threads did.
ALTER TABLE result ADD COLUMN IF NOT EXISTS response_p50_ns UBIGINT;
ALTER TABLE result ADD COLUMN IF NOT EXISTS response_p90_ns UBIGINT;
ALTER TABLE result ADD COLUMN IF NOT EXISTS response_p99_ns UBIGINT;
ALTER TABLE result ADD COLUMN IF NOT EXISTS response_p999_ns UBIGINT;
ALTER TABLE result ADD COLUMN IF NOT EXISTS backlog UBIGINT;
ALTER TABLE result ADD COLUMN IF NOT EXISTS failures UBIGINT;
ALTER TABLE result ADD COLUMN IF NOT EXISTS busy UBIGINT;
ALTER TABLE result ADD COLUMN IF NOT EXISTS retries UBIGINT;
ALTER TABLE result ADD COLUMN IF NOT EXISTS longest_wait_ns UBIGINT;
ALTER TABLE result ADD COLUMN IF NOT EXISTS fairness_ppm UBIGINT; -- Jain's index, millionths
ALTER TABLE result ADD COLUMN IF NOT EXISTS limit_ns UBIGINT; -- NULL: the test ended with its operations
CREATE TABLE actor_result AS FROM result LIMIT 0;
ALTER TABLE actor_result DROP COLUMN verification;
ALTER TABLE actor_result ADD COLUMN actor VARCHAR;
ALTER TABLE actor_result ADD COLUMN threads UINTEGER;
ALTER TABLE actor_result ADD COLUMN arrival_rate UBIGINT; -- operations a second that were due; NULL: each when the one before it was done
ALTER TABLE actor_result ADD COLUMN arrival_gaps VARCHAR; -- even, poisson
ALTER TABLE actor_result ADD COLUMN response_histogram BLOB; -- as histogram, from when operations were due
ALTER TABLE actor_result ADD PRIMARY KEY (run_id, test, actor);
-- How the program was built.
ALTER TABLE session ADD COLUMN IF NOT EXISTS build_profile VARCHAR;
ALTER TABLE session ADD COLUMN IF NOT EXISTS build_flags VARCHAR;
-- What times of tests are read from: the processor's counter, or the monotonic clock.
ALTER TABLE run ADD COLUMN IF NOT EXISTS clock VARCHAR;
