package engine

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dbdyno/dbdyno/engines/go/driver"
	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// played plays a lane on connections that open returns.
func played(t *testing.T, replay *replay, persists bool, open func() (driver.Conn, error)) (*member, error) {
	t.Helper()
	return playedBy(t, testRun(), replay, persists, open)
}

func playedBy(t *testing.T, run *run, replay *replay, persists bool, open func() (driver.Conn, error)) (*member, error) {
	t.Helper()
	replay.spec.Lanes = 1
	replay.gate = gateOf(t, replay.spec.Order, 1)
	statements, err := readStatements(replay.folder, len(replay.spec.Statements))
	if err != nil {
		t.Fatal(err)
	}
	replay.statements = statements
	var group group
	replay.addLane(run, &group, persists)
	lane := group.members[0]
	lane.recorder.Start()
	err = lane.do(open)
	lane.recorder.Finish()
	return lane, err
}

// replayOf returns a replay of a lane. All names are verified, and those that begin with an x may fail.
func replayOf(t *testing.T, names string, statements, lane []byte) *replay {
	t.Helper()
	spec := &protocol.Replay{}
	for _, name := range strings.Fields(names) {
		spec.Statements = append(spec.Statements, protocol.ReplayedStatement{
			Name: name, IsVerified: true, MayFail: strings.HasPrefix(name, "x"),
		})
	}
	return &replay{spec: spec, folder: folderOf(t, map[string][]byte{"statements": statements, "lane-0": lane})}
}

// verificationOf returns the verification value of a name with these answers.
func verificationOf(rows int, answers ...workload.Digest) string {
	var digest workload.Digest
	var sum uint64
	for _, answer := range answers {
		sum += uint64(answer)
	}
	digest.Word(sum)
	digest.Word(uint64(rows))
	return digest.String()
}

// numbers returns the digest of an answer with these rows of one number.
func numbers(rows ...int64) (digest workload.Digest) {
	for _, row := range rows {
		digest.Int64(row)
	}
	digest.Word(uint64(len(rows)))
	return digest
}

// changed returns the digest of a write of a number of rows.
func changed(rows uint64) (digest workload.Digest) {
	digest.Word(rows)
	return digest
}

// blocked are a transaction, a write and a read.
var blockedStatements, blockedLane = encoded(
	5, 0, 3, "", 1, 1, "w", 2, 0, "r", 0, 8, "", 1, 1, "x",
), encoded(
	1,
	2, 0, 0, 1, 0, 0, 4, 0, 0, 0, 1, 0, 1, 1, int64(7), 2, 0, 0, 3, 0, 0,
	2, 0, 0, 2, 1, 1, 1, 4, 0, 1, 1, int64(8),
)

func TestNothingOfABlockedTransactionCounts(t *testing.T) {
	for _, refused := range []string{"", "open", "BEGIN DEFERRED", "w", "r", "COMMIT", "x"} {
		conn := &refusing{refusals: map[string]int{refused: 1}}
		if refused == "r" || refused == "COMMIT" {
			// The read of the attempt that succeeds must return 1.
			conn.reads = -1
		}
		replay := replayOf(t, "ends write read", blockedStatements, blockedLane)
		lane, err := played(t, replay, true, func() (driver.Conn, error) { return conn, conn.run("open") })
		if err != nil {
			t.Fatalf("%s: %v", refused, err)
		}
		if operations := lane.recorder.Operations(); operations != 2 || samples(t, workload.Histogram(lane.latencies)) != 2 {
			t.Errorf("%s: %d operations, expected 2 with their latencies", refused, operations)
		}
		attempts, times := lane.performer.attempts, uint64(min(len(refused), 1))
		if busy := attempts.busy.Load(); busy != times || attempts.retries != times || lane.performer.rows != 3 {
			t.Errorf("%s: busy %d times, %d retries, %d rows", refused, busy, attempts.retries, lane.performer.rows)
		}
		ran := strings.Join(conn.ran, ", ")
		inside := refused == "w" || refused == "r" || refused == "COMMIT"
		if strings.Contains(ran, "ROLLBACK") != inside || !strings.HasSuffix(ran, "x 8, close") {
			t.Errorf("%s: %s: expected a rollback if the transaction had begun", refused, ran)
		}
		done := lane.performer.tallies.done(true)
		for at, expected := range []string{
			verificationOf(0, changed(0), changed(0)), verificationOf(2, changed(1), changed(1)), verificationOf(1, numbers(1)),
		} {
			found := done[at]
			if *found.Verification != expected || found.Operations != []uint64{2, 2, 1}[at] || found.Failures != 0 {
				t.Errorf("%s: %+v, expected %s", refused, found, expected)
			}
			slow := map[string]int{"BEGIN DEFERRED": 0, "w": 0, "r": 0, "COMMIT": 0, "x": 1}
			if place, is := slow[refused]; is && (found.WallNs >= uint64(refusal)) != (place == at) {
				t.Errorf("%s: `%s` took %d ns", refused, found.Name, found.WallNs)
			}
		}
	}
}

func TestALaneThatIsAloneIsNotPatient(t *testing.T) {
	conn := &refusing{refusals: map[string]int{"x": 1}}
	_, err := played(t, replayOf(t, "ends write read", blockedStatements, blockedLane), false, func() (driver.Conn, error) { return conn, nil })
	if err == nil || err.Error() != "`write`: database is locked" {
		t.Errorf("`%v`, expected that the write is blocked", err)
	}
	if last := conn.ran[len(conn.ran)-1]; last != "close" {
		t.Errorf("%s: expected that the connection is closed", last)
	}
}

// many is a connection that answers each read with the numbers from 1 to 9, and knows which statements are prepared.
type many struct {
	ran      *[]string
	prepared int
	most     int
}

var errNoTable = errors.New("no such table")

func (conn *many) say(text string) { *conn.ran = append(*conn.ran, text) }

func (conn *many) Batch(sql string) error {
	conn.say(sql)
	return nil
}

func (conn *many) Prepare(sql string) (driver.Stmt, error) {
	if sql == "no table" {
		return nil, errNoTable
	}
	conn.prepared++
	conn.most = max(conn.most, conn.prepared)
	return &manyStmt{conn: conn, sql: sql, prepared: true}, nil
}

func (conn *many) Text(sql string) driver.Stmt { return &manyStmt{conn: conn, sql: sql} }

func (conn *many) Close() error {
	conn.say(fmt.Sprintf("close with %d", conn.prepared))
	return nil
}

type manyStmt struct {
	conn     *many
	sql      string
	prepared bool
}

func (stmt *manyStmt) Close() error {
	if stmt.prepared {
		stmt.conn.prepared--
	}
	return nil
}

func (stmt *manyStmt) Exec([]driver.Value) (int64, error) {
	stmt.conn.say(stmt.sql)
	return 2, nil
}

func (stmt *manyStmt) Query(_ []driver.Value, _ []driver.Kind, visit func(driver.Row) bool) error {
	if stmt.sql == "no table" {
		return errNoTable
	}
	visits := 0
	for number := int64(1); number <= 9; number++ {
		if stmt.sql == "fails" && number == 3 {
			return errors.New("no more")
		}
		visits++
		if !visit(numberRow(number)) {
			break
		}
	}
	stmt.conn.say(fmt.Sprintf("%s %d", stmt.sql, visits))
	return nil
}

func TestCallsReadAsManyRowsAsTheyAreToldAndMayFail(t *testing.T) {
	statements := encoded(8,
		0, 0, "read", 1, 0, "fails", 1, 0, "no table", 2, 1, "write", 3, 2, "run", 3, 6, "", 3, 8, "", 3, 9, "",
	)
	alone := func(statement, most int) []byte { return encoded(2, 0, 0, 0, 0, 0, 1, statement, most, 0) }
	lane := slices.Concat(
		encoded(1), alone(0, 0), alone(0, 1), alone(0, 4), encoded(1), alone(0, 10), alone(1, 0), alone(1, 3), alone(2, 0),
		alone(3, 0), encoded(2, 0, 0, 0, 0, 0, 4, 5, 0, 0, 4, 0, 0, 7, 0, 0, 6, 0, 0),
	)
	replay := replayOf(t, "read xfails write others", statements, lane)
	for option, most := range map[string]int{"prepared": 3, "text": 0} {
		var ran []string
		conn := &many{ran: &ran}
		run := testRun()
		run.settings["statements"] = option
		lane, err := playedBy(t, run, replay, false, func() (driver.Conn, error) {
			ran = append(ran, "open")
			return conn, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		expected := []string{
			"open", "read 9", "read 1", "read 3", "close with 0", "open", "read 9", "fails 2", "write", "BEGIN EXCLUSIVE", "run",
			"ROLLBACK", "COMMIT", "close with 0",
		}
		if !slices.Equal(ran, expected) || conn.most != most {
			t.Errorf("%s: %q with %d statements, expected %q with %d", option, ran, conn.most, expected, most)
		}
		failure := workload.Digest(0)
		failure.Word(math.MaxUint64)
		all := numbers(1, 2, 3, 4, 5, 6, 7, 8, 9)
		done := lane.performer.tallies.done(true)
		for at, expected := range []protocol.StatementDone{
			{Operations: 4, Rows: 21, Histogram: verificationOf(21, all, numbers(), numbers(1, 2, 3), all)},
			{
				Operations: 3, Rows: 2, Failures: 2, Failure: "no more",
				Histogram: verificationOf(2, failure, numbers(1, 2), failure),
			},
			{Operations: 1, Rows: 2, Histogram: verificationOf(2, changed(2))},
			{Operations: 4, Histogram: verificationOf(0, changed(0), changed(0), changed(0), changed(0))},
		} {
			found := done[at]
			if found.Operations != expected.Operations || found.Rows != expected.Rows || found.Failures != expected.Failures ||
				found.Failure != expected.Failure || *found.Verification != expected.Histogram {
				t.Errorf("%+v, %s: expected %+v", found, *found.Verification, expected)
			}
		}
		if lane.performer.rows != 25 || lane.recorder.Operations() != 9 || lane.performer.attempts != nil {
			t.Errorf("%d rows, %d operations: expected 25 and 9", lane.performer.rows, lane.recorder.Operations())
		}
	}
}

func TestAConnectionKeepsNotMoreThanSomeStatementsPrepared(t *testing.T) {
	const count = mostPrepared + 2
	statements, lane := encoded(count), encoded(1)
	for number := range count {
		statements = append(statements, encoded(0, 1, fmt.Sprint(number))...)
		lane = append(lane, encoded(2, 0, 0, 0, 0, 0, 2, number, 0, 0, number, 0, 0)...)
	}
	var ran []string
	conn := &many{ran: &ran}
	done, err := played(t, replayOf(t, "write", statements, lane), false, func() (driver.Conn, error) { return conn, nil })
	if err != nil || done.recorder.Operations() != count || conn.most != mostPrepared || conn.prepared != 0 {
		t.Errorf("%v: at most %d statements, and %d at the end", err, conn.most, conn.prepared)
	}
	if last := ran[len(ran)-1]; last != "close with 0" {
		t.Errorf("%s: expected that statements are closed before their connection", last)
	}
}

func TestAFailureThatNobodyExpectsNamesTheStatement(t *testing.T) {
	statements := encoded(1, 0, 0, "fails")
	lane := encoded(1, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0)
	var ran []string
	conn := &many{ran: &ran}
	open := func() (driver.Conn, error) { return conn, nil }
	_, err := played(t, replayOf(t, "name", statements, lane), true, open)
	if err == nil || err.Error() != "`name`: no more" || ran[len(ran)-1] != "close with 0" {
		t.Errorf("`%v`, %v: expected the name of the statement, and that the connection is closed", err, ran)
	}
	_, err = played(t, replayOf(t, "name", statements, lane[1:]), true, open)
	if err == nil || !strings.Contains(err.Error(), "lane 0 of the recording begins without a connection") {
		t.Errorf("`%v`: expected a connection before the transaction", err)
	}
}

func TestTransactionsAreDueAtTheirTimes(t *testing.T) {
	const due = 100 * time.Millisecond
	statements := encoded(1, 0, 0, "read")
	at := func(ns time.Duration) []byte { return encoded(2, int(ns), 0, 0, 0, 0, 1, 0, 0, 0) }
	replay := replayOf(t, "read", statements, slices.Concat(encoded(1), at(0), at(2*due)))
	replay.speed = 200
	lane, err := played(t, replay, false, func() (driver.Conn, error) { return nothing{}, nil })
	if err != nil {
		t.Fatal(err)
	}
	if idle := time.Duration(lane.idleNs); idle < due/2 || idle > lane.recorderBetween() {
		t.Errorf("idle for %v of %v, expected about %v", idle, lane.recorderBetween(), due)
	}
	if responses := samples(t, workload.Histogram(lane.response)); responses != 2 {
		t.Errorf("%d response times, expected 2", responses)
	}
	if longest, _ := workload.Longest(lane.response); time.Duration(longest) >= due {
		t.Errorf("a response took %d ns: expected the time since the transaction was due", longest)
	}
	if wall := time.Duration(lane.recorder.WallNs()); wall >= due {
		t.Errorf("%v of work, expected that waiting does not count", wall)
	}
}

func (member *member) recorderBetween() time.Duration {
	return time.Duration(member.recorder.BetweenNs())
}

func TestADriverThatBindsBlobsAsTextsRefusesThem(t *testing.T) {
	run := testRun()
	run.driver = Driver{Name: "go-test", BlobsAsTexts: true}
	if err := run.checkBlobs([]driver.Value{{}, driver.TextValue("")}); err != nil {
		t.Error(err)
	}
	if err := run.checkBlobs([]driver.Value{driver.BlobValue(nil)}); err == nil {
		t.Error("a blob was taken")
	}
}
