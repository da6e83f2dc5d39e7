-- What kills and simulated power losses showed of the tier of a configuration.
CREATE TABLE IF NOT EXISTS tier_evidence (
    evidence_id    UUID PRIMARY KEY,
    host_id        VARCHAR NOT NULL,
    tried_at       TIMESTAMP NOT NULL,
    engine         VARCHAR NOT NULL,
    engine_version VARCHAR NOT NULL,
    choice         VARCHAR NOT NULL,   -- the engine with the options that are not at their default, as it is asked for
    options        VARCHAR NOT NULL,   -- every option of the engine, as JSON, by name
    tier           UTINYINT,           -- NULL: unknown
    tier_reason    VARCHAR NOT NULL,
    kills          UINTEGER NOT NULL,
    images         UINTEGER NOT NULL,  -- of what a disk may hold after a power loss
    whole          UINTEGER NOT NULL,  -- images with all acknowledged commits, where a file's sync keeps its name
    earlier        UINTEGER NOT NULL,  -- images without the latest of them
    broken         UINTEGER NOT NULL,  -- images that are no state between commits
    strict_names   BOOLEAN,            -- whether the tier is kept where only a folder's sync keeps names; NULL: not tried
    mutants        UINTEGER NOT NULL,  -- kinds of sync calls that were left out, one at a time
    mutants_caught UINTEGER NOT NULL,
    verdict        VARCHAR NOT NULL,   -- evidenced, contradicted, not evidenced
    reason         VARCHAR,            -- what contradicts it, or why nothing was shown
    image          VARCHAR,            -- the folder with what contradicts it
    seed           UBIGINT NOT NULL,
    command_line   VARCHAR NOT NULL
);
ALTER TABLE run ADD COLUMN IF NOT EXISTS tier_evidence VARCHAR; -- the latest verdict on its configuration; NULL: never tried
