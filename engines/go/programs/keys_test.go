package programs

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// keyed is a recorded operation: the place of its work, its number, and its key.
type keyed struct {
	work, number int
	key          string
}

// keyedFiles are what the threads of the tests of keyedSuite do: put, get, remove, modify and read ranges.
var keyedFiles = map[string][]keyed{
	"keys-1-0": {{0, 8, "apple"}, {0, 12, "banana"}, {0, 0, "cherry"}, {0, 30, "a key of more than sixteen bytes"}},
	"keys-2-0": {
		{1, 0, "apple"}, {0, 20, "apple"}, {1, 0, "apple"}, {3, 5, "cherry"}, {1, 0, "cherry"}, {2, 0, "apple"},
		{1, 0, "apple"}, {0, 1, "date"},
	},
	"keys-2-1": {
		{1, 0, "banana"}, {2, 0, "banana"}, {2, 0, "missing"}, {3, 64, "banana"}, {1, 0, "banana"},
		{0, 0, "a key of more than sixteen bytes"}, {1, 0, "a key of more than sixteen bytes"},
	},
	"keys-3-0": {
		{4, 2, "a"}, {4, 10, "banana"}, {4, 3, "z"}, {0, 7, "banana~"}, {4, 1, "banana~"}, {2, 0, "banana"},
		{1, 0, "banana"}, {4, 100, "a"},
	},
}

// keyedAnswers are the rows and the checksums of the tests of keyedSuite. The Rust engines have the same in a test of their own.
var keyedAnswers = []struct{ rows, verification string }{
	{"4", "3:0ff4d2e45f1fda47"}, {"14", "3:30277065fe6b477e"}, {"12", "3:979a9aa8d95e8fe7"},
}

// keyedSuite returns a suite whose keys are recorded: of one thread that stores the keys at the beginning, of two
// threads, and of one thread that reads ranges too.
func keyedSuite(t *testing.T) object {
	t.Helper()
	folder := t.TempDir()
	for name, operations := range keyedFiles {
		var bytes []byte
		for at, one := range operations {
			bytes = append(bytes, wire(one.work, 1_000*at, one.number, one.key)...)
		}
		if err := os.WriteFile(filepath.Join(folder, name), bytes, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	work := []object{
		{"op": "put", "value": "recorded"}, {"op": "get"}, {"op": "remove"}, {"op": "modify", "value": "recorded"},
		{"op": "range", "least": 1, "most": 100},
	}
	for _, one := range work {
		one["weight"] = 1
		one["name"] = one["op"]
	}
	test := func(number, threads, operations int, transaction any) object {
		return object{
			"number": number, "name": fmt.Sprint("test ", number), "measured": true, "database": "main", "records": 1, "key": "k",
			"verify_state": true, "time_ms": nil, "warm_up_ms": 0, "followed": false, "actors": []object{{
				"name": "connections", "threads": threads, "keys": "recorded", "work": work, "transaction": transaction,
				"arrival": nil, "operations": operations, "during": nil,
			}},
			"sql": object{
				"get": "SELECT value FROM entries WHERE key = ?1", "put": "INSERT OR REPLACE INTO entries(key, value) VALUES (?1, ?2)",
				"delete": "DELETE FROM entries WHERE key = ?1", "exists": "SELECT 1 FROM entries WHERE key = ?1 LIMIT 1",
				"scan":  "SELECT key, value FROM entries ORDER BY key",
				"range": "SELECT key, value FROM entries WHERE key >= ?1 ORDER BY key LIMIT ?2",
			},
		}
	}
	return object{
		"kind": "kv", "name": "recorded", "data_bytes": 1_000, "recording": folder,
		"schema": []string{"CREATE TABLE entries(key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID"},
		"tests":  []object{test(1, 1, 4, object{"batch": 1_000}), test(2, 2, 15, "each"), test(3, 1, 8, "each")},
	}
}

func TestEveryDriverReplaysKeysAlike(t *testing.T) {
	for _, driver := range drivers {
		if replays := fmt.Sprint(described(t, driver)["replays"]); replays != "[kv sql]" {
			t.Errorf("%s replays %s: expected recordings of both kinds", driver, replays)
		}
		for journal, statements := range map[string]string{"wal": "prepared", "delete": "text"} {
			options := map[string]string{"journal_mode": journal, "statements": statements}
			_, results := finished(t, driver, newJob(t, driver, keyedSuite(t), options))
			for at, expected := range keyedAnswers {
				result := results[fmt.Sprint(at+1)]
				if fmt.Sprint(result["rows"]) != expected.rows || result["verification"] != expected.verification {
					t.Errorf("%s, %s, test %d: %v rows, %v: expected %+v", driver, statements, at+1, result["rows"], result["verification"], expected)
				}
			}
		}
	}
}
