-- What is the matter stood in the message only, before the first `: ` of findings about a configuration.
ALTER TABLE warning ADD COLUMN matter VARCHAR;
UPDATE warning SET matter = split_part(message, ': ', 1) WHERE run_id IS NOT NULL AND contains(message, ': ');
