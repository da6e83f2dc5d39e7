//! Engines of libraries that are found at run time. They are loaded in a worker only, never in the program that plans and stores:
//! foreign code runs as soon as it is loaded.

mod calls;
pub mod crossdb;
mod identity;
mod library;
pub mod rocksdb;
pub mod snkv;
pub mod sqlite;
