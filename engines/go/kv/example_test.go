package kv_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dbdyno/dbdyno/engines/go/example/store"
	"github.com/dbdyno/dbdyno/engines/go/kv"
	"github.com/dbdyno/dbdyno/engines/go/protocol"
)

// job is a job as dbdyno sends it: it writes a thousand rows, and then reads a hundred of them.
const job = `{
  "protocol": 2, "run_id": "a run", "engine": "goexample", "options": {"sync": "off"}, "size": "1000", "seed": 6332618229526065668,
  "cpu": null, "progress_ms": 100, "deadline_ms": null, "wait": false, "keep_folder": false,
  "suite": {"kind": "kv", "name": "two tests", "data_bytes": 100000, "schema": [], "tests": [
    {"number": 1, "name": "Puts", "measured": true, "database": "main", "records": 1000, "key": "key_{key:8}", "operations": 1000,
     "keys": "ascending", "work": [{"weight": 1, "op": "put", "value": "value_{key:8}"}], "transaction": {"batch": 100},
     "clock_every": 1, "verify_state": false, "sql": {}},
    {"number": 2, "name": "Gets", "measured": true, "database": "main", "records": 1000, "key": "key_{key:8}", "operations": 100,
     "keys": "uniform", "work": [{"weight": 1, "op": "get"}], "transaction": "read", "clock_every": 1, "verify_state": false, "sql": {}}
  ]}
}`

// An engine is a description and a function that opens a database. In a program of its own, main is
// kv.Main(store.Engine()). A test runs a job with it in its own process.
func Example() {
	folder, err := os.MkdirTemp("", "kv-example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)

	var asked protocol.Job
	if err := json.Unmarshal([]byte(job), &asked); err != nil {
		panic(err)
	}
	asked.Folder = filepath.Join(folder, "databases")

	err = kv.Do(store.Engine(), &asked, func(event any) {
		switch event := event.(type) {
		case protocol.Opened:
			fmt.Println("open, with", event.InForce)
		case *protocol.TestDone:
			fmt.Println("test", event.Test, event.Operations, "operations", event.Rows, "rows", *event.Verification)
		}
	})
	fmt.Println(err)
	// Output:
	// open, with map[sync:off]
	// test 1 1000 operations 1000 rows 3:08b37c993af4b208
	// test 2 100 operations 100 rows 3:112db6ec35615ec7
	// <nil>
}
