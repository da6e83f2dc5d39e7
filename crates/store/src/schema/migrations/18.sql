-- How an engine finds the rows of a statement.
ALTER TABLE actor_result ADD COLUMN plan VARCHAR;
