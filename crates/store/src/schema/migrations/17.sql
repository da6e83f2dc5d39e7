-- Statements of a test have answers of their own.
ALTER TABLE actor_result ADD COLUMN verification VARCHAR;
