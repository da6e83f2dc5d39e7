package kv_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/dbdyno/dbdyno/engines/go/example/store"
	"github.com/dbdyno/dbdyno/engines/go/kv"
	"github.com/dbdyno/dbdyno/engines/go/protocol"
)

// recorded is a test whose keys are recorded.
const recorded = `{"number": %d, "name": "Recorded", "measured": true, "database": "main", "records": 1, "key": "kkkk", "verify_state": true,
 "sql": {}, "time_ms": null, "warm_up_ms": 0, "followed": false, "actors": [%s]}`

// connections are threads whose operations are recorded.
const connections = `{"name": "connections", "threads": %d, "keys": "recorded", "transaction": %s, "arrival": null, "during": null, "work": [
 {"weight": 1, "name": "set", "op": "put", "value": "recorded"}, {"weight": 1, "name": "get", "op": "get"},
 {"weight": 1, "op": "remove"}, {"weight": 1, "name": "merge", "op": "modify", "value": "recorded"}], "operations": %d%s}`

// scan is a test that reads what the test before it has left.
const scan = `{"number": 2, "name": "Scan", "measured": true, "database": "main", "records": 1, "key": "kkkk", "operations": 1, "keys": "ascending",
 "work": [{"weight": 1, "op": "scan"}], "transaction": "read", "clock_every": 1, "verify_state": false, "sql": {}}`

// replay has the events of a job with recorded operations.
type replay struct {
	started []protocol.TestStarted
	results []*protocol.TestDone
}

// replayed runs a job. folder has the files of the recording.
func replayed(t *testing.T, engine kv.Engine, job *protocol.Job, folder any, tests ...string) (replay, error) {
	t.Helper()
	recording, err := json.Marshal(folder)
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(`{"kind": "kv", "name": "recorded", "recording": %s, "tests": [%s]}`, recording, strings.Join(tests, ", "))
	if err := json.Unmarshal([]byte(text), &job.Suite); err != nil {
		t.Fatal(err)
	}
	job.Protocol, job.ProgressMs, job.Folder = protocol.Version, 50, filepath.Join(t.TempDir(), "databases")
	var told replay
	err = kv.Do(engine, job, func(event any) {
		switch event := event.(type) {
		case protocol.TestStarted:
			told.started = append(told.started, event)
		case *protocol.TestDone:
			told.results = append(told.results, event)
		}
	})
	return told, err
}

func exampleJob() *protocol.Job {
	return &protocol.Job{Engine: "goexample", Options: map[string]string{"sync": "off"}}
}

// threads returns a folder with the files of the threads of test 1.
func threads(t *testing.T, files ...[]byte) string {
	t.Helper()
	folder := t.TempDir()
	for thread, bytes := range files {
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("keys-1-%d", thread)), bytes, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// file returns the operations of a thread, each of which sets a key of the thread, reads it and another one, and removes
// or modifies it.
func file(thread, rounds int) (bytes []byte) {
	for round := range rounds {
		key := fmt.Sprintf("key-%d-%d", thread, round)
		bytes = kv.AppendOperation(bytes, 0, 0, 8, key)
		bytes = kv.AppendOperation(bytes, 1, 0, 0, key)
		bytes = kv.AppendOperation(bytes, 1, 0, 0, key+"~")
		bytes = kv.AppendOperation(bytes, 2+round%2, 0, uint64(round%2)*9, key)
	}
	return bytes
}

func TestRecordedOperationsAreDoneAndReportedUnderTheirNames(t *testing.T) {
	folder := threads(t, file(0, 100), file(1, 50))
	test := fmt.Sprintf(recorded, 1, fmt.Sprintf(connections, 2, `"each"`, 600, ""))
	told, err := replayed(t, store.Engine(), exampleJob(), folder, test, scan)
	if err != nil {
		t.Fatal(err)
	}
	started, result, after := told.started[0], told.results[0], told.results[1]
	if started.Operations == nil || *started.Operations != 600 || result.Operations != 600 || result.Rows != 450 {
		t.Errorf("%+v, %+v: expected 600 operations with 450 rows", started, result)
	}
	checkStatements(t, result, []protocol.StatementDone{
		{Name: "set", Operations: 150, Rows: 150}, {Name: "get", Operations: 300, Rows: 150}, {Name: "merge", Operations: 75, Rows: 75},
	})
	if of := result.Actors[0]; of.Operations != 600 || of.Response != nil || samples(t, of.Histogram) != 600 {
		t.Errorf("%+v: expected 600 operations that are all timed, and none that are due", of)
	}
	if _, told := result.Actors[0].Counters["backlog"]; told {
		t.Error("there is a backlog, though no operation is due at a time")
	}
	// Half of the keys were removed, and the threads have left the same content in any order.
	if after.Rows != 75 || after.Verification == nil {
		t.Errorf("%+v: expected 75 rows with a checksum", after)
	}
}

// checkStatements compares the results under names, except for times.
func checkStatements(t *testing.T, result *protocol.TestDone, expected []protocol.StatementDone) {
	t.Helper()
	var sum uint64
	for at, found := range result.Statements {
		if samples(t, found.Histogram) != found.Operations {
			t.Errorf("%+v: expected a time of each operation", found)
		}
		sum += found.WallNs
		result.Statements[at].Histogram, result.Statements[at].WallNs = "", 0
	}
	equal := func(one, other protocol.StatementDone) bool {
		return one.Name == other.Name && one.Operations == other.Operations && one.Rows == other.Rows && one.Verification == nil
	}
	if !slices.EqualFunc(result.Statements, expected, equal) {
		t.Errorf("%+v, expected %+v", result.Statements, expected)
	}
	if threads := uint64(result.Actors[0].Threads); sum == 0 || sum > threads*result.WallNs {
		t.Errorf("%d ns of operations in %d ns of %d threads", sum, result.WallNs, threads)
	}
}

func samples(t *testing.T, text string) uint64 {
	t.Helper()
	histogram, err := hdrhistogram.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return uint64(histogram.TotalCount())
}

func TestTheSameRecordedOperationsHaveTheSameChecksum(t *testing.T) {
	verified := func(test string, files ...[]byte) string {
		told, err := replayed(t, store.Engine(), exampleJob(), threads(t, files...), test)
		if err != nil {
			t.Fatal(err)
		}
		return *told.results[0].Verification
	}
	test := fmt.Sprintf(recorded, 1, fmt.Sprintf(connections, 2, `"each"`, 240, ""))
	first := verified(test, file(0, 30), file(1, 30))
	if again := verified(test, file(0, 30), file(1, 30)); again != first || !strings.HasPrefix(first, "3:") {
		t.Errorf("%s, then %s: expected the same checksum", first, again)
	}
	// A write is in no answer, but in the content.
	more := kv.AppendOperation(file(0, 30), 0, 0, 8, "last")
	other := kv.AppendOperation(file(0, 30), 0, 0, 9, "last")
	if one, another := verified(test, more, file(1, 30)), verified(test, other, file(1, 30)); one == another {
		t.Errorf("%s of different content", one)
	}
	unread := strings.Replace(test, `"verify_state": true`, `"verify_state": false`, 1)
	if one, another := verified(unread, more, file(1, 30)), verified(unread, other, file(1, 30)); one != another || one == first {
		t.Errorf("%s and %s of the same answers", one, another)
	}
}

func TestRecordedOperationsInBatchesHaveNoTimesOfTheirOwn(t *testing.T) {
	test := fmt.Sprintf(recorded, 1, fmt.Sprintf(connections, 1, `{"batch": 100}`, 1_200, ""))
	told, err := replayed(t, store.Engine(), exampleJob(), threads(t, file(0, 300)), test, scan)
	if err != nil {
		t.Fatal(err)
	}
	if result := told.results[0]; result.Operations != 1_200 || result.Statements != nil || told.results[1].Rows != 150 {
		t.Errorf("%+v: expected 1200 operations without results under names", result)
	}
}

func TestAHarnessDoesRecordedOperationsWithoutAnswers(t *testing.T) {
	test := fmt.Sprintf(recorded, 1, fmt.Sprintf(connections, 2, `"each"`, 600, ""))
	told, err := replayed(t, store.Engine(), &protocol.Job{Engine: kv.Harness}, threads(t, file(0, 100), file(1, 50)), test)
	if err != nil {
		t.Fatal(err)
	}
	result := told.results[0]
	if result.Operations != 600 || result.Verification != nil {
		t.Errorf("%+v: expected 600 operations, and nothing to verify", result)
	}
	checkStatements(t, result, []protocol.StatementDone{
		{Name: "set", Operations: 150, Rows: 150}, {Name: "get", Operations: 300, Rows: 300}, {Name: "merge", Operations: 75, Rows: 75},
	})
}

func TestRecordedOperationsAreDueAtTheirTimes(t *testing.T) {
	const step = 30 * time.Millisecond
	var bytes []byte
	for at := range uint64(3) {
		bytes = kv.AppendOperation(bytes, 0, 2*at*uint64(step), 8, "key")
	}
	var opened time.Time
	var puts []time.Duration
	engine := with(func(session kv.Session) kv.Session {
		opened = time.Now()
		return changed{Session: session, put: func(key, value []byte) error {
			puts = append(puts, time.Since(opened))
			return nil
		}}
	})
	test := fmt.Sprintf(recorded, 1, fmt.Sprintf(connections, 1, `"each"`, 3, `, "speed": 200`))
	test = strings.Replace(test, `"verify_state": true`, `"verify_state": false`, 1)
	told, err := replayed(t, engine, exampleJob(), threads(t, bytes), test)
	if err != nil {
		t.Fatal(err)
	}
	for at, put := range puts {
		if due := time.Duration(at) * step; put < due {
			t.Errorf("operation %d began after %v, before it was due after %v", at, put, due)
		}
	}
	if head := told.started[0].Actors[0]; len(puts) != 3 || head.Rate != nil {
		t.Errorf("%d operations of %+v: expected 3 without a rate", len(puts), head)
	}
	result := told.results[0]
	of := result.Actors[0]
	// A thread may begin a little after the time from which the operations are due.
	if least := 3 * step / 2; of.Response == nil || samples(t, *of.Response) != 3 || of.WallNs < uint64(least) {
		t.Errorf("%+v: expected three response times in more than %v", of, least)
	}
	if backlog, told := of.Counters["backlog"]; backlog != 0 || !told {
		t.Errorf("%v: expected that nothing is left", of.Counters)
	}
	if set := result.Statements[0]; set.Operations != 3 || set.WallNs >= of.WallNs {
		t.Errorf("%+v: expected three operations, without the time between them", set)
	}
}

func TestWhatIsNoRecordingIsAnErrorWithTheReason(t *testing.T) {
	test := fmt.Sprintf(recorded, 1, fmt.Sprintf(connections, 2, `"each"`, 4, ""))
	alone := strings.Replace(strings.Replace(scan, `"ascending"`, `"recorded"`, 1), `"scan"`, `"get"`, 1)
	for expected, of := range map[string]struct {
		folder any
		test   string
	}{
		"the suite has no folder with the files of its recording": {nil, test},
		"keys-1-1": {threads(t, file(0, 1)), test},
		"keys-1-1: there is no work 4: expected less than 4": {threads(t, file(0, 1), []byte{4, 0, 0, 0}), test},
		"recorded keys: expected actors that have them":      {threads(t, file(0, 1)), alone},
	} {
		if _, err := replayed(t, store.Engine(), exampleJob(), of.folder, of.test); err == nil || !strings.Contains(err.Error(), expected) {
			t.Errorf("`%v`, expected `%s`", err, expected)
		}
	}
}

func TestAnEngineSaysThatItReplaysKeys(t *testing.T) {
	engine := store.Engine()
	description := engine.Describe()
	if !slices.Contains(description.Replays, "kv") || !slices.Contains(description.Kv.Keys, protocol.Recorded) {
		t.Errorf("%v, %v: expected recordings of keys", description.Replays, description.Kv.Keys)
	}
}
