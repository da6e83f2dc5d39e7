-- What `choose` was asked and answered.
CREATE TABLE choice (
    choice_id    UUID PRIMARY KEY,
    host_id      VARCHAR NOT NULL,
    begun_at     TIMESTAMP NOT NULL,
    suite        VARCHAR NOT NULL,
    state        VARCHAR NOT NULL,
    question     JSON NOT NULL,
    steps        JSON NOT NULL,
    answer       JSON,
    command_line VARCHAR NOT NULL
);
