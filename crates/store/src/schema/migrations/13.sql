-- What opening the database read, and what of it was in memory when the timer of a test began that was to begin cold.
ALTER TABLE result ADD COLUMN IF NOT EXISTS open_read_bytes UBIGINT;
ALTER TABLE result ADD COLUMN IF NOT EXISTS opened_resident_bytes UBIGINT;
ALTER TABLE actor_result ADD COLUMN IF NOT EXISTS open_read_bytes UBIGINT;
ALTER TABLE actor_result ADD COLUMN IF NOT EXISTS opened_resident_bytes UBIGINT;
-- Resident memory of the worker before it opened anything.
ALTER TABLE result ADD COLUMN IF NOT EXISTS floor_rss_bytes UBIGINT;
ALTER TABLE actor_result ADD COLUMN IF NOT EXISTS floor_rss_bytes UBIGINT;
-- Whether syncs of the work folder reach a disk, and what of the machine a session was let have.
ALTER TABLE session ADD COLUMN IF NOT EXISTS syncs_believed BOOLEAN; -- NULL: not examined
ALTER TABLE session ADD COLUMN IF NOT EXISTS sync_least_ns UBIGINT; -- the shortest of small synced writes there, which other work does not make longer
ALTER TABLE session ADD COLUMN IF NOT EXISTS sync_doubt VARCHAR; -- why they are not believed
ALTER TABLE session ADD COLUMN IF NOT EXISTS cpus_allowed INTEGER; -- CPUs it could run on; NULL: not known, as are its quota and memory
ALTER TABLE session ADD COLUMN IF NOT EXISTS cpu_quota DOUBLE; -- of control groups around it, CPUs' time; NULL: without
ALTER TABLE session ADD COLUMN IF NOT EXISTS memory_max_bytes UBIGINT; -- of control groups around it; NULL: without
ALTER TABLE session ADD COLUMN IF NOT EXISTS preloaded VARCHAR; -- LD_PRELOAD and /etc/ld.so.preload; NULL: nothing
ALTER TABLE session ADD COLUMN IF NOT EXISTS allocator VARCHAR; -- file of the library whose malloc was called; NULL: not known
-- How often those control groups had used up their CPU time, and how long threads waited for more, summed over CPUs.
ALTER TABLE run ADD COLUMN IF NOT EXISTS throttled_periods UBIGINT; -- NULL: nobody counted
ALTER TABLE run ADD COLUMN IF NOT EXISTS throttled_ns UBIGINT;
ALTER TABLE run ADD COLUMN IF NOT EXISTS others_cpus DOUBLE; -- CPUs busy on average with anything but its worker; NULL: not known
