#!/bin/bash
# Kills and power losses of every engine and tier: what the tables of docs/durability-results.md come from.
#
#   tests/measurements/durability.sh FOLDER [ENGINE...]
#
# Each engine is killed at least 1,000 times and has the power taken from it at least 1,000 times, over all its configurations; TOTAL=200 is
# for fewer. What was found goes to FOLDER/ENGINE.md; an engine whose file is there is left out, so that it can be run in pieces.
#
# ENGINE-mount is the same through a mount. Without it the mount is taken where the calls do not show everything: memory maps, Go. The drivers
# go-* are found beside dbdyno or by DBDYNO_ENGINE_PATH (engines/go/build).
set -u
folder=${1:?FOLDER}
shift
mkdir -p "$folder"
dbdyno=${DBDYNO:-${CARGO_TARGET_DIR:-target}/release/dbdyno}

# How many of its configurations promise something, and the configurations. Those that promise nothing end at the first kill that loses something.
configurations() {
    case $1 in
    sqlite)
        echo 9 sqlite sqlite:synchronous={extra,normal,off} sqlite:journal_mode={truncate,persist} \
            sqlite:journal_mode=wal,synchronous={full,normal,off} sqlite:journal_mode={memory,off}
        ;;
    sqlite-lib) echo 4 sqlite-lib:synchronous={extra,off} sqlite-lib:journal_mode=wal,synchronous={full,normal} ;;
    lmdb1)
        echo 10 lmdb1 lmdb1:sync={nometasync,nosync} lmdb1:writemap=on,sync={full,nometasync,mapasync,nosync} \
            lmdb1:encrypt={chacha20poly1305,aes256gcm} lmdb1:checksum=on
        ;;
    lmdb) echo 7 "$1" "$1":sync={nometasync,nosync} "$1":writemap=on,sync={full,nometasync,mapasync,nosync} ;;
    redb) echo 1 redb redb:durability=none ;;
    fjall) echo 4 fjall:persist={none,buffer,sync_data,sync_all} fjall:persist=sync_all,separate_values=16,memtable_size=1048576 ;;
    log) echo 2 log log:sync=off ;;
    files) echo 3 files:commit={overwrite,rename,journal},sync={off,data,full} ;;
    duckdb) echo 2 duckdb duckdb:fsync_mode=none ;;
    rocksdb) echo 3 rocksdb rocksdb:sync=on rocksdb:wal=off rocksdb:sync=on,separate_values=16,memtable_size=65536 ;;
    # Of libraries that the user builds, which the loader finds by LD_LIBRARY_PATH.
    snkv) echo 5 snkv:synchronous={full,normal,off} snkv:journal_mode=delete,synchronous={full,off} ;;
    # In a driver of SQLite the writes are the library's, whatever calls it: the options that decide when it syncs.
    go-*) echo 6 "$1" "$1":synchronous={extra,off} "$1":journal_mode=wal,synchronous={full,normal,off} ;;
    crossdb) echo 1 crossdb:sync={sync,async,nosync} ;;
    *) echo 1 "$1" ;;
    esac
}

[ $# -gt 0 ] || set -- sqlite lmdb lmdb1 redb fjall log files duckdb sqlite-lib rocksdb go-modernc go-mattn
for name in "$@"; do
    [ -s "$folder/$name.md" ] && continue
    engine=${name%-mount}
    through=auto
    [ "$engine" = "$name" ] || through=mount
    read -ra all <<<"$(configurations "$engine")"
    each=$((${TOTAL:-1100} / all[0] + 1))
    images=$each
    patience=60s
    # It never comes to an end with many images.
    [ "$engine" = crossdb ] && images=551 patience=2s
    "$dbdyno" torture "${all[@]:1}" --kills $each --power $images --mutants 1000 --commits 160 --seed 1 --patience $patience \
        --power-through $through --format markdown --out "$folder/$name.md" 2>"$folder/$name.log"
    echo "$name: exit code $? $(tail -n 1 "$folder/$name.log")"
done
