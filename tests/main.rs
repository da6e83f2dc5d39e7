//! All integration tests: one binary, because each one links DuckDB.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![allow(clippy::print_stderr, reason = "what is not checked is said to whoever runs the tests")]

mod actors;
mod capacity;
mod catalog;
mod claims;
mod compare;
mod conditions;
mod conformance;
mod crash;
mod crossdb;
mod docs;
mod drivers;
mod evidence;
mod example_engine;
mod faults;
mod files;
mod files_engine;
mod fuzz;
mod handwritten;
mod harness_costs;
mod hostile;
mod hosts;
mod house;
mod interrupt;
mod journal;
mod kills;
mod kv;
mod libraries;
mod list;
mod lumosql;
mod lumosql_backends;
mod memory;
mod ordered;
mod power;
mod presets;
mod resume;
mod rocksdb;
mod rowsum;
mod scaling;
mod shared_answers;
mod snkv;
mod soak;
mod sqlite_lib;
mod stats;
mod store;
mod stored;
mod support;
mod syncs;
mod torture;
mod trackers;
mod trend;
mod tui;
mod tune;
mod workers;
