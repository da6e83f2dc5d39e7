-- The views, made anew by each new version of the schema. `{of}` keeps them to some runs where a query needs no others.

-- One row a run: what is known of it but its tests.
CREATE OR REPLACE VIEW run_facts AS
SELECT
    s.session_id,
    r.run_id,
    r.round,
    r.started_at,
    r.finished_at,
    h.name AS host,
    r.suite,
    r.size,
    r.engine,
    r.engine_version,
    r.label,
    coalesce(o.options, MAP {}) AS options,
    r.tier,
    r.tier_evidence,
    r.status AS run_status,
    r.failure AS run_failure,
    s.preset,
    r.seed,
    s.host_id,
    h.cpu_model AS cpu,
    s.disk_model AS disk,
    s.source,
    s.source_file,
    r.memory_limit_bytes,
    r.data_bytes,
    coalesce(r.cache, 'warm') AS cache,
    coalesce(k.keys, MAP {}) AS keys,
    coalesce(g.tags, []) AS tags
FROM (FROM run {of}) r
JOIN session s ON s.session_id = r.session_id
LEFT JOIN host h ON h.host_id = s.host_id
LEFT JOIN (
    SELECT run_id, map_from_entries(list({'k': name, 'v': value} ORDER BY name)) AS options
    FROM (
        -- An option of the engine comes before one of the suite with the same name.
        SELECT run_id, name, arg_min(coalesce(in_force, asked), scope) AS value
        FROM run_option {of}
        GROUP BY run_id, name
    )
    GROUP BY run_id
) o ON o.run_id = r.run_id
LEFT JOIN (
    SELECT run_id, map_from_entries(list({'k': key, 'v': value} ORDER BY key)) AS keys FROM run_key {of} GROUP BY run_id
) k ON k.run_id = r.run_id
LEFT JOIN (SELECT run_id, list(tag ORDER BY tag) AS tags FROM tag {of} GROUP BY run_id) g ON g.run_id = r.run_id;

-- One row a run and test; a run without a test has one row with none.
CREATE OR REPLACE VIEW run_tests AS
SELECT
    r.session_id,
    r.run_id,
    r.round,
    r.started_at,
    r.host,
    r.suite,
    t.test,
    t.test_name,
    t.actor,
    r.size,
    r.engine,
    r.engine_version,
    r.label,
    r.options,
    r.tier,
    r.tier_evidence,
    {status} AS status,
    {run_status} AS run_status,
    {figures},
    t.verification,
    {verified} AS verified,
    r.preset,
    r.seed,
    r.host_id,
    t.failure,
    r.cpu,
    r.disk,
    r.source,
    r.memory_limit_bytes,
    r.data_bytes,
    r.cache,
    r.keys,
    r.tags
FROM run_facts r
LEFT JOIN (FROM {tests} {of}) t ON t.run_id = r.run_id;

-- One row a run and test: what people query.
CREATE OR REPLACE VIEW results AS SELECT * FROM run_tests WHERE test IS NOT NULL;

-- One row a run, those without a test too.
CREATE OR REPLACE VIEW runs AS
SELECT
    -- A run that was done without a finished test.
    r.* REPLACE (CASE WHEN t.tests IS NULL AND r.run_status = 'done' THEN 'empty' ELSE r.run_status END AS run_status),
    coalesce(t.tests, 0) AS tests,
    coalesce(t.failed, 0) AS failed_tests,
    t.wall_ns
FROM run_facts r
LEFT JOIN (
    SELECT run_id, count(*) AS tests, count(failure) AS failed, sum(wall_ns) FILTER (failure IS NULL) AS wall_ns
    FROM result {of}
    GROUP BY run_id
) t ON t.run_id = r.run_id;
