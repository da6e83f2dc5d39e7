-- Version 2: results of other programs, which record less; kept keys, tags and notes.

ALTER TABLE session ALTER COLUMN started_at DROP NOT NULL;
ALTER TABLE session ALTER COLUMN dbdyno_version DROP NOT NULL;
ALTER TABLE session ALTER COLUMN debug_build DROP NOT NULL;
ALTER TABLE session ALTER COLUMN command_line DROP NOT NULL;
ALTER TABLE session ALTER COLUMN seed DROP NOT NULL;
ALTER TABLE session ALTER COLUMN work_folder DROP NOT NULL;
ALTER TABLE session ADD COLUMN source VARCHAR;
ALTER TABLE session ADD COLUMN source_file VARCHAR;
ALTER TABLE run ALTER COLUMN started_at DROP NOT NULL;
ALTER TABLE run ALTER COLUMN seed DROP NOT NULL;
ALTER TABLE run ALTER COLUMN tier DROP NOT NULL;
ALTER TABLE run_option ADD COLUMN assumed BOOLEAN DEFAULT false;
ALTER TABLE result ALTER COLUMN finished_at DROP NOT NULL;
ALTER TABLE result ALTER COLUMN wall_ns DROP NOT NULL;
ALTER TABLE result ALTER COLUMN user_ns DROP NOT NULL;
ALTER TABLE result ALTER COLUMN system_ns DROP NOT NULL;
ALTER TABLE result ALTER COLUMN operations DROP NOT NULL;
ALTER TABLE result ALTER COLUMN rows DROP NOT NULL;
ALTER TABLE result ALTER COLUMN read_bytes DROP NOT NULL;
ALTER TABLE result ALTER COLUMN written_bytes DROP NOT NULL;
ALTER TABLE result ALTER COLUMN voluntary_switches DROP NOT NULL;
ALTER TABLE result ALTER COLUMN involuntary_switches DROP NOT NULL;
ALTER TABLE result ALTER COLUMN syncs DROP NOT NULL;
ALTER TABLE result ALTER COLUMN peak_rss_bytes DROP NOT NULL;
ALTER TABLE result ALTER COLUMN database_bytes DROP NOT NULL;
ALTER TABLE result ALTER COLUMN side_bytes DROP NOT NULL;
ALTER TABLE result ALTER COLUMN operations_per_sample DROP NOT NULL;
ALTER TABLE result ALTER COLUMN histogram DROP NOT NULL;
ALTER TABLE result ADD COLUMN failure VARCHAR;

CREATE TABLE run_key (
    run_id UUID NOT NULL,
    key    VARCHAR NOT NULL,
    value  VARCHAR NOT NULL,
    PRIMARY KEY (run_id, key)
);

CREATE TABLE result_key (
    run_id UUID NOT NULL,
    test   INTEGER NOT NULL,
    key    VARCHAR NOT NULL,
    value  VARCHAR NOT NULL,
    PRIMARY KEY (run_id, test, key)
);

CREATE TABLE tag (
    run_id UUID NOT NULL,
    tag    VARCHAR NOT NULL,
    PRIMARY KEY (run_id, tag)
);

CREATE TABLE note (
    note_id  UUID PRIMARY KEY,
    run_id   UUID NOT NULL,
    noted_at TIMESTAMP NOT NULL,
    text     VARCHAR NOT NULL
);
