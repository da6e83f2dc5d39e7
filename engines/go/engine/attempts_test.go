package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/dbdyno/dbdyno/engines/go/adapters/dbsql"
	"github.com/dbdyno/dbdyno/engines/go/driver"
	"github.com/dbdyno/dbdyno/engines/go/kv"
	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"github.com/dbdyno/dbdyno/engines/go/workload"
	_ "modernc.org/sqlite"
)

// sqlite is a driver for a real SQLite. Its connections are as given.
func sqlite(open func(path string) (driver.Conn, error)) Driver {
	return Driver{Name: "go-test", Open: open}
}

var plain = dbsql.Opener("sqlite")

// counters is a suite of one table and one test with actors.
const counters = `{"kind": "sql", "name": "counters", "start": null, "data_bytes": 1000, "indexes": [],
	"tables": [{"name": "counters", "columns": [
		{"name": "id", "type": "INTEGER PRIMARY KEY"}, {"name": "value", "type": "INTEGER"}
	]}],
	"tests": [{"number": 1, "name": "a test", "measured": true, "database": "main", "steps": [], "rows_walked": 0,
	"prepare": [{"create_table": "counters"}, {"write": "INSERT INTO counters VALUES (1, 0)"}], %s}]}`

// doneWith runs a test with actors. rest are the other fields of the test.
func doneWith(t *testing.T, of Driver, rest string, options map[string]string) (*protocol.TestDone, error) {
	t.Helper()
	return doneOf(t, of, fmt.Sprintf(counters, rest), options)
}

// doneOf runs a suite of one test.
func doneOf(t *testing.T, of Driver, suite string, options map[string]string) (*protocol.TestDone, error) {
	t.Helper()
	text := `{"protocol": 2, "engine": "go-test", "seed": 1, "progress_ms": 50, "suite": ` + suite + `}`
	var job protocol.Job
	if err := json.Unmarshal([]byte(text), &job); err != nil {
		t.Fatal(err)
	}
	job.Folder, job.Options = filepath.Join(t.TempDir(), "databases"), defaults()
	job.Options["synchronous"] = "off"
	for name, value := range options {
		job.Options[name] = value
	}
	var done *protocol.TestDone
	err := protocol.Do(programFor(of), &job, func(event any) {
		if event, is := event.(*protocol.TestDone); is {
			done = event
		}
	})
	return done, err
}

func samples(t *testing.T, histogram string) uint64 {
	t.Helper()
	decoded, err := hdrhistogram.Decode([]byte(histogram))
	if err != nil {
		t.Fatal(err)
	}
	return uint64(decoded.TotalCount())
}

// contentOf returns the verification value of a table with these rows of numbers.
func contentOf(rows ...[2]int64) string {
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
	digest.Word(0)
	return digest.String()
}

// sleepy is a connection whose reads take a while, so that transactions that read before they write meet.
type sleepy struct{ driver.Conn }

func (conn sleepy) Prepare(sql string) (driver.Stmt, error) {
	stmt, err := conn.Conn.Prepare(sql)
	return sleepyStmt{stmt}, err
}

type sleepyStmt struct{ driver.Stmt }

func (stmt sleepyStmt) Query(values []driver.Value, kinds []driver.Kind, visit func(driver.Row) bool) error {
	err := stmt.Stmt.Query(values, kinds, visit)
	time.Sleep(50 * time.Microsecond)
	return err
}

// counting has threads that each count a counter on, which they first read.
const counting = `"verify": ["counters"], "verify_schema": [], "actors": [
	{"name": "counter", "threads": 3, "steps": [{"repeat": 150, "steps": [
		{"name": "counted", "begin": "deferred", "transaction": [
			{"name": "read", "read": "SELECT value FROM counters", "keep": "now"},
			{"name": "written", "write": "UPDATE counters SET value = ?1 + 1", "bind": [{"kept": "now"}]}
		]}
	]}]},
	{"name": "reader", "threads": 1, "steps": [{"repeat": 20, "steps": [{"read": "SELECT value FROM counters"}]}]}
]`

func TestATransactionThatAnotherThreadBlocksIsDoneAgain(t *testing.T) {
	const transactions = 450
	of := sqlite(func(path string) (driver.Conn, error) {
		conn, err := plain(path)
		return sleepy{conn}, err
	})
	for _, journal := range []string{"wal", "delete"} {
		done, err := doneWith(t, of, counting, map[string]string{"busy_timeout": "0", "journal_mode": journal})
		if err != nil {
			t.Fatalf("%s: %v", journal, err)
		}
		counter, reader := done.Actors[0], done.Actors[1]
		if counter.Operations != 2*transactions || counter.Rows != 2*transactions || reader.Operations != 20 ||
			done.Rows != 2*transactions+20 {
			t.Errorf("%s: %+v, expected two operations and two rows of each transaction", journal, done)
		}
		for _, actor := range done.Actors {
			if count := samples(t, actor.Histogram); count != actor.Operations {
				t.Errorf("%s: %d samples of %d operations", journal, count, actor.Operations)
			}
		}
		busy, retries := counter.Counters["busy"], counter.Counters["retries"]
		if busy == 0 || retries != busy {
			t.Errorf("%s: busy %d times, %d retries: expected the same, more than none", journal, busy, retries)
		}
		expected := contentOf([2]int64{1, transactions})
		if done.Verification == nil || *done.Verification != expected {
			t.Errorf("%s: %v, expected %s: every transaction counts once", journal, done.Verification, expected)
		}
		if len(done.Statements) != 3 {
			t.Fatalf("%s: %+v, expected three names", journal, done.Statements)
		}
		for at, rows := range []uint64{0, transactions, transactions} {
			found := done.Statements[at]
			if found.Operations != transactions || found.Rows != rows || samples(t, found.Histogram) != transactions ||
				found.Verification != nil {
				t.Errorf("%s: %+v, expected %d operations without a verification", journal, found, transactions)
			}
		}
	}
}

func TestAThreadKnowsItsNumberAmongThoseOfItsActor(t *testing.T) {
	actors := `"verify": ["counters"], "verify_schema": [], "actors": [
		{"name": "one", "threads": 3, "steps": [{"repeat": 2, "as": "i", "from": "thread", "steps": [
			{"write": "INSERT INTO counters VALUES (100 + ?1, ?2)",
			 "bind": [["+", ["*", 10, "thread"], "i"], "thread"]}
		]}]},
		{"name": "other", "threads": 2, "steps": [
			{"write": "INSERT INTO counters VALUES (?1, ?2)", "bind": [["+", 200, "thread"], "thread"]}
		]}]`
	done, err := doneWith(t, sqlite(plain), actors, nil)
	if err != nil {
		t.Fatal(err)
	}
	expected := contentOf(
		[2]int64{1, 0}, [2]int64{100, 0}, [2]int64{101, 0}, [2]int64{111, 1}, [2]int64{112, 1}, [2]int64{122, 2},
		[2]int64{123, 2}, [2]int64{200, 0}, [2]int64{201, 1},
	)
	if done.Operations != 8 || *done.Verification != expected {
		t.Errorf("%d operations, %s: expected 8, %s", done.Operations, *done.Verification, expected)
	}
}

func TestOnlyTablesAreVerifiedWhenThreadsWrite(t *testing.T) {
	const none = `"verify": [], "verify_schema": []`
	const schema = `"verify": [], "verify_schema": ["counters"]`
	write, read := `{"write": "UPDATE counters SET value = value + 1"}`, `{"read": "SELECT value FROM counters"}`
	for _, verifies := range []string{none, schema} {
		for _, writes := range []bool{true, false} {
			steps := read
			if writes {
				transaction := `{"transaction": [` + read + `, ` + write + `]}`
				steps = `{"mix": [{"weight": 1, "steps": [{"repeat": 2, "steps": [` + transaction + `]}]}]}`
			}
			actors := `, "actors": [{"name": "reader", "threads": 1, "steps": [` + read + `]},
				{"name": "other", "threads": 2, "steps": [` + steps + `]}]`
			done, err := doneWith(t, sqlite(plain), verifies+actors, nil)
			if err != nil {
				t.Fatal(err)
			}
			if told := done.Verification != nil; told != (!writes || verifies == schema) {
				t.Errorf("verification: %v, with threads that write: %v, %s", told, writes, verifies)
			}
			for _, actor := range done.Actors {
				if _, told := actor.Counters["busy"]; told != writes {
					t.Errorf("%v: expected conflicts to be counted if threads write", actor.Counters)
				}
			}
		}
	}
}

// errLocked is what SQLite says if another connection is in the way.
var errLocked = errors.New("database is locked")

// refusing is a connection that does nothing, and refuses statements as often as refusals has their text. Each read
// answers with the next number. A refusal takes a while.
type refusing struct {
	refusals map[string]int
	ran      []string
	reads    int64
	isOpen   bool
}

const refusal = 100 * time.Millisecond

func (conn *refusing) Batch(sql string) error                  { return conn.run(sql) }
func (conn *refusing) Prepare(sql string) (driver.Stmt, error) { return &refusingStmt{conn, sql}, nil }
func (conn *refusing) Text(sql string) driver.Stmt             { return &refusingStmt{conn, sql} }
func (conn *refusing) Close() error                            { return conn.run("close") }

func (conn *refusing) run(sql string) error {
	conn.ran = append(conn.ran, sql)
	if conn.refusals[sql] > 0 {
		conn.refusals[sql]--
		time.Sleep(refusal)
		return errLocked
	}
	switch {
	case strings.HasPrefix(sql, "BEGIN"):
		conn.isOpen = true
	case sql == "COMMIT" || sql == "ROLLBACK":
		if !conn.isOpen {
			return errors.New("cannot rollback - no transaction is active")
		}
		conn.isOpen = false
	}
	return nil
}

type refusingStmt struct {
	conn *refusing
	sql  string
}

func (stmt *refusingStmt) Close() error { return nil }

func (stmt *refusingStmt) Exec(values []driver.Value) (int64, error) {
	text := stmt.sql
	for _, value := range values {
		text += " " + inWords(value)
	}
	err := stmt.conn.run(stmt.sql)
	stmt.conn.ran[len(stmt.conn.ran)-1] = text
	return 1, err
}

func (stmt *refusingStmt) Query(_ []driver.Value, _ []driver.Kind, visit func(driver.Row) bool) error {
	// A read fails after its first row.
	stmt.conn.reads++
	visit(numberRow(stmt.conn.reads))
	return stmt.conn.run(stmt.sql)
}

type numberRow int64

func (numberRow) Columns() int         { return 1 }
func (numberRow) Kind(int) driver.Kind { return driver.Integer }
func (row numberRow) Int64(int) int64  { return int64(row) }
func (numberRow) Float(int) float64    { return 0 }
func (numberRow) Text(int) string      { return "" }
func (numberRow) Blob(int) []byte      { return nil }

// persisted does steps on a connection, as the thread with the number 7.
func persisted(t *testing.T, conn *refusing, steps string) *member {
	t.Helper()
	program, err := programOf(steps)
	if err != nil {
		t.Fatal(err)
	}
	latencies := workload.NewLatencies()
	recorder := workload.NewRecorderOfEach(latencies)
	performer := newPerformer(testRun(), nil, program, workload.NewSplitMix64(1), recorder)
	performer.beThread(7, true)
	member := &member{performer: performer, recorder: recorder, latencies: latencies}
	recorder.Start()
	if err := member.work(func() (driver.Conn, error) { return conn, conn.run("open") }); err != nil {
		t.Fatal(err)
	}
	recorder.Finish()
	if err := performer.finish(); err != nil {
		t.Fatal(err)
	}
	return member
}

func TestNothingOfABlockedAttemptCounts(t *testing.T) {
	// The first write of each attempt takes what was kept before the attempt.
	steps := `[
		{"read": "first", "keep": "last", "name": "read"},
		{"transaction": [
			{"write": "w", "name": "write", "draw": {"r": 1000000},
			 "bind": [{"kept": "last"}, "r", "thread", {"kept": "none"}]},
			{"read": "r", "keep": "last", "name": "read"}, {"read": "r", "keep": "none"},
			{"read": "o", "name": "object",
			 "objects": [{"name": "n", "count": 1, "values": [["+", "n", ["-", "thread", 1]]]}]}
		], "name": "all"},
		{"write": "x", "bind": [{"kept": "last"}], "name": "write"}
	]`
	drawn := workload.NewSplitMix64(1).Below(1_000_000)
	w := fmt.Sprintf("w %%d %d 7 NULL", drawn)
	for _, refused := range []string{"", "open", "BEGIN DEFERRED", "w", "r", "o", "COMMIT", "x"} {
		conn := &refusing{refusals: map[string]int{refused: 1}}
		// The object of the attempt that succeeds must be the number 6, whatever was read before.
		conn.reads = map[string]int64{"r": 1, "o": -1, "COMMIT": -1}[refused]
		if conn.reads == 0 {
			conn.reads = 2
		}
		first := conn.reads + 1
		member := persisted(t, conn, steps)
		operations, rows := member.recorder.Operations(), member.performer.rows
		if operations != 6 || rows != 6 || samples(t, workload.Histogram(member.latencies)) != 6 {
			t.Errorf("%s: %d operations, %d rows: expected 6 each, and as many latencies", refused, operations, rows)
		}
		if expected := digestOfOnce(first); member.performer.digest != expected {
			t.Errorf("%s: %s, expected %s", refused, member.performer.digest, expected)
		}
		attempts := member.performer.attempts
		busy, times := attempts.busy.Load(), uint64(min(len(refused), 1))
		if busy != times || attempts.retries != times {
			t.Errorf("%s: busy %d times, %d retries, expected %d", refused, busy, attempts.retries, times)
		}
		ran := strings.Join(conn.ran, ", ")
		bound := fmt.Sprintf(w, first)
		if once := strings.Count(ran, bound); once != strings.Count(ran, "w ") || once == 0 {
			t.Errorf("%s: %s: expected `%s` in each attempt", refused, ran, bound)
		}
		if !strings.HasSuffix(ran, "x 4, close") {
			t.Errorf("%s: %s: expected what the last attempt kept", refused, ran)
		}
		inside := refused == "w" || refused == "r" || refused == "o" || refused == "COMMIT"
		if strings.Contains(ran, "ROLLBACK") != inside {
			t.Errorf("%s: %s: expected a rollback if the transaction had begun", refused, ran)
		}
		checkNames(t, refused, member)
	}
}

// digestOfOnce returns the digest of the test's answers if nothing was done twice. The objects come after the answers
// of their transaction.
func digestOfOnce(first int64) workload.Digest {
	var digest workload.Digest
	digest.Int64(first)
	digest.Word(1)
	// This is the write.
	digest.Word(1)
	for _, number := range []int64{4, 5, 6} {
		digest.Int64(number)
		digest.Word(1)
	}
	// These are the rows of the objects, and the last write.
	digest.Word(1)
	digest.Word(1)
	return digest
}

// checkNames checks the results of names after what was refused.
func checkNames(t *testing.T, refused string, member *member) {
	t.Helper()
	operations := map[string]uint64{"read": 2, "all": 1, "write": 2, "object": 1}
	rows := map[string]uint64{"read": 2, "all": 0, "write": 2, "object": 1}
	slow := map[string]string{
		"BEGIN DEFERRED": "all", "w": "all", "r": "all", "o": "all", "COMMIT": "all", "x": "write",
	}[refused]
	for _, found := range member.performer.tallies.done(true) {
		if found.Operations != operations[found.Name] || found.Rows != rows[found.Name] {
			t.Errorf("%s: %+v, expected %d operations and %d rows", refused, found, operations[found.Name],
				rows[found.Name])
		}
		if waited := found.WallNs >= uint64(refusal); waited != (found.Name == slow) {
			t.Errorf("%s: `%s` took %d ns, expected the refusal in `%s`", refused, found.Name, found.WallNs, slow)
		}
	}
}

func TestARollbackOfSQLiteItselfIsNoError(t *testing.T) {
	conn := &refusing{refusals: map[string]int{"COMMIT": 2}}
	member := persisted(t, conn, `[{"transaction": [{"write": "w"}]}]`)
	conn.isOpen = false
	if err := member.performer.rollBack(); err != nil {
		t.Error(err)
	}
	busy := member.performer.attempts.busy.Load()
	if ran := strings.Count(strings.Join(conn.ran, ", "), "ROLLBACK"); ran != 3 || busy != 2 {
		t.Errorf("%d rollbacks, %d refusals", ran, busy)
	}
}

func TestAThreadIsPatientForSomeTime(t *testing.T) {
	var attempts attempts
	if err := attempts.refuse(errLocked); err != nil || attempts.retries != 1 {
		t.Errorf("%v after %d retries", err, attempts.retries)
	}
	attempts.since = time.Now().Add(-kv.Patience - time.Second)
	err := attempts.refuse(errLocked)
	if err == nil || err.Error() != "other threads blocked a transaction for 10 s: database is locked" {
		t.Errorf("`%v`, expected how long others were in the way", err)
	}
	if attempts.busy.Load() != 2 || attempts.retries != 1 {
		t.Errorf("%d refusals, %d retries: expected 2 and 1", attempts.busy.Load(), attempts.retries)
	}
}

// Without that, the other threads would be in vain patient with a thread that is gone.
func TestAThreadThatFailsLeavesNoLock(t *testing.T) {
	var closed atomic.Int64
	of := sqlite(func(path string) (driver.Conn, error) {
		conn, err := plain(path)
		return closing{conn, &closed}, err
	})
	actors := `"verify": [], "verify_schema": [], "actors": [
		{"name": "wrong", "threads": 1, "steps": [
			{"transaction": [{"write": "UPDATE counters SET value = 2"}, {"write": "wrong"}], "begin": "immediate"}
		]},
		{"name": "right", "threads": 1, "steps": [
			{"repeat": 10, "steps": [{"write": "UPDATE counters SET value = value + 1"}]}
		]}
	]`
	begun := time.Now()
	_, err := doneWith(t, of, actors, map[string]string{"busy_timeout": "0"})
	if err == nil || !strings.Contains(err.Error(), "syntax error") || time.Since(begun) > kv.Patience {
		t.Errorf("`%v` after %v, expected what is wrong at once", err, time.Since(begun))
	}
	// The main connection and one for each thread.
	if closed.Load() != 3 {
		t.Errorf("%d connections were closed, expected 3", closed.Load())
	}
}

type closing struct {
	driver.Conn
	closed *atomic.Int64
}

func (conn closing) Close() error {
	conn.closed.Add(1)
	return conn.Conn.Close()
}

func TestATransactionMayBeginConcurrently(t *testing.T) {
	if sql, err := defaults().begin("concurrent"); sql != "BEGIN CONCURRENT" || err != nil {
		t.Errorf("`%s`, %v", sql, err)
	}
	_, err := defaults().begin("later")
	if err == nil || !strings.Contains(err.Error(), "immediate, exclusive or concurrent") {
		t.Errorf("`%v`, expected what was expected", err)
	}
}
