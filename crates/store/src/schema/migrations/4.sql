-- Version 4: how the engine's library of a run was built.

ALTER TABLE run ADD COLUMN engine_build VARCHAR;
