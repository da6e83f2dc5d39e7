-- The views, made anew by each new version of the schema. `{of}` keeps them to some runs where a query needs no others.

-- One row a run: what is known of it but its tests.
CREATE OR REPLACE VIEW run_facts AS
SELECT
    s.session_id,
    r.run_id,
    r.ordinal,
    r.round,
    r.started_at,
    r.finished_at,
    h.name AS host,
    r.suite,
    r.size,
    r.engine,
    r.engine_version,
    r.label,
    r.twin_of,
    coalesce(o.options, MAP {}) AS options,
    -- What `options` does not tell of them.
    coalesce(o.option_details, '[]')::JSON AS option_details,
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
    -- What comparisons look at of the session and its machine, beyond the columns.
    to_json({
        'started_at': s.started_at, 'dbdyno_version': s.dbdyno_version, 'debug_build': s.debug_build,
        'command_line': s.command_line, 'kernel': s.kernel, 'file_system': s.file_system, 'host_kernel': h.kernel,
        'cores': h.cores, 'memory_bytes': h.memory_bytes, 'os': h.os, 'virtualisation': h.virtualisation,
        'build_profile': s.build_profile, 'build_flags': s.build_flags, 'mount_options': s.mount_options,
        'fsync_ns': s.fsync_ns, 'cpu_governor': s.cpu_governor, 'clock_source': s.clock_source,
        'syncs_believed': s.syncs_believed, 'sync_least_ns': s.sync_least_ns, 'sync_doubt': s.sync_doubt,
        'cpus_allowed': s.cpus_allowed, 'cpu_quota': s.cpu_quota, 'memory_max_bytes': s.memory_max_bytes,
        'preloaded': s.preloaded, 'allocator': s.allocator,
        'builds': coalesce(b.builds, []), 'warnings': coalesce(w.warnings, [])
    }) AS session_facts,
    coalesce(k.keys, MAP {}) AS keys,
    coalesce(g.tags, []) AS tags
FROM (FROM run {of}) r
JOIN session s ON s.session_id = r.session_id
LEFT JOIN host h ON h.host_id = s.host_id
LEFT JOIN (
    SELECT
        run_id,
        map_from_entries(list({'k': name, 'v': value} ORDER BY name)) AS options,
        to_json(flatten(list(details ORDER BY name) FILTER (NOT is_plain))) AS option_details
    FROM (
        SELECT
            run_id,
            name,
            -- An option of the engine comes before one of the suite with the same name.
            arg_min(coalesce(in_force, asked), scope) AS value,
            bool_and(scope = 'engine' AND coalesce(NOT assumed AND asked = in_force, false)) AS is_plain,
            list({'scope': scope, 'name': name, 'asked': asked, 'in_force': in_force, 'assumed': assumed} ORDER BY scope) AS details
        FROM run_option {of}
        GROUP BY run_id, name
    )
    GROUP BY run_id
) o ON o.run_id = r.run_id
LEFT JOIN (
    SELECT session_id, list(DISTINCT {'label': label, 'engine_build': engine_build, 'engine_source': engine_source}) AS builds
    FROM (FROM run {of})
    WHERE coalesce(engine_build, engine_source) IS NOT NULL
    GROUP BY session_id
) b ON b.session_id = r.session_id
LEFT JOIN (
    SELECT session_id, list({
        'warning_id': warning_id, 'run_id': run_id, 'test': test, 'linter': linter, 'matter': matter,
        'message': message
    } ORDER BY warning_id) AS warnings
    FROM warning
    GROUP BY session_id
) w ON w.session_id = s.session_id
LEFT JOIN (
    SELECT run_id, map_from_entries(list({'k': key, 'v': value} ORDER BY key)) AS keys FROM run_key {of} GROUP BY run_id
) k ON k.run_id = r.run_id
LEFT JOIN (SELECT run_id, list(tag ORDER BY tag) AS tags FROM tag {of} GROUP BY run_id) g ON g.run_id = r.run_id;

-- One row a run and test; a run without a test has one row with none.
CREATE OR REPLACE VIEW run_tests AS
SELECT
    r.session_id,
    r.run_id,
    r.ordinal,
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
    r.twin_of,
    r.options,
    r.option_details,
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
    r.session_facts,
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
