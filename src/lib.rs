//! dbdyno: a dynamometer for embedded database engines.
//!
//! Data goes one way: [`catalog`] → [`bench`](mod@bench) → [`runner`] → [`store`] → [`compare`] → [`report`]. Nothing left of the store knows
//! DuckDB; [`stats`] knows no I/O. Here are the two faces, [`cli`] and [`tui`]; the rest are crates below `crates/`.

pub mod cli;
pub mod tui;

pub use dbdyno_catalog::{self as catalog, bench, engines};
pub use dbdyno_comparing::{claims, compare, lint};
pub use dbdyno_foundation::{base, host, metric};
pub use dbdyno_reports as report;
pub use dbdyno_running::{capacity, choose, conformance, runner, script, session, soak, torture, tune};
pub use dbdyno_stats as stats;
pub use dbdyno_store as store;
