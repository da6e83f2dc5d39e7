-- Of one session that was measured: those that the documents speak of, by their days, sizes and identifiers. Figures are as measured.
CREATE TEMP TABLE was AS SELECT session_id AS id FROM session;

CREATE TEMP TABLE part AS
SELECT * FROM (VALUES
    -- The beginning of the session and of its runs, the day, the sizes.
    ('01a17c00', TIMESTAMP '2026-11-08 10:00:00', ['1000', '10000', '100000']),
    ('01a1fc00', TIMESTAMP '2026-11-17 10:00:00', ['1000', '10000', '100000']),
    ('01a20196', TIMESTAMP '2026-11-18 10:00:00', ['1000000'])) t(name, day, sizes);

CREATE TEMP TABLE copy AS
SELECT run_id AS old, ordinal + 24 * (place - 1) AS place_in_session, name, day, part_size,
       (CASE WHEN name = '01a1fc00' AND part_size = '10000' AND ordinal = 0 THEN '01a1fc54' ELSE name END || '-'
        || right('000' || (100 * place)::VARCHAR, 4) || right(run_id::VARCHAR, 23))::UUID AS new
FROM run, (SELECT name, day, unnest(sizes) AS part_size, unnest(range(1, len(sizes) + 1)) AS place FROM part)
WHERE NOT (part_size = '1000000' AND label LIKE '%delete%');

INSERT INTO session
SELECT s.* REPLACE ((name || right(session_id::VARCHAR, 28))::UUID AS session_id, day AS started_at,
                    day + INTERVAL 1 HOUR AS finished_at, 24 * len(sizes) AS planned_runs, NULL AS plan)
FROM session s, part;

INSERT INTO run
SELECT r.* REPLACE (new AS run_id, (name || right(session_id::VARCHAR, 28))::UUID AS session_id, place_in_session AS ordinal,
                    day + INTERVAL 1 SECOND * place_in_session AS started_at,
                    day + INTERVAL 1 SECOND * (place_in_session + 1) AS finished_at, part_size AS size)
FROM run r JOIN copy c ON r.run_id = c.old;
UPDATE run SET label = engine WHERE size = '1000000';

INSERT INTO run_option SELECT o.* REPLACE (new AS run_id) FROM run_option o JOIN copy c ON o.run_id = c.old;
INSERT INTO result SELECT t.* REPLACE (new AS run_id, day AS finished_at) FROM result t JOIN copy c ON t.run_id = c.old;

DELETE FROM result WHERE run_id IN (SELECT old FROM copy);
DELETE FROM run_option WHERE run_id IN (SELECT old FROM copy);
DELETE FROM warning WHERE session_id IN (SELECT id FROM was);
DELETE FROM harness_cost WHERE session_id IN (SELECT id FROM was);
DELETE FROM timeline;
DELETE FROM run WHERE run_id IN (SELECT old FROM copy);
DELETE FROM session WHERE session_id IN (SELECT id FROM was);
UPDATE host SET name = 'vm';

-- A trial of another cache: SQLite with a rollback journal has it, SQLite with a log is its base.
INSERT INTO run_key
SELECT run_id, 'trial', '01a20196-18a9-7000-8000-000000000001' FROM run
WHERE size = '1000' AND engine = 'sqlite' AND started_at < '2026-11-09';
UPDATE run_option SET asked = '20000', in_force = '20000'
WHERE name = 'cache_size'
  AND run_id IN (SELECT run_id FROM run
                 WHERE size = '1000' AND label = 'sqlite[journal_mode=delete]' AND started_at < '2026-11-09');

-- What stands for a SQLite on another store.
INSERT INTO run_key SELECT run_id, 'backend', 'LMDB 0.9.29' FROM run WHERE engine = 'redb' AND size = '1000000';

