-- What rows of older versions say in texts only, in the columns that newer ones have for it. Run on the runs that `older` names,
-- after a migration and after an import of an older file.
UPDATE run SET twin_of = left(label, -2) WHERE ends_with(label, '#2') AND twin_of IS NULL
AND run_id IN (FROM older);
UPDATE run SET failure_kind = 'options_differ'
WHERE starts_with(failure, 'options in force differ') AND failure_kind IS NULL
AND run_id IN (FROM older);
DROP TABLE older;
