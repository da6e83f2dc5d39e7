//! Nothing: what counts is the dependency on dbdyno with all engines. Cargo builds a package once with the features that all who
//! are built together ask for. So a build of the workspace has every engine, with `--no-default-features` too, which is
//! how a prebuilt DuckDB is asked for; a build of the package `dbdyno` alone has those that its features name.
