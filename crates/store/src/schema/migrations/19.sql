-- What the time of the measured threads went to.
ALTER TABLE result ADD COLUMN part_user_ns UBIGINT;
ALTER TABLE result ADD COLUMN part_kernel_ns UBIGINT;
ALTER TABLE result ADD COLUMN part_sync_ns UBIGINT;
ALTER TABLE result ADD COLUMN part_sleep_ns UBIGINT;
ALTER TABLE result ADD COLUMN part_queue_ns UBIGINT;
ALTER TABLE result ADD COLUMN part_rest_ns UBIGINT;
ALTER TABLE actor_result ADD COLUMN part_user_ns UBIGINT;
ALTER TABLE actor_result ADD COLUMN part_kernel_ns UBIGINT;
ALTER TABLE actor_result ADD COLUMN part_sync_ns UBIGINT;
ALTER TABLE actor_result ADD COLUMN part_sleep_ns UBIGINT;
ALTER TABLE actor_result ADD COLUMN part_queue_ns UBIGINT;
ALTER TABLE actor_result ADD COLUMN part_rest_ns UBIGINT;
