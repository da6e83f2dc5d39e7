#!/usr/bin/env bash
# Runs the targets of tests/fuzz, one after the other, for so many seconds each: tests/fuzz.sh 300 [TARGET...]
#
# A TARGET is part of a test's name, as `imports` or `imports::import_parquet`; without one all are run. Finds are kept in
# $DBDYNO_FUZZ_KEEP, or in a temporary folder. $DBDYNO_FUZZ_CARGO: more arguments for cargo, as --no-default-features.
set -uo pipefail
seconds=${1:?expected how many seconds each target runs, as in: tests/fuzz.sh 300}
shift
cd "$(dirname "$0")/.."
export DBDYNO_FUZZ_SECONDS=$seconds
export DBDYNO_FUZZ_KEEP=${DBDYNO_FUZZ_KEEP:-$(mktemp -d)}
mkdir -p "$DBDYNO_FUZZ_KEEP"
# shellcheck disable=SC2086 # several arguments
program=$(cargo test --release -p dbdyno --test integration --no-run --message-format=json ${DBDYNO_FUZZ_CARGO:-} |
    sed -n 's/.*"executable":"\([^"]*integration-[^"]*\)".*/\1/p' | tail -n 1)
[ -x "$program" ] || exit 1
# A case that takes memory without end ends itself, and no core is written.
ulimit -c 0
ulimit -v $((16 << 20))

summary=()
failed=0
for test in $("$program" --list --format terse fuzz:: | sed -n 's/: test$//p'); do
    wanted=$#
    for part in "$@"; do [[ $test == *"$part"* ]] && wanted=0; done
    [ "$wanted" = 0 ] || continue
    log=$DBDYNO_FUZZ_KEEP/${test//::/-}.log
    "$program" --exact "$test" --test-threads=1 --nocapture >"$log" 2>&1
    status=$?
    line=$(sed -n 's/^.*fuzz: \(.* cases, .* finds, seed .*\)$/\1/p' "$log" | tail -n 1)
    if [ "$status" != 0 ]; then
        failed=1
        grep -a '^fuzz: ' "$log"
    fi
    summary+=("$test: ${line:-ended with status $status: what it ran is kept as *-running} ")
    echo "${summary[-1]}"
done
echo
printf '%s\n' "${summary[@]}"
echo "finds and logs: $DBDYNO_FUZZ_KEEP"
exit $failed
