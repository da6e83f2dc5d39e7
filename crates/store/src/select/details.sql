-- All that is known of the runs with a result that a selection means; the rows of the selection are to be put in.
WITH chosen AS (
    SELECT run_id, min(started_at) AS started_at FROM ({rows}) GROUP BY run_id
),
facts AS (
    SELECT run_id, 1 AS place, 'run' AS part, 0 AS at, name, value
    FROM (
        UNPIVOT (
            SELECT CAST(COLUMNS(* EXCLUDE (ordinal, round, cpu, other_run_waited)) AS VARCHAR), cpu::VARCHAR AS pinned_to_cpu,
                   CAST(round(data_bytes / memory_limit_bytes, 3) AS VARCHAR) AS data_to_memory_limit
            FROM run WHERE run_id IN (SELECT run_id FROM chosen)
        ) ON COLUMNS(* EXCLUDE run_id) INTO NAME name VALUE value
    )
    UNION ALL
    SELECT r.run_id, 2, 'session', 0, f.name, f.value
    FROM run r
    JOIN (
        UNPIVOT (
            SELECT CAST(COLUMNS(s.* EXCLUDE (details, suite, started_at, finished_at, status, rounds, planned_runs)) AS VARCHAR),
                   h.name AS host, h.cpu_model, h.cores::VARCHAR AS cores, h.memory_bytes::VARCHAR AS memory_bytes,
                   h.architecture, h.os
            FROM session s LEFT JOIN host h ON h.host_id = s.host_id
            WHERE s.session_id IN (SELECT session_id FROM run WHERE run_id IN (SELECT run_id FROM chosen))
        ) ON COLUMNS(* EXCLUDE session_id) INTO NAME name VALUE value
    ) f ON f.session_id::UUID = r.session_id
    WHERE r.run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT run_id, 3, 'option', 0, name,
           coalesce(in_force, asked, '')
           || CASE WHEN assumed THEN ' (assumed: the imported file does not say)'
                   WHEN in_force <> asked THEN ' (asked: ' || asked || ')'
                   -- A suite is nothing that an engine could tell of.
                   WHEN in_force IS NULL AND scope = 'engine' THEN ' (as given)'
                   ELSE '' END
    FROM run_option
    UNION ALL
    SELECT run_id, 4, 'key', 0, key, value FROM run_key
    UNION ALL
    SELECT run_id, 5, 'tag', 0, tag, '' FROM tag
    UNION ALL
    SELECT run_id, 6, 'note', 0, strftime(noted_at, '%Y-%m-%d %H:%M:%S'), text FROM note
    UNION ALL
    SELECT run_id, 7, 'test', test, test || ' ' || test_name,
           coalesce(round(wall_ns / 1e6, 3) || ' ms', 'no time')
           || coalesce(' (failed: ' || failure || ')', CASE
               WHEN agrees = false THEN ' (disagrees)'
               WHEN agrees IS NULL AND verification IS NULL THEN ' (not verified)'
               ELSE ''
           END)
    FROM result
    UNION ALL
    SELECT run_id, 8, 'plan', test, test || ' ' || CASE WHEN length(statement) > 60 THEN left(statement, 59) || '…' ELSE statement END,
           replace(plan, chr(10), ', ')
    FROM (
        SELECT run_id, test, regexp_replace(statement, '\s+', ' ', 'g') AS statement, plan
        FROM (
            SELECT run_id, test, actor AS statement, plan FROM actor_result WHERE plan IS NOT NULL
            UNION ALL
            SELECT run_id, test, statement, plan FROM query_plan
        )
    )
    UNION ALL
    SELECT run_id, 9, 'warning', coalesce(test, 0), linter, coalesce('test ' || test || ': ', '') || message
    FROM warning WHERE run_id IS NOT NULL
)
SELECT f.run_id, f.part, f.name, f.value
FROM chosen c
JOIN facts f ON f.run_id::UUID = c.run_id
ORDER BY c.started_at DESC NULLS LAST, c.run_id, f.place, f.at, f.name
