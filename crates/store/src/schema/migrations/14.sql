-- The harness has a cost for each measured loop: dbdyno's own, and those of engines in other languages. A primary key cannot be altered.
CREATE TEMP TABLE costs AS FROM harness_cost;
DROP TABLE harness_cost;
CREATE TABLE harness_cost (
    session_id       UUID NOT NULL,
    size             VARCHAR NOT NULL,
    engine           VARCHAR NOT NULL,    -- which does nothing: null for dbdyno's own loop, go-null, python-null
    test             INTEGER NOT NULL,
    ns_per_operation DOUBLE NOT NULL,     -- as that engine measured it
    PRIMARY KEY (session_id, size, engine, test)
);
INSERT INTO harness_cost SELECT session_id, size, 'null', test, ns_per_operation FROM costs;
DROP TABLE costs;
