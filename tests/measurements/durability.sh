#!/bin/bash
# Kills and power losses of every engine and tier: what the tables of docs/durability.md come from.
#
#   tests/measurements/durability.sh FOLDER [ENGINE...]
#
# Each engine is killed at least 1,000 times and has the power taken from it at least 1,000 times, over all its configurations. What was found
# goes to FOLDER/ENGINE.md; an engine whose file is there is left out, so that it can be run in pieces.
set -u
folder=${1:?FOLDER}
shift
mkdir -p "$folder"
dbdyno=${DBDYNO:-${CARGO_TARGET_DIR:-target}/release/dbdyno}

configurations() {
    case $1 in
    sqlite)
        echo sqlite sqlite:synchronous={extra,normal,off} sqlite:journal_mode=truncate sqlite:journal_mode=persist \
            sqlite:journal_mode=wal,synchronous={full,normal,off} sqlite:journal_mode={memory,off}
        ;;
    sqlite-lib) echo sqlite-lib sqlite-lib:synchronous=off sqlite-lib:journal_mode=wal ;;
    lmdb | lmdb1) echo "$1" "$1":sync={nometasync,nosync} "$1":writemap=on,sync={full,nometasync,mapasync,nosync} ;;
    redb) echo redb redb:durability=none ;;
    fjall) echo fjall:persist={none,buffer,sync_data,sync_all} ;;
    log) echo log log:sync=off ;;
    files) echo files:commit={overwrite,rename,journal},sync={off,data,full} ;;
    duckdb) echo duckdb duckdb:fsync_mode=none ;;
    rocksdb) echo rocksdb rocksdb:sync=on rocksdb:wal=off ;;
    snkv) echo snkv snkv:synchronous={full,off} snkv:journal_mode=delete,synchronous={full,normal,off} ;;
    crossdb) echo crossdb:sync={sync,async,nosync} ;;
    *) echo "$1" ;;
    esac
}

[ $# -gt 0 ] || set -- sqlite lmdb lmdb1 redb fjall log files duckdb sqlite-lib rocksdb
for engine in "$@"; do
    [ -s "$folder/$engine.md" ] && continue
    read -ra all <<<"$(configurations "$engine")"
    # A few more: a configuration that promises nothing may end at its first loss.
    each=$(((1200 + ${#all[@]} - 1) / ${#all[@]}))
    "$dbdyno" torture "${all[@]}" --kills $each --power $each --mutants 1000 --commits 80 --seed 1 \
        --format markdown --out "$folder/$engine.md" 2>"$folder/$engine.log"
    echo "$engine: exit code $? $(tail -n 1 "$folder/$engine.log")"
done
