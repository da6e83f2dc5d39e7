#!/usr/bin/env bash
# Mutation testing of the rooms in which a silent mistake loses results.
#
#   tests/measurements/mutants.sh FOLDER ROOM [ARGUMENT of cargo-mutants...]
#   tests/measurements/mutants.sh /tmp/m stats
#   tests/measurements/mutants.sh /tmp/m store --shard 3/40
#
# Each change that cargo-mutants (27.1: `cargo install cargo-mutants --locked`) makes in a room has to be noticed by the room's tests. Work is
# done in a copy of the tree, and compiled to FOLDER/target. FOLDER/ROOM has the lists: caught, missed, timeout, unviable.
# $DBDYNO_MUTANTS_CARGO: more arguments for cargo where all of dbdyno is compiled, as --no-default-features --features engines with the
# environment of a prebuilt DuckDB.
set -euo pipefail
folder=$(realpath -m "${1:?expected a FOLDER}")
room=${2:?expected a ROOM: power, confine, stats, credible, store, journal or evidence}
shift 2
cd "$(dirname "$0")/../.."

# Of each room: the package, its files, and which tests have to notice: of the package, and where these miss something of the whole program.
profile=release program=()
case $room in
power) package=dbdyno-workload files='engines/workload/src/power/*.rs' profile=dev tests=(--lib -- power:: syncs::) ;;
confine) package=dbdyno-engine files='engines/api/src/confine/*.rs' profile=dev tests=(--lib -- confine::) ;;
stats) package=dbdyno-stats files='crates/stats/src/*.rs' profile=dev tests=() ;;
credible) package=dbdyno-running files='crates/running/src/runner/credible.rs' tests=(--lib -- credible::) program=(workers:: runner::) ;;
store)
    package=dbdyno-store files='crates/store/src/{blocks,damage,error,file,lock,repair,undo,writing}.rs'
    tests=(--lib) program=(store:: stored:: faults:: another_user::)
    ;;
journal) package=dbdyno-store files='crates/store/src/journal/*.rs' tests=(--lib -- journal::) program=(journal:: stored:: faults:: kills::) ;;
evidence) package=dbdyno-comparing files='crates/comparing/src/compare/evidence.rs' tests=(--lib -- compare::) program=(compare:: evidence::) ;;
*)
    echo "unknown room $room" >&2
    exit 2
    ;;
esac

tree=$folder/tree
rm -rf "$tree"
mkdir -p "$tree"
git ls-files -z --cached --others --exclude-standard | xargs -0 cp -P --parents -t "$tree"
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$folder/target}
arguments=(--in-place --dir "$tree" --output "$folder/$room" --file "$files" --package "$package")
arguments+=(--profile "$profile")
# Every n-th mutant is a sample of all files.
[[ " $* " == *" --shard "* ]] && arguments+=(--sharding round-robin)
if [ "$profile" = release ]; then
    # shellcheck disable=SC2086 # several arguments
    for argument in ${DBDYNO_MUTANTS_CARGO:-}; do arguments+=("--cargo-arg=$argument"); done
else
    export CARGO_PROFILE_DEV_OPT_LEVEL=1 CARGO_PROFILE_DEV_DEBUG=0
fi
status=0
cargo mutants "${arguments[@]}" --test-package "$package" "$@" -- "${tests[@]}" || status=$?
if [ "$status" = 2 ] && [ ${#program[@]} -gt 0 ]; then
    status=0
    cargo mutants "${arguments[@]}" --iterate --test-package dbdyno "$@" -- --test integration -- "${program[@]}" || status=$?
fi
for outcome in caught missed timeout unviable; do
    printf '%s: %s\n' "$outcome" "$(wc -l <"$folder/$room/mutants.out/$outcome.txt")"
done
cat "$folder/$room/mutants.out/missed.txt"
exit $status
