package engine

import (
	"fmt"
	"math"
	"slices"

	"github.com/dbdyno/dbdyno/engines/go/driver"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// mostPrepared is the number of statements that a connection keeps prepared, as the caches of applications' libraries
// do.
const mostPrepared = 128

// lane is a thread that does the transactions of connections that followed one another.
type lane struct {
	*performer
	replay *replay
	number int
	member *member
	reader *laneReader

	transaction replayTransaction
	// hasEnded reports whether the transaction was done and the other lanes do not know it yet.
	hasEnded bool
	// begunNs is when the lane began, and dueNs when the transaction is due, by the clock.
	begunNs, dueNs int64

	// prepared are the statements of the connection by their numbers, and used the numbers of those that are prepared.
	prepared []driver.Stmt
	used     []int
	rollback driver.Stmt
	// most is the number of rows that the current call reads at most, and read visits them.
	most uint64
	read func(driver.Row) bool
}

// addLane adds the thread of a lane to a group. persists states whether it does again what other threads block.
func (replay *replay) addLane(run *run, group *group, persists bool) {
	latencies := workload.NewLatencies()
	recorder := workload.NewRecorderOfEach(latencies)
	performer := newPerformer(run, nil, &program{}, nil, recorder)
	performer.tallies = newTallies(replay.names())
	if persists {
		performer.attempts = &attempts{}
	}
	added := &member{performer: performer, recorder: recorder, latencies: latencies}
	if replay.speed > 0 {
		added.response = workload.NewLatencies()
	}
	lane := &lane{
		performer: performer, replay: replay, number: len(group.members), member: added,
		prepared: make([]driver.Stmt, len(replay.statements)),
	}
	lane.read = lane.take
	added.do = lane.play
	group.members = append(group.members, added)
}

// take digests a row of an answer. It returns false if no more rows are wanted.
func (lane *lane) take(row driver.Row) bool {
	if lane.answer == lane.most {
		return false
	}
	for column := range row.Columns() {
		addValue(&lane.own, driver.ValueOf(row, column))
	}
	lane.answer++
	return lane.answer < lane.most
}

// play plays the lane to its end. If it fails, the other lanes stop too.
func (lane *lane) play(open func() (driver.Conn, error)) error {
	lane.begunNs = workload.Now()
	err := lane.playAll(open)
	if err != nil {
		// The locks of the connection must be in no other thread's way.
		_ = lane.release()
		lane.abandon()
		err = lane.replay.gate.fail(err)
	}
	return err
}

func (lane *lane) playAll(open func() (driver.Conn, error)) error {
	var err error
	lane.standStill(func() {
		lane.reader, err = openLane(lane.replay.folder, lane.number, lane.replay.statements)
	})
	if err != nil {
		return err
	}
	defer lane.reader.Close()
	for {
		entry, err := lane.next()
		switch {
		case err != nil:
			return err
		case entry == endOfLane:
			return lane.leave()
		case entry == newTransaction:
			err = lane.transact()
		default:
			if err = lane.leave(); err == nil {
				err = lane.open(open)
			}
		}
		if err != nil {
			return err
		}
	}
}

// next reads the next entry, and waits until its transaction may begin. The timer stands still meanwhile.
func (lane *lane) next() (entry laneEntry, err error) {
	lane.standStill(func() {
		lane.pass()
		lane.tallies.count()
		if entry, err = lane.reader.next(&lane.transaction); err == nil && entry == newTransaction {
			err = lane.wait()
		}
	})
	return entry, err
}

// pass lets the other lanes follow a transaction that has ended.
func (lane *lane) pass() {
	if !lane.hasEnded {
		return
	}
	lane.hasEnded = false
	lane.replay.gate.pass(&lane.transaction.place)
	if lane.member.response != nil {
		lane.member.response.Record(workload.Now() - lane.dueNs)
	}
}

// wait waits until the transaction may begin: for those before it, and for the moment at which it is due.
func (lane *lane) wait() error {
	if lane.closing == nil {
		return fmt.Errorf("lane %d of the recording begins without a connection", lane.number)
	}
	if err := lane.run.checkBlobs(lane.transaction.values); err != nil {
		return err
	}
	begun := workload.Now()
	defer func() {
		idleNs := uint64(workload.Now() - begun)
		lane.member.idleNs += idleNs
		lane.recorder.Waited(idleNs)
	}()
	if err := lane.replay.gate.wait(&lane.transaction.place); err != nil || lane.replay.speed == 0 {
		return err
	}
	lane.dueNs = lane.begunNs + workload.AtSpeed(lane.transaction.place.atNs, lane.replay.speed)
	return lane.replay.gate.waitUntil(lane.dueNs)
}

// leave closes the connection with its statements, if one is open.
func (lane *lane) leave() error {
	if err := lane.release(); err != nil {
		return err
	}
	clear(lane.begins)
	lane.commit, lane.rollback = nil, nil
	if lane.attempts != nil {
		lane.attempts.rollback = nil
	}
	return lane.close()
}

// release closes all prepared statements. It returns the first error.
func (lane *lane) release() error {
	var first error
	for _, number := range lane.used {
		if err := lane.prepared[number].Close(); first == nil {
			first = err
		}
		lane.prepared[number] = nil
	}
	lane.used = lane.used[:0]
	return first
}

// transact does the transaction, which is one operation. What another thread blocks is done again.
func (lane *lane) transact() error {
	lane.hasEnded = true
	if lane.attempts == nil {
		if _, err := lane.attempt(); err != nil {
			return err
		}
		lane.recorder.Hold()
		lane.recorder.Keep()
		return nil
	}
	if err := lane.untilDone(lane.attempt); err != nil {
		return err
	}
	lane.recorder.Hold()
	return lane.succeeded(false)
}

// attempt does the calls of the transaction. If one fails, it reports whether there is something to roll back.
func (lane *lane) attempt() (isBegun bool, err error) {
	for at := range lane.transaction.calls {
		if err := lane.call(&lane.transaction.calls[at]); err != nil {
			return at > 0, err
		}
	}
	return true, nil
}

// call does a call and adds its answer to the results of its name. A failure is an answer where the recording has
// failures.
func (lane *lane) call(call *replayCall) error {
	statement := &lane.replay.statements[call.statement]
	lane.answer, lane.own = 0, 0
	err := lane.execute(statement, call)
	if err != nil {
		of := &lane.replay.spec.Statements[statement.name]
		if !of.MayFail || isBusy(err) {
			return fmt.Errorf("`%s`: %w", of.Name, err)
		}
		lane.answer, lane.own = 0, ofFailure
	}
	lane.count(lane.answer)
	lane.tallies.answered(answer{name: statement.name + 1, own: lane.own, rows: lane.answer, failure: err})
	lane.tallies.sample(statement.name+1, lane.recorder.Split())
	return nil
}

// ofFailure is the digest of a failure. No answer is likely to have it.
var ofFailure = func() (digest workload.Digest) {
	digest.Word(math.MaxUint64)
	return digest
}()

// execute does a call. It leaves the number of rows in answer, and the digest of the rows in own.
func (lane *lane) execute(statement *replayStatement, call *replayCall) error {
	switch statement.action {
	case runAction:
		return lane.conn.Batch(statement.sql)
	case beginAction:
		return lane.begin(statement.begin)
	case commitAction:
		return lane.say(&lane.commit, "COMMIT")
	case rollbackAction:
		return lane.say(&lane.rollback, "ROLLBACK")
	}
	ready, err := lane.ready(call.statement)
	if err != nil {
		return err
	}
	values := lane.transaction.values[call.from:call.to]
	if statement.action == readAction {
		lane.most = call.most
		return ready.Query(values, nil, lane.read)
	}
	changed, err := ready.Exec(values)
	lane.answer = uint64(changed)
	return err
}

// say runs a statement that is passed as text, and keeps it for the next time.
func (lane *lane) say(kept *driver.Stmt, sql string) error {
	if *kept == nil {
		*kept = lane.conn.Text(sql)
	}
	return exec(*kept)
}

// ready returns a statement, which is prepared at its first execution on the connection.
func (lane *lane) ready(number int) (driver.Stmt, error) {
	if ready := lane.prepared[number]; ready != nil {
		return ready, nil
	}
	if len(lane.used) == mostPrepared {
		if err := lane.release(); err != nil {
			return nil, err
		}
	}
	made, err := lane.run.settings.ready(lane.conn, lane.replay.statements[number].sql)
	if err != nil {
		return nil, err
	}
	lane.prepared[number], lane.used = made, append(lane.used, number)
	return made, nil
}

// checkBlobs returns an error if there are blobs among values, and the driver cannot bind them.
func (run *run) checkBlobs(values []driver.Value) error {
	if of := &run.driver; of.BlobsAsTexts && slices.ContainsFunc(values, isBlob) {
		return fmt.Errorf("engine `%s` binds blobs as texts: expected no blob among the values", of.Name)
	}
	return nil
}
