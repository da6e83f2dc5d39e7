package engine

import (
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dbdyno/dbdyno/engines/go/driver"
	"github.com/dbdyno/dbdyno/engines/go/kv"
	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// replayedBy runs a test that replays files. spec has the fields of the replay.
func replayedBy(t *testing.T, of Driver, spec string, files map[string][]byte, options map[string]string) (*protocol.TestDone, error) {
	t.Helper()
	suite := fmt.Sprintf(counters, `"verify": [], "verify_schema": [], "replay": {`+spec+`}`)
	folder := fmt.Sprintf(`"start": null, "recording": %q`, folderOf(t, files))
	return doneOf(t, of, strings.Replace(suite, `"start": null`, folder, 1), options)
}

// meeting are two lanes. The first one writes twice, and the second one reads between the writes or after them.
var meeting = map[string][]byte{
	"statements": encoded(4,
		0, 3, "", 1, 1, "INSERT INTO counters VALUES (:id, :value)", 0, 8, "", 2, 0, "SELECT value FROM counters WHERE id > ? ORDER BY id",
	),
	"lane-0": encoded(1,
		2, 0, 0, 1, 0, 0, 3, 0, 0, 0, 1, 0, 2, 1, int64(2), 1, int64(20), 2, 0, 0,
		2, 0, 1, 2, 2, 1, 1, 1, 0, 2, 1, int64(3), 1, int64(30),
	),
	"lane-1": encoded(1, 2, 0, 1, 0, 1, 2, 1, 3, 0, 1, 1, int64(0)),
}

const meetingSpec = `"lanes": 2, "transactions": 3, "writes": 2, "speed": 0, "order": "%s", "unequal_tables": [%s], "statements": [
	{"name": "around", "is_verified": false, "may_fail": false},
	{"name": "added", "is_verified": true, "may_fail": false},
	{"name": "seen", "is_verified": true, "may_fail": false}
]`

// contentsOf returns what a table with these rows of numbers holds.
func contentsOf(table string, rows ...[2]int64) protocol.TableContent {
	var digest workload.Digest
	var sum uint64
	for _, row := range rows {
		var own workload.Digest
		own.Int64(row[0])
		own.Int64(row[1])
		sum += uint64(own)
	}
	digest.Word(uint64(len(rows)))
	digest.Word(sum)
	return protocol.TableContent{Table: table, Rows: uint64(len(rows)), Checksum: digest.String()}
}

func TestTheOrderOfAReplayDecidesWhatReadersSee(t *testing.T) {
	content := contentsOf("counters", [2]int64{1, 0}, [2]int64{2, 20}, [2]int64{3, 30})
	added := verificationOf(2, changed(1), changed(1))
	for order, seen := range map[string]string{
		"early": verificationOf(2, numbers(0, 20)), "late": verificationOf(3, numbers(0, 20, 30)),
	} {
		for _, unequal := range []string{"", `"counters"`} {
			// Opening is in no order, so a connection may have to wait while another one is opened.
			options := map[string]string{"journal_mode": "wal", "busy_timeout": "5000"}
			done, err := replayedBy(t, sqlite(plain), fmt.Sprintf(meetingSpec, order, unequal), meeting, options)
			if err != nil {
				t.Fatalf("%s: %v", order, err)
			}
			var digest workload.Digest
			digest.Text(added)
			digest.Text(seen)
			if unequal == "" {
				digest.Text("counters")
				digest.Text(content.Checksum)
			}
			if *done.Verification != digest.String() {
				t.Errorf("%s: %s, expected %s", order, *done.Verification, digest)
			}
			if !reflect.DeepEqual(done.Contents, []protocol.TableContent{content}) {
				t.Errorf("%s: %+v, expected %+v", order, done.Contents, content)
			}
			checkMeeting(t, order, done)
		}
	}
}

func checkMeeting(t *testing.T, order string, done *protocol.TestDone) {
	t.Helper()
	if len(done.Actors) != 1 || done.Operations != 3 || done.Histogram != done.Actors[0].Histogram {
		t.Fatalf("%s: %+v: expected three operations of one actor", order, done)
	}
	actor := done.Actors[0]
	if actor.Name != "connections" || actor.Threads != 2 || actor.Operations != 3 || samples(t, actor.Histogram) != 3 || actor.Response != nil {
		t.Errorf("%s: %+v: expected three operations of two connections", order, actor)
	}
	if busy, counted := actor.Counters["busy"]; busy != 0 || !counted {
		t.Errorf("%s: %v: expected that nothing is blocked, one after the other", order, actor.Counters)
	}
	for at, operations := range []uint64{2, 2, 1} {
		found := done.Statements[at]
		if found.Operations != operations || samples(t, found.Histogram) != operations || (found.Verification == nil) != (at == 0) {
			t.Errorf("%s: %+v, expected %d operations", order, found, operations)
		}
	}
	plan := []string{"SEARCH counters USING INTEGER PRIMARY KEY (rowid>?)"}
	if !slices.Equal(done.Statements[2].Plan, plan) || done.Statements[0].Plan != nil {
		t.Errorf("%s: %v, expected %v", order, done.Statements[2].Plan, plan)
	}
}

func TestAConcurrentReplayTellsNoContentsAndTimesOfDueTransactions(t *testing.T) {
	spec := strings.Replace(fmt.Sprintf(meetingSpec, "concurrent", ""), `"speed": 0`, `"speed": 1000`, 1)
	done, err := replayedBy(t, sqlite(plain), spec, meeting, nil)
	if err != nil {
		t.Fatal(err)
	}
	if done.Contents != nil || done.Verification == nil {
		t.Errorf("%+v: expected no contents, and a verification", done)
	}
	if actor := done.Actors[0]; actor.Response == nil || samples(t, *actor.Response) != 3 {
		t.Errorf("%+v: expected three response times", actor)
	}
}

func TestLanesThatBlockEachOtherDoTheirTransactionsOnce(t *testing.T) {
	const writes, reads = 150, 200
	of := sqlite(func(path string) (driver.Conn, error) {
		conn, err := plain(path)
		return sleepy{conn}, err
	})
	files := map[string][]byte{
		"statements": encoded(4,
			0, 3, "", 1, 1, "UPDATE counters SET value = value + 1", 0, 8, "", 2, 0, "SELECT value FROM counters WHERE value < 0",
		),
		"lane-0": encoded(1), "lane-1": encoded(1), "lane-2": encoded(1),
	}
	for turn := range writes {
		// The writers take turns.
		writer := []string{"lane-0", "lane-2"}[turn%2]
		transaction := encoded(2, 0, turn, turn+1, 0, 0, 4, 0, 0, 0, 3, 0, 0, 1, 0, 0, 2, 0, 0)
		files[writer] = append(files[writer], transaction...)
	}
	for range reads {
		files["lane-1"] = append(files["lane-1"], encoded(2, 0, 0, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0, 3, 0, 0, 2, 0, 0)...)
	}
	spec := strings.Replace(fmt.Sprintf(meetingSpec, "concurrent", ""), `"lanes": 2`, `"lanes": 3`, 1)
	done, err := replayedBy(t, of, spec, files, map[string]string{"busy_timeout": "0"})
	if err != nil {
		t.Fatal(err)
	}
	actor := done.Actors[0]
	if busy := actor.Counters["busy"]; busy == 0 || actor.Counters["retries"] != busy {
		t.Errorf("%v: expected that readers blocked a writer", actor.Counters)
	}
	if done.Operations != writes+reads || samples(t, actor.Histogram) != writes+reads || done.Rows != writes {
		t.Errorf("%+v: expected %d operations", done, writes+reads)
	}
	var digest workload.Digest
	for at, operations := range []uint64{2 * (writes + reads), writes, writes + 2*reads} {
		found := done.Statements[at]
		if found.Operations != operations || samples(t, found.Histogram) != operations {
			t.Errorf("%+v, expected %d operations", found, operations)
		}
		if found.Verification != nil {
			digest.Text(*found.Verification)
		}
	}
	digest.Text("counters")
	digest.Text(contentsOf("counters", [2]int64{1, writes}).Checksum)
	if *done.Verification != digest.String() {
		t.Errorf("%s, expected %s: every write counts once", *done.Verification, digest)
	}
}

// Without that, the lane that waits would wait for ever.
func TestALaneThatFailsEndsTheReplay(t *testing.T) {
	var closed atomic.Int64
	of := sqlite(func(path string) (driver.Conn, error) {
		conn, err := plain(path)
		return closing{conn, &closed}, err
	})
	files := map[string][]byte{
		"statements": encoded(2, 1, 1, "INSERT INTO counters VALUES (1, 1)", 2, 0, "SELECT value FROM counters"),
		"lane-0":     encoded(1, 2, 0, 1, 0, 1, 1, 1, 1, 0, 0),
		"lane-1":     encoded(1, 2, 0, 0, 1, 0, 0, 1, 0, 0, 0),
	}
	begun := time.Now()
	_, err := replayedBy(t, of, fmt.Sprintf(meetingSpec, "concurrent", ""), files, nil)
	if err == nil || !strings.Contains(err.Error(), "`added`: ") || !strings.Contains(err.Error(), "UNIQUE constraint failed") {
		t.Errorf("`%v`, expected the failure of the statement", err)
	}
	if time.Since(begun) > kv.Patience {
		t.Errorf("it took %v", time.Since(begun))
	}
	// The main connection and one for each lane.
	if closed.Load() != 3 {
		t.Errorf("%d connections were closed, expected 3", closed.Load())
	}
}

func TestAReplayThatCannotBeDoneIsRefusedWithTheReason(t *testing.T) {
	for spec, expected := range map[string]string{
		`"lanes": 0`:                       "0 lanes",
		`"lanes": 1, "speed": "fast"`:      "the speed of a replay is not a number",
		`"lanes": 1, "order": "sometimes"`: "order `sometimes` of a replay",
		`"lanes": 1`:                       "a statement has an unknown name or kind",
		`"lanes": 3, "statements": [{"name": "a"}, {"name": "b"}, {"name": "c"}]`: "lane-2",
	} {
		_, err := replayedBy(t, sqlite(plain), spec, meeting, nil)
		if err == nil || !strings.Contains(err.Error(), expected) {
			t.Errorf("%s: `%v`, expected `%s`", spec, err, expected)
		}
	}
	suite := fmt.Sprintf(counters, `"verify": [], "verify_schema": [], "replay": {"lanes": 1}`)
	if _, err := doneOf(t, sqlite(plain), suite, nil); err == nil || !strings.Contains(err.Error(), "no folder") {
		t.Errorf("`%v`, expected that the folder is missing", err)
	}
}

func TestTheContentsOfTablesAreWhatSQLiteStores(t *testing.T) {
	conn, err := plain(filepath.Join(t.TempDir(), "a.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, sql := range []string{
		`CREATE TABLE "of ""dates"""(at DATETIME, done BOOLEAN, "a ""b" AS (done + 1))`,
		`INSERT INTO "of ""dates"""(at, done) VALUES ('2026-01-02 03:04:05', 1), (17, NULL)`,
		`CREATE TABLE sqlitelike(a)`, `CREATE VIEW viewed AS SELECT 1`,
		`create virtual table docs USING fts5(body)`, `INSERT INTO docs VALUES ('a text')`, `CREATE TABLE docs_of_its_own(a)`,
		`PRAGMA writable_schema = ON`,
		`INSERT INTO sqlite_master VALUES ('table', 'missing', 'missing', 0, 'CREATE VIRTUAL TABLE missing USING unknown(a)')`,
		`PRAGMA writable_schema = RESET`,
	} {
		if err := conn.Batch(sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	found, err := tableContents(conn)
	if err != nil {
		t.Fatal(err)
	}
	var first, second, text, docs, dates, missing workload.Digest
	text.TextValue("a text")
	docs.Word(1)
	docs.Word(uint64(text))
	missing.Word(math.MaxUint64)
	first.TextValue("2026-01-02 03:04:05")
	first.Int64(1)
	first.Int64(2)
	second.Int64(17)
	second.Null()
	second.Null()
	dates.Word(2)
	dates.Word(uint64(first) + uint64(second))
	expected := []protocol.TableContent{
		{Table: "docs", Rows: 1, Checksum: docs.String()}, {Table: "missing", Checksum: missing.String()},
		{Table: `of "dates"`, Rows: 2, Checksum: dates.String()}, contentsOf("sqlitelike"),
	}
	if !reflect.DeepEqual(found, expected) {
		t.Errorf("%+v, expected %+v", found, expected)
	}
}

func TestAStatementSeesTheColumnsThatATableHasNow(t *testing.T) {
	conn, err := plain(driver.InMemory)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.Batch("CREATE TABLE t(a); INSERT INTO t VALUES (1)"); err != nil {
		t.Fatal(err)
	}
	stmt, err := conn.Prepare("SELECT * FROM t")
	if err != nil {
		t.Fatal(err)
	}
	for columns, change := range []string{"", "ALTER TABLE t ADD COLUMN b", "ALTER TABLE t ADD COLUMN c"} {
		if err := conn.Batch(change); err != nil {
			t.Fatal(err)
		}
		seen := 0
		err := stmt.Query(nil, nil, func(row driver.Row) bool {
			seen = row.Columns()
			return true
		})
		if err != nil || seen != columns+1 {
			t.Errorf("%v, %d columns: expected %d", err, seen, columns+1)
		}
	}
	if err := stmt.Close(); err != nil {
		t.Error(err)
	}
}
