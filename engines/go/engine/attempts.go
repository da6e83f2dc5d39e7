package engine

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/dbdyno/dbdyno/engines/go/driver"
	"github.com/dbdyno/dbdyno/engines/go/kv"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// attempts belong to a thread of a test in which threads write. An attempt is a transaction, or an action outside of
// one. If another connection blocks it, nothing of it counts except its time, and it is done again.
type attempts struct {
	// busy is the number of blocked attempts, which progress reports read.
	busy    atomic.Uint64
	retries uint64
	// since is when the current attempt was blocked for the first time; zero means that it was not.
	since    time.Time
	rollback driver.Stmt

	// digest and rows are those of the performer before the current attempt.
	digest workload.Digest
	rows   uint64
	// changed are the places of the kept rows that the current attempt replaced. before has those rows as they were.
	changed []int
	before  [][]driver.Value
	// answers are the objects that the current attempt built, until they are checked.
	answers []collector
}

// refuse counts a blocked attempt, and lets other threads go on. It returns an error if they have blocked it for too
// long.
func (attempts *attempts) refuse(err error) error {
	attempts.busy.Add(1)
	if attempts.since.IsZero() {
		attempts.since = time.Now()
	}
	if time.Since(attempts.since) > kv.Patience {
		return fmt.Errorf("other threads blocked a transaction for %.0f s: %w", kv.Patience.Seconds(), err)
	}
	attempts.retries++
	runtime.Gosched()
	return nil
}

// open opens a connection. Setting its options may have to wait for a thread that writes.
func (attempts *attempts) open(open func() (driver.Conn, error)) (driver.Conn, error) {
	attempts.since = time.Time{}
	for {
		conn, err := open()
		if err == nil || !isBusy(err) {
			return conn, err
		}
		if err := attempts.refuse(err); err != nil {
			return nil, err
		}
	}
}

// spareRow spares a kept row that is about to be replaced. The memory of the row before it is used again.
func (attempts *attempts) spareRow(kept [][]driver.Value, place int) {
	if !slices.Contains(attempts.changed, place) {
		attempts.changed = append(attempts.changed, place)
		attempts.exchange(kept, place)
	}
}

func (attempts *attempts) exchange(kept [][]driver.Value, place int) {
	kept[place], attempts.before[place] = attempts.before[place], kept[place]
}

// beThread makes the performer do the steps of a thread with this number. persists states whether it does again what
// other threads block.
func (performer *performer) beThread(number int, persists bool) {
	performer.script.beThread(number)
	if persists {
		performer.attempts = &attempts{before: make([][]driver.Value, len(performer.kept))}
	}
}

// end returns the index after an attempt that begins at an index of a block. The block has all of it.
func (block *block) end(from int) int {
	if block.actions[from].part != beginOf {
		return from + 1
	}
	isCommit := func(action action) bool { return action.part == commitOf }
	return from + slices.IndexFunc(block.actions[from:], isCommit) + 1
}

// persist does the actions of a block, one attempt after the other.
func (performer *performer) persist(block *block) error {
	for from := 0; from < len(block.actions); {
		to := block.end(from)
		attempt := func() (bool, error) { return performer.attempt(block, from, to) }
		if err := performer.untilDone(attempt); err != nil {
			return err
		}
		isLast := to == len(block.actions) && performer.script.isOver()
		if err := performer.succeeded(isLast); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// untilDone makes attempts until one is not blocked. An attempt that fails reports whether there is something to roll
// back.
func (performer *performer) untilDone(attempt func() (isBegun bool, err error)) error {
	performer.attempts.since = time.Time{}
	for {
		performer.beginAttempt()
		isBegun, err := attempt()
		if err == nil || !isBusy(err) {
			return err
		}
		if isBegun {
			if failed := performer.rollBack(); failed != nil {
				return errors.Join(err, failed)
			}
		}
		performer.forget()
		if err := performer.attempts.refuse(err); err != nil {
			return err
		}
	}
}

// attempt does actions. Only the first one, the begin, is outside of the transaction.
func (performer *performer) attempt(block *block, from, to int) (isBegun bool, err error) {
	for at := from; at < to; at++ {
		action := &block.actions[at]
		if err := performer.act(action, block); err != nil {
			return at > from, err
		}
		if performer.tallies != nil {
			performer.tallies.took(action, performer.recorder.Split())
		}
		if action.endsOperation {
			performer.hold()
		}
	}
	return true, nil
}

// hold ends an operation of the current attempt.
func (performer *performer) hold() {
	performer.recorder.Hold()
	if objects := &performer.objects; objects.statement != nil {
		performer.attempts.answers = append(performer.attempts.answers, *objects)
		objects.letGo()
	}
}

// rollBack rolls the transaction back, unless SQLite has done that itself.
func (performer *performer) rollBack() error {
	attempts := performer.attempts
	if attempts.rollback == nil {
		attempts.rollback = performer.conn.Text("ROLLBACK")
	}
	err := exec(attempts.rollback)
	if err == nil || strings.Contains(err.Error(), "no transaction is active") {
		return nil
	}
	return fmt.Errorf("ROLLBACK: %w", err)
}

// beginAttempt notes what an attempt may have to restore.
func (performer *performer) beginAttempt() {
	attempts := performer.attempts
	attempts.digest, attempts.rows = performer.digest, performer.rows
	performer.recorder.Attempt()
	if performer.tallies != nil {
		performer.tallies.attempt()
	}
}

// forget drops what a blocked attempt did.
func (performer *performer) forget() {
	attempts := performer.attempts
	performer.digest, performer.rows = attempts.digest, attempts.rows
	for _, place := range attempts.changed {
		attempts.exchange(performer.kept, place)
	}
	attempts.changed = attempts.changed[:0]
	performer.objects.letGo()
	performer.dropAnswers()
	performer.recorder.Forget()
	if performer.tallies != nil {
		performer.tallies.forget()
	}
}

// succeeded keeps what an attempt did. The last one of a thread includes closing its connection.
func (performer *performer) succeeded(isLast bool) error {
	attempts := performer.attempts
	attempts.changed = attempts.changed[:0]
	closes := isLast && performer.closing != nil
	if closes {
		if err := performer.close(); err != nil {
			return err
		}
		performer.recorder.Prolong()
	}
	if performer.tallies != nil {
		performer.tallies.keep()
	}
	performer.recorder.Keep()
	if closes || len(attempts.answers) == 0 {
		// The last answers are checked when all threads have ended.
		return nil
	}
	var err error
	performer.standStill(func() { err = performer.finish() })
	return err
}

// finishAttempt checks the objects that the last attempt built, and releases them.
func (performer *performer) finishAttempt() error {
	var err error
	for at := range performer.attempts.answers {
		if err = performer.check(&performer.attempts.answers[at]); err != nil {
			break
		}
	}
	performer.dropAnswers()
	return err
}

// dropAnswers releases the objects of the current attempt, but not the memory of their list.
func (performer *performer) dropAnswers() {
	clear(performer.attempts.answers)
	performer.attempts.answers = performer.attempts.answers[:0]
}

// abandon closes everything after a failure, so that locks of the connection are in no other thread's way.
func (performer *performer) abandon() {
	for _, stmt := range performer.ready {
		if stmt != nil {
			_ = stmt.Close()
		}
	}
	if performer.closing != nil {
		_ = performer.closing()
	}
}
