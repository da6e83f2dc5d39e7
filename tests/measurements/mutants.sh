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

# Of each room: the package, its files, and the tests that have to notice. `parts` are compiled as a package of their own, with what
# else they use: seconds a mutant instead of minutes.
parts=() body='' dependencies='' whole=no
case $room in
power) package=dbdyno-workload files='engines/workload/src/power/*.rs' tests=(--lib power:: syncs::) ;;
confine) package=dbdyno-engine files='engines/api/src/confine/*.rs' tests=(--lib confine::) ;;
stats)
    package=room files='room/src/stats/*.rs' tests=(stats::)
    parts=(crates/stats/src tests/stats tests/tables/stats)
    body='pub mod stats;'
    dependencies='serde serde_json thiserror'
    ;;
credible)
    package=room files='room/src/runner/credible.rs' tests=(credible::)
    parts=(crates/running/src/runner/credible.rs crates/running/src/runner/sent.rs crates/foundation/src/base/units.rs)
    body='pub mod base { pub mod units; }
        pub mod engines { pub const HARNESS_ENGINE: &str = "null"; }
        pub mod runner { pub(crate) mod credible; pub mod sent; }'
    dependencies='hdrhistogram tempfile'
    ;;
store) whole=yes files='crates/store/src/{blocks,damage,error,file,lock,repair,undo,writing}.rs' tests=(store:: faults:: another_user:: power::) ;;
journal) whole=yes files='crates/store/src/journal/*.rs' tests=(store:: faults:: journal:: kills::) ;;
evidence) whole=yes files='crates/comparing/src/compare/evidence.rs' tests=(compare::) ;;
*)
    echo "unknown room $room" >&2
    exit 2
    ;;
esac

tree=$folder/tree
rm -rf "$tree"
mkdir -p "$tree"
git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$tree"
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$folder/target}
arguments=(--in-place --dir "$tree" --output "$folder/$room" --file "$files" --test-workspace=false --sharding round-robin)

if [ "${#parts[@]}" -gt 0 ]; then
    for part in "${parts[@]}"; do
        mkdir -p "$tree/room/$(dirname "$part")"
        cp -r "$tree/$part" "$tree/room/$part"
    done
    printf '#![allow(dead_code, unused_imports, reason = "a part of the program")]\nextern crate self as dbdyno;\n%s\n' "$body" >"$tree/room/src/lib.rs"
    # Tests of a room that are integration tests, but for those that are about other rooms too.
    if [ -d "$tree/room/tests" ]; then
        sed -i '/^mod publications;/d' "$tree/room/tests/$room/mod.rs"
        python3 - "$tree/room/tests/$room/simulation.rs" <<'PYTHON'
import re, sys
text = open(sys.argv[1]).read()
open(sys.argv[1], "w").write(re.sub(r"#\[test\]\nfn noise_does_not_win_agreement_with_a_claim.*?\n}\n", "", text, flags=re.S))
PYTHON
        echo "mod $room;" >"$tree/room/tests/main.rs"
    fi
    {
        printf '[package]\nname = "room"\nversion = "0.0.0"\nedition = "2024"\nautotests = false\n'
        printf '[lib]\nname = "dbdyno"\npath = "src/lib.rs"\ndoctest = false\n'
        [ ! -d "$tree/room/tests" ] || printf '[[test]]\nname = "room"\npath = "tests/main.rs"\n'
        printf '[dependencies]\ndbdyno-engine = { path = "../engines/api" }\ndbdyno-workload = { path = "../engines/workload" }\n'
        for dependency in $dependencies; do printf '%s.workspace = true\n' "$dependency"; done
    } >"$tree/room/Cargo.toml"
    sed -i '0,/^members = \[/s//members = [\n    "room",/' "$tree/Cargo.toml"
fi

if [ $whole = yes ]; then
    # One profile: DuckDB is compiled once.
    arguments+=(--package dbdyno --profile release)
    # shellcheck disable=SC2086 # several arguments
    for argument in ${DBDYNO_MUTANTS_CARGO:-}; do arguments+=("--cargo-arg=$argument"); done
    set -- "$@" -- --lib --test integration -- "${tests[@]}"
else
    export CARGO_PROFILE_DEV_OPT_LEVEL=1 CARGO_PROFILE_DEV_DEBUG=0
    arguments+=(--package "$package")
    selected=()
    [ "${tests[0]}" != --lib ] || { selected=(--lib) && tests=("${tests[@]:1}"); }
    set -- "$@" -- "${selected[@]}" -- "${tests[@]}"
fi
status=0
cargo mutants "${arguments[@]}" "$@" || status=$?
for outcome in caught missed timeout unviable; do
    printf '%s: %s\n' "$outcome" "$(wc -l <"$folder/$room/mutants.out/$outcome.txt")"
done
cat "$folder/$room/mutants.out/missed.txt"
exit $status
