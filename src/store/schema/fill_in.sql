-- What rows of older versions say in texts only, in the columns that newer ones have for it. Run after a migration and an import.
UPDATE run SET twin_of = left(label, -2) WHERE ends_with(label, '#2') AND twin_of IS NULL;
UPDATE run SET failure_kind = 'options_differ'
WHERE starts_with(failure, 'options in force differ') AND failure_kind IS NULL;
