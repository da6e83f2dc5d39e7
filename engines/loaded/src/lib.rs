//! Engines from libraries that are found at run time. Only workers load them, never the program that plans and stores, because foreign
//! code runs as soon as it is loaded.

mod calls;
pub mod crossdb;
mod identity;
mod library;
pub mod rocksdb;
pub mod snkv;
pub mod sqlite;
