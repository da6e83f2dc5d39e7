-- Journals, sessions with an owner and a plan, states of what did not come to its end.
CREATE TABLE journal (
    journal_id UUID PRIMARY KEY,
    position   UBIGINT NOT NULL
);
ALTER TABLE session ADD COLUMN owner VARCHAR;
ALTER TABLE session ADD COLUMN plan JSON;
