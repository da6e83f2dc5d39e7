package programs

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// wire returns the bytes of a recording's file. A number is unsigned, an int64 signed, a real number has 8 bytes, and a
// text or a blob has its length before it.
func wire(parts ...any) (bytes []byte) {
	for _, part := range parts {
		switch part := part.(type) {
		case int:
			bytes = binary.AppendUvarint(bytes, uint64(part))
		case int64:
			bytes = binary.AppendVarint(bytes, part)
		case float64:
			bytes = binary.LittleEndian.AppendUint64(bytes, math.Float64bits(part))
		case string:
			bytes = append(binary.AppendUvarint(bytes, uint64(len(part))), part...)
		}
	}
	return bytes
}

// user returns the values of a user as a lane has them.
func user(id int64, email string, worth float64) []byte {
	return wire(3, 1, id, 3, email, 2, worth)
}

// replayed returns a suite that replays two connections, one transaction after the other. Lane 0 adds a user twice in
// one transaction, of which the second time fails, makes a table, and adds a column to it on another connection. Lane
// 1 reads in between. note is the value of the table's first column as a lane has
// it.
func replayed(t *testing.T, note []byte) object {
	t.Helper()
	folder := t.TempDir()
	alone := func(early, turn, statement, most int, values ...any) []byte {
		return append(wire(2, early, 0, turn, early, early, 1, statement, most), wire(values...)...)
	}
	joined := func(parts ...[]byte) (all []byte) {
		for _, part := range parts {
			all = append(all, part...)
		}
		return all
	}
	for name, bytes := range map[string][]byte{
		"statements": wire(9,
			0, 3, "", 1, 1, "INSERT INTO users VALUES (:id, :email, @worth)", 0, 8, "",
			2, 0, "SELECT id, email, worth FROM users WHERE id >= $least ORDER BY id",
			3, 2, "CREATE TABLE notes(id INTEGER PRIMARY KEY, body UNIQUE)", 4, 1, "INSERT INTO notes(body) VALUES (?), ('')",
			5, 0, "SELECT * FROM notes ORDER BY id", 3, 2, "ALTER TABLE notes ADD COLUMN more DEFAULT 2.5",
			5, 0, "SELECT id, more FROM notes ORDER BY id",
		),
		"lane-0": joined(
			wire(1, 2, 0, 0, 1, 0, 0, 4, 0, 0, 0, 1, 0), user(2, "é", 0.5), wire(1, 0), user(2, "twice", 1), wire(2, 0, 0),
			alone(2, 2, 4, 0, 0), alone(3, 3, 5, 0, 1), note, wire(1), alone(5, 4, 7, 0, 0),
		),
		"lane-1": joined(
			wire(1), alone(1, 0, 3, 3, 1, 1, int64(1)), alone(4, 0, 6, 0, 0), alone(6, 0, 8, 0, 0),
		),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), bytes, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	replay := `, "replay": {"lanes": 2, "transactions": 7, "writes": 4, "speed": 0, "order": "early", "unequal_tables": ["articles"],
		"statements": [
			{"name": "around", "is_verified": true, "may_fail": false}, {"name": "add", "is_verified": true, "may_fail": true},
			{"name": "read", "is_verified": true, "may_fail": false}, {"name": "schema", "is_verified": false, "may_fail": false},
			{"name": "note", "is_verified": true, "may_fail": false}, {"name": "notes", "is_verified": true, "may_fail": false}
		]}`
	suite := sqlSuite(t, sqlTest("1", "main", filled, "", replay))
	suite["recording"] = folder
	return suite
}

// answerOf returns the digest of an answer of a number of rows with values.
func answerOf(rows uint64, values ...any) (digest workload.Digest) {
	for _, value := range values {
		addTo(&digest, value)
	}
	digest.Word(rows)
	return digest
}

// called is what a name of a replay is expected to have.
type called struct {
	name             string
	operations, rows uint64
	verification     any
	failures         uint64
	// plans reports whether SQLite has a plan, whatever its version.
	plans bool
}

// calledAs returns what a name is expected to have after these answers.
func calledAs(name string, rows uint64, answers ...workload.Digest) called {
	of := named{rows: rows}
	for _, answer := range answers {
		of.digests += uint64(answer)
	}
	return called{name: name, operations: uint64(len(answers)), rows: rows, verification: of.verification()}
}

// expectedCalls returns what the names of the replay are expected to have. note is the value of the table's first
// column.
func expectedCalls(note any) []called {
	var failure workload.Digest
	failure.Word(math.MaxUint64)
	add, schema := calledAs("add", 1, answerOf(1), failure), calledAs("schema", 0, answerOf(0), answerOf(0))
	add.failures, schema.verification = 1, nil
	all := []called{
		calledAs("around", 0, answerOf(0), answerOf(0)), add,
		calledAs("read", 2, answerOf(2, 1, "user0001@example.com", 0.5, 2, "é", 0.5)), schema, calledAs("note", 2, answerOf(2)),
		calledAs("notes", 4, answerOf(2, 1, note, 2, ""), answerOf(2, 1, 2.5, 2, 2.5)),
	}
	all[2].plans, all[5].plans = true, true
	return all
}

// rowsOf returns the checksum of a table with rows.
func rowsOf(rows ...[]any) string {
	var digest, sum workload.Digest
	for _, row := range rows {
		var own workload.Digest
		for _, value := range row {
			addTo(&own, value)
		}
		sum += own
	}
	digest.Word(uint64(len(rows)))
	digest.Word(uint64(sum))
	return digest.String()
}

func TestEveryDriverReplaysARecordingAlike(t *testing.T) {
	for _, driver := range drivers {
		bytes, note := wire(4, "\x00\xff"), any([]byte{0, 255})
		if driver == "crawshaw" {
			bytes, note = wire(3, "a text"), "a text"
		}
		calls, suite := expectedCalls(note), replayed(t, bytes)
		var verification workload.Digest
		for _, call := range calls {
			if text, is := call.verification.(string); is {
				verification.Text(text)
			}
		}
		contents := []struct{ table, rows, checksum string }{
			{"articles", "3", ""},
			{"notes", "2", rowsOf([]any{1, note, 2.5}, []any{2, "", 2.5})},
			{"users", "3", rowsOf([]any{0, "user0000@example.com", 0.25}, []any{1, "user0001@example.com", 0.5}, []any{2, "é", 0.5})},
		}
		for _, content := range contents[1:] {
			verification.Text(content.table)
			verification.Text(content.checksum)
		}
		for journal, statements := range map[string]string{"wal": "prepared", "delete": "text"} {
			options := map[string]string{"journal_mode": journal, "statements": statements}
			started, result := begun(t, driver, newJob(t, driver, suite, options))
			if whole(t, started["operations"]) != 7 || whole(t, result["operations"]) != 7 || whole(t, result["rows"]) != 9 {
				t.Errorf("%s: %v, %v: expected 7 operations and 9 rows", driver, started, result)
			}
			if result["verification"] != verification.String() {
				t.Errorf("%s, %s: %v, expected %s", driver, statements, result["verification"], verification)
			}
			actor := result["actors"].([]any)[0].(object)
			if actor["name"] != "connections" || whole(t, actor["threads"]) != 2 || whole(t, actor["busy"]) != 0 {
				t.Errorf("%s: %v, expected two connections that do not block each other", driver, actor)
			}
			checkCalls(t, driver, result["statements"].([]any), calls)
			for at, expected := range contents {
				found := result["contents"].([]any)[at].(object)
				if found["table"] != expected.table || found["rows"].(json.Number).String() != expected.rows ||
					expected.checksum != "" && found["checksum"] != expected.checksum {
					t.Errorf("%s: %v, expected %v", driver, found, expected)
				}
			}
		}
	}
}

func checkCalls(t *testing.T, driver string, told []any, calls []called) {
	t.Helper()
	for at, expected := range calls {
		found := told[at].(object)
		if found["name"] != expected.name || whole(t, found["operations"]) != expected.operations ||
			whole(t, found["rows"]) != expected.rows || found["verification"] != expected.verification ||
			expected.plans && found["plan"] == nil {
			t.Errorf("%s: %v, expected %+v", driver, found, expected)
		}
		if expected.failures == 0 {
			if found["failures"] != nil || found["failure"] != nil {
				t.Errorf("%s: %v: expected no failures", driver, found)
			}
			continue
		}
		failure, _ := found["failure"].(string)
		if whole(t, found["failures"]) != expected.failures || !strings.Contains(strings.ToLower(failure), "constraint") {
			t.Errorf("%s: %v: expected what the engine said", driver, found)
		}
	}
}

func TestAHarnessReplaysWithoutAnswers(t *testing.T) {
	job := newJob(t, "mattn", replayed(t, wire(0)), nil)
	job["engine"], job["options"] = "go-null", map[string]string{}
	_, result := begun(t, "mattn", job)
	if whole(t, result["operations"]) != 7 || result["verification"] != nil || result["contents"] != nil {
		t.Errorf("%v: expected 7 operations, and nothing to verify", result)
	}
	for _, of := range result["statements"].([]any) {
		if of.(object)["verification"] != nil || of.(object)["plan"] != nil {
			t.Errorf("%v: expected nothing to verify, and no plan", of)
		}
	}
}

func TestADriverThatBindsBlobsAsTextsReplaysNone(t *testing.T) {
	message := failed(t, "crawshaw", newJob(t, "crawshaw", replayed(t, wire(4, "\x00")), nil))
	if !strings.Contains(message, "engine `go-crawshaw` binds blobs as texts") {
		t.Errorf("%s: expected that it cannot bind blobs", message)
	}
}
