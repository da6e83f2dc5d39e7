# `just` lists these. One profile for all: DuckDB's C++ is compiled once.

# a folder outside the checkout keeps what was compiled
export CARGO_TARGET_DIR := env("CARGO_TARGET_DIR", home_directory() / ".cache/dbdyno-target")

_list:
    @just --list

# everything a user needs, with every engine
build:
    cargo build --release

# all tests, or those of a module: just test compare::
test *filter:
    cargo test --release --workspace {{filter}}

# what has to be clean before a commit
lint:
    cargo fmt --all --check
    cargo clippy --release --workspace --all-targets -- -D warnings

# rewrite the layout of all code
fmt:
    cargo fmt --all

# a first bench of a few seconds
quick:
    cargo run --release -- --preset quick

# the terminal UI
run *arguments:
    cargo run --release -- {{arguments}}

# every fuzz target for so many seconds
fuzz seconds="60":
    tests/fuzz.sh {{seconds}}

# the drivers of SQLite in Go
go:
    engines/go/build

# licences and sources of dependencies, and spelling
audit:
    cargo deny check licenses bans sources
    typos

# all that a change has to pass
ci:
    .ci/run

# a browser with the documentation of the crates
doc:
    cargo doc --release --workspace --no-deps --open

# the documents as a website, with checked links
site:
    docs/site/build
