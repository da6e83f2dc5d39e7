-- Page faults, and instructions where the machine counts them.
ALTER TABLE result ADD COLUMN IF NOT EXISTS minor_faults UBIGINT; -- that needed no reading
ALTER TABLE result ADD COLUMN IF NOT EXISTS major_faults UBIGINT; -- that had to read
ALTER TABLE result ADD COLUMN IF NOT EXISTS instructions UBIGINT; -- in user mode; NULL: the machine does not count them for a process
