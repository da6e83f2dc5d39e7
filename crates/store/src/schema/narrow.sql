-- The rows of the view `run_tests` with the columns that selections and pages need. Its maps hold only the names asked for, so
-- that a page need not decode all options of all runs: `options` and `keys` are put in. `of` may keep it to some runs. The columns of
-- tests and their join make the rows those of tests; without them there is one row a run.
SELECT
    r.session_id,
    r.run_id,
    r.round,
    r.started_at,
    h.name AS host,
    r.suite,
    r.size,
    r.engine,
    r.engine_version,
    r.label,
    r.tier,
    r.tier_evidence,
    {columns_of_tests},
    s.preset,
    s.host_id,
    h.cpu_model AS cpu,
    s.disk_model AS disk,
    s.source,
    r.memory_limit_bytes,
    coalesce(r.cache, 'warm') AS cache,
    {options} AS options,
    {keys} AS keys,
    coalesce(g.tags, []) AS tags
FROM (SELECT *, status AS run_status FROM run {of}) r
JOIN session s ON s.session_id = r.session_id
LEFT JOIN host h ON h.host_id = s.host_id
{join_tests}
LEFT JOIN (SELECT run_id, list(tag ORDER BY tag) AS tags FROM tag {of} GROUP BY run_id) g ON g.run_id = r.run_id
