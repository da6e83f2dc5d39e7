//! Records what a running program asks of SQLite. The program loads this library, in one of two ways:
//!
//! - `LD_PRELOAD`, for programs that use a shared libsqlite3 (`preload`). The library intercepts SQLite's
//!   functions for opening, binding and stepping, and sees everything exactly.
//! - As an extension of SQLite, for programs with a SQLite of their own (`extension`). It sees what `sqlite3_trace_v2`
//!   reports.
//!
//! In both ways every function of SQLite is the program's own. The environment variable `DBDYNO_RECORDING` names the
//! folder of the recording. Without it the library does nothing.
//!
//! The program's threads put calls into rings of bytes (`ring`), without locks and allocations. A thread of the
//! recorder (`writing`) makes lines of them. If the thread does not keep up, calls are lost and counted, and the
//! program is not held up.

// It is nothing where programs have no such linker, and where its first instructions are not written.
#![cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
#![expect(unsafe_code, reason = "SQLite, the dynamic linker and the system are interfaces of C")]

mod abi;
mod attach;
mod bindings;
mod connections;
mod event;
mod exec;
mod exit;
mod extension;
mod file;
mod library;
mod literals;
mod modules;
mod preload;
mod ring;
mod settings;
mod snapshot;
mod sql;
mod statements;
mod system;
mod templates;
mod threads;
mod trace;
mod world;
mod writing;
