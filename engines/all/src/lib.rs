//! An empty crate: only its dependency on dbdyno with all engines matters. Cargo builds a package once, with the union of the features
//! that the packages of one build request. So a build of the workspace has every engine, also with `--no-default-features`, which is how
//! to request a prebuilt DuckDB. A build of the package `dbdyno` alone has the engines that its features name.
