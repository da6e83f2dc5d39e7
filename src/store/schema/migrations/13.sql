ALTER TABLE run ADD COLUMN IF NOT EXISTS others_cpus DOUBLE; -- CPUs busy on average with anything but its worker; NULL: not known
