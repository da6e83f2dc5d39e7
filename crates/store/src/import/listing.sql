-- From the staged table `listed`, the columns of the view `results` as text, to the store's tables.

-- Files have it on one row of each session at least; those of dbdyno 0.2 do not have it.
CREATE TABLE incoming.session_fact AS
SELECT session_id, from_json(any_value(session_facts)::JSON, '{
    "started_at": "TIMESTAMP", "dbdyno_version": "VARCHAR", "debug_build": "BOOLEAN", "command_line": "VARCHAR",
    "kernel": "VARCHAR", "file_system": "VARCHAR", "host_kernel": "VARCHAR", "cores": "INTEGER",
    "memory_bytes": "UBIGINT", "os": "VARCHAR", "virtualisation": "VARCHAR", "build_profile": "VARCHAR",
    "build_flags": "VARCHAR", "mount_options": "VARCHAR", "fsync_ns": "UBIGINT", "cpu_governor": "VARCHAR",
    "clock_source": "VARCHAR", "syncs_believed": "BOOLEAN", "sync_least_ns": "UBIGINT", "sync_doubt": "VARCHAR",
    "cpus_allowed": "INTEGER", "cpu_quota": "DOUBLE", "memory_max_bytes": "UBIGINT", "preloaded": "VARCHAR",
    "allocator": "VARCHAR",
    "builds": [{"label": "VARCHAR", "engine_build": "VARCHAR", "engine_source": "VARCHAR"}],
    "warnings": [{"warning_id": "UUID", "run_id": "UUID", "test": "INTEGER", "linter": "VARCHAR", "matter": "VARCHAR",
                  "message": "VARCHAR"}]
}') AS facts
FROM incoming.listed
GROUP BY session_id;

INSERT INTO incoming.host BY NAME
SELECT DISTINCT ON (host_id)
    coalesce(host_id, 'unknown') AS host_id,
    coalesce(host, 'unknown') AS name,
    cpu AS cpu_model,
    facts.cores,
    facts.memory_bytes,
    facts.host_kernel AS kernel,
    facts.os,
    facts.virtualisation
FROM incoming.listed LEFT JOIN incoming.session_fact USING (session_id)
ORDER BY host_id, facts.started_at DESC NULLS LAST;

INSERT INTO incoming.session BY NAME
SELECT
    session_id,
    any_value(coalesce(host_id, 'unknown')) AS host_id,
    coalesce(any_value(facts.started_at), min(started_at::TIMESTAMP)) AS started_at,
    -- Sessions and runs that are under way elsewhere will not end here.
    CASE WHEN bool_and(run_status = 'done') THEN 'done' ELSE 'failed' END AS status,
    any_value(preset) AS preset,
    any_value(suite) AS suite,
    max(round::INTEGER) + 1 AS rounds,
    count(DISTINCT run_id) AS planned_runs,
    any_value(disk) AS disk_model,
    coalesce(any_value(source), 'listing') AS source,
    any_value(facts.dbdyno_version) AS dbdyno_version,
    any_value(facts.debug_build) AS debug_build,
    any_value(facts.command_line) AS command_line,
    any_value(facts.kernel) AS kernel,
    any_value(facts.file_system) AS file_system,
    any_value(facts.build_profile) AS build_profile,
    any_value(facts.build_flags) AS build_flags,
    any_value(facts.mount_options) AS mount_options,
    any_value(facts.fsync_ns) AS fsync_ns,
    any_value(facts.cpu_governor) AS cpu_governor,
    any_value(facts.clock_source) AS clock_source,
    any_value(facts.syncs_believed) AS syncs_believed,
    any_value(facts.sync_least_ns) AS sync_least_ns,
    any_value(facts.sync_doubt) AS sync_doubt,
    any_value(facts.cpus_allowed) AS cpus_allowed,
    any_value(facts.cpu_quota) AS cpu_quota,
    any_value(facts.memory_max_bytes) AS memory_max_bytes,
    any_value(facts.preloaded) AS preloaded,
    any_value(facts.allocator) AS allocator
FROM incoming.listed LEFT JOIN incoming.session_fact USING (session_id)
GROUP BY session_id;

INSERT INTO incoming.warning BY NAME
SELECT warning.* , session_id
FROM (SELECT session_id, unnest(facts.warnings) AS warning FROM incoming.session_fact)
WHERE warning.warning_id IS NOT NULL;

INSERT INTO incoming.run BY NAME
SELECT DISTINCT ON (run_id)
    run_id,
    session_id,
    coalesce(ordinal, '0') AS ordinal,
    round,
    started_at,
    run_status AS status,
    engine,
    engine_version,
    label,
    twin_of,
    suite,
    size,
    seed,
    tier,
    tier_evidence,
    'as listed' AS tier_reason,
    memory_limit_bytes,
    data_bytes,
    cache,
    engine_build,
    engine_source,
    false AS other_run_waited
FROM incoming.listed LEFT JOIN (
    SELECT session_id, unnest(facts.builds, recursive := true) FROM incoming.session_fact
) USING (session_id, label);

-- An option that has no details is one of the engine, in force as it was asked for. Files of dbdyno 0.2 have no details.
INSERT INTO incoming.run_option BY NAME
WITH option AS (
    SELECT run_id, any_value(options) AS options, any_value(option_details) AS option_details
    FROM incoming.listed
    GROUP BY run_id
),
detailed AS (
    SELECT run_id, unnest(from_json(option_details::JSON, '[{
        "scope": "VARCHAR", "name": "VARCHAR", "asked": "VARCHAR", "in_force": "VARCHAR", "assumed": "BOOLEAN"
    }]')) AS entry
    FROM option
    WHERE option_details IS NOT NULL
)
SELECT run_id, entry.scope, entry.name, entry.asked, entry.in_force, entry.assumed FROM detailed
UNION ALL
SELECT
    run_id,
    'engine' AS scope,
    entry.key AS name,
    CASE WHEN option_details IS NOT NULL THEN entry.value END AS asked,
    entry.value AS in_force,
    false AS assumed
FROM (
    SELECT run_id, option_details, unnest(map_entries(options::JSON::MAP(VARCHAR, VARCHAR))) AS entry
    FROM option
    WHERE options IS NOT NULL
)
WHERE (run_id, entry.key) NOT IN (SELECT (run_id, entry.name) FROM detailed);

INSERT INTO incoming.run_key BY NAME
SELECT run_id, entry.key AS key, entry.value AS value
FROM (
    SELECT run_id, unnest(map_entries(keys::JSON::MAP(VARCHAR, VARCHAR))) AS entry
    FROM (SELECT DISTINCT ON (run_id) run_id, keys FROM incoming.listed WHERE keys IS NOT NULL)
);

INSERT INTO incoming.tag BY NAME
SELECT run_id, unnest(tags::JSON::VARCHAR[]) AS tag
FROM (SELECT DISTINCT ON (run_id) run_id, tags FROM incoming.listed WHERE tags IS NOT NULL);

INSERT INTO incoming.result BY NAME
SELECT
    run_id,
    test,
    test_name,
    {figures},
    verification,
    CASE WHEN status = 'disagrees' OR verified = 'no' THEN false WHEN verified = 'yes' THEN true END AS agrees,
    coalesce(failure, CASE WHEN status = 'failed' THEN 'failed' END) AS failure
FROM incoming.listed
-- CSV does not tell what is not there from an empty text.
WHERE coalesce(actor, '') = '';

INSERT INTO incoming.actor_result BY NAME
SELECT
    run_id,
    test,
    actor,
    test_name,
    {figures},
    CASE WHEN status = 'disagrees' OR verified = 'no' THEN false WHEN verified = 'yes' THEN true END AS agrees
FROM incoming.listed
WHERE actor <> '';
