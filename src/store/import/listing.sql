-- From the staged table `listed`, the columns of the view `results` as text, to the store's tables.

INSERT INTO incoming.host BY NAME
SELECT DISTINCT ON (host_id) coalesce(host_id, 'unknown') AS host_id, coalesce(host, 'unknown') AS name, cpu AS cpu_model
FROM incoming.listed;

INSERT INTO incoming.session BY NAME
SELECT
    session_id,
    any_value(coalesce(host_id, 'unknown')) AS host_id,
    min(started_at::TIMESTAMP) AS started_at,
    -- Sessions and runs that are under way elsewhere will not end here.
    CASE WHEN bool_and(run_status = 'done') THEN 'done' ELSE 'failed' END AS status,
    any_value(preset) AS preset,
    any_value(suite) AS suite,
    max(round::INTEGER) + 1 AS rounds,
    count(DISTINCT run_id) AS planned_runs,
    any_value(disk) AS disk_model,
    coalesce(any_value(source), 'listing') AS source
FROM incoming.listed
GROUP BY session_id;

INSERT INTO incoming.run BY NAME
SELECT DISTINCT ON (run_id)
    run_id,
    session_id,
    0 AS ordinal,
    round,
    started_at,
    run_status AS status,
    engine,
    engine_version,
    label,
    suite,
    size,
    seed,
    tier,
    'as listed' AS tier_reason,
    memory_limit_bytes,
    data_bytes,
    cache,
    false AS other_run_waited
FROM incoming.listed;

INSERT INTO incoming.run_option BY NAME
SELECT run_id, 'engine' AS scope, entry.key AS name, entry.value AS in_force, false AS assumed
FROM (
    SELECT run_id, unnest(map_entries(options::JSON::MAP(VARCHAR, VARCHAR))) AS entry
    FROM (SELECT DISTINCT ON (run_id) run_id, options FROM incoming.listed WHERE options IS NOT NULL)
);

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
    CASE WHEN status = 'disagrees' THEN false WHEN verified = 'yes' THEN true END AS agrees,
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
    CASE WHEN status = 'disagrees' THEN false WHEN verified = 'yes' THEN true END AS agrees
FROM incoming.listed
WHERE actor <> '';
