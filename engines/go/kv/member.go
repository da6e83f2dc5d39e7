package kv

import (
	"errors"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

const (
	// Patience is the time after which an operation is abandoned if others keep getting in its way.
	Patience = 10 * time.Second
	// longestWait is the longest uninterrupted wait for an operation to be due.
	longestWait = 50 * time.Millisecond
	// sleepSlack is the overrun that a sleep seldom exceeds. The thread waits awake for the last part of this
	// length.
	sleepSlack = 200 * time.Microsecond
)

// shown is what a thread publishes while it works.
type shown struct {
	service *workload.Latencies
	// response is nil if operations have no due times.
	response   *workload.Latencies
	busy, held atomic.Uint64
}

// member is one thread of an actor, with what it did while it was measured.
type member struct {
	*tally
	of     *actorsTest
	actor  *protocol.KvActor
	inputs *inputs
	course *course
	shown  *shown
	// number is the number of the actor, thread the number of the thread in the actor, and ordinal its number in the
	// test, all from 0.
	number, thread, ordinal int
	// expectsNews reports whether the thread reads accounts that others write, and so must see what they committed.
	expectsNews bool
	looks       int
	// until is when the thread stops taking part; 0 means when the test is over.
	until int64

	failures, retries uint64
	// wallNs is the time of the operations, and betweenNs is the time in which inputs were prepared.
	wallNs, betweenNs uint64
	// begunNs is when measuring began, by the clock. elapsedNs is the time from then to the end.
	begunNs, elapsedNs int64
	// backlog is the number of operations that were due but not begun.
	backlog uint64
}

// work works until the test is over.
func (member *member) work() error {
	started := false
	err := func() error {
		session, err := member.of.shared.Thread(&member.of.test.SQL)
		if err != nil {
			return err
		}
		before := accounts{}
		if member.of.before != nil {
			before = *member.of.before
		}
		member.tally = newTally(session, before, member.of.store.Nothing)
		if member.inputs, err = member.newInputs(); err == nil {
			started = true
			member.course.begin()
			err = member.perform()
		}
		return errors.Join(err, session.Close())
	}()
	if !started {
		// A thread that is not ready starts too, because the others wait for it.
		member.course.begin()
	}
	if err != nil {
		member.course.end()
	}
	if member.actor.Operations != nil {
		member.course.awaited.Add(-1)
	}
	return err
}

func (member *member) perform() error {
	switch {
	case has(&member.actor.KvLoad, "hold"):
		return member.hold()
	case member.actor.Arrival != nil:
		return member.whenDue()
	}
	return member.oneAfterTheOther()
}

// stream returns a stream of random numbers of this thread's own.
func (member *member) stream(purpose uint64) *workload.SplitMix64 {
	ofTest := workload.Stream(member.of.run.Job.Seed, member.of.test.Number).Next()
	return workload.Stream(ofTest, purpose<<48|uint64(member.number)<<32|uint64(member.thread))
}

func (member *member) newInputs() (*inputs, error) {
	inputs, err := newInputs(member.of.test, &member.actor.KvLoad, member.stream(0), uint64(member.thread), uint64(member.actor.Threads))
	if err == nil {
		inputs.together = member.actor.Together()
	}
	return inputs, err
}

// quota returns the number of operations of this thread.
func (member *member) quota() uint64 {
	if member.actor.Operations == nil {
		return ^uint64(0)
	}
	threads, thread := uint64(member.actor.Threads), uint64(member.thread)
	share := *member.actor.Operations / threads
	if thread < *member.actor.Operations%threads {
		share++
	}
	return share
}

// phase returns the phase of the test as far as the thread takes part in it.
func (member *member) phase() phase {
	if member.until > 0 && workload.Now() >= member.until {
		return over
	}
	return member.course.now()
}

// waitForTurn waits until it is this thread's turn to take part.
func (member *member) waitForTurn() {
	during := member.actor.During
	if during == nil {
		return
	}
	for member.phase() == warmUp {
		time.Sleep(look)
	}
	begun := workload.Now()
	from := begun + int64(during.FromMs)*int64(time.Millisecond)
	for member.phase() == measured && workload.Now() < from {
		time.Sleep(look)
	}
	member.until = begun + int64(during.UntilMs)*int64(time.Millisecond)
}

// oneAfterTheOther begins each operation when the previous one has ended.
func (member *member) oneAfterTheOther() error {
	member.waitForTurn()
	quota := member.quota()
	isMeasured, blockedNs := false, int64(0)
	member.begunNs = workload.Now()
	recorder := member.recorder()
	for member.operations < quota {
		phase := member.phase()
		if phase == over {
			break
		}
		if phase == measured && !isMeasured {
			isMeasured = true
			member.beginMeasuring()
			now := workload.Now()
			member.begunNs = member.measuredFrom(now)
			blockedNs = now - member.begunNs
			recorder = member.recorder()
		}
		if member.inputs.isDrawnOut() {
			var err error
			recorder.StandStill(func() {
				member.inputs.drawBlock()
				err = member.lookForNews(1)
			})
			if err != nil {
				return err
			}
		}
		done, err := member.next(quota)
		if err != nil {
			return err
		}
		for range done {
			recorder.Lap()
		}
	}
	recorder.Finish()
	member.wallNs, member.betweenNs = recorder.WallNs(), recorder.BetweenNs()
	member.elapsedNs = blockedNs + int64(member.wallNs+member.betweenNs)
	return member.lookForNews(len(member.of.acknowledged))
}

// measuredFrom returns when measuring began for this thread, which notices it now.
func (member *member) measuredFrom(now int64) int64 {
	if member.actor.During != nil {
		// It was not blocked, but waited for its turn.
		return now
	}
	return member.course.begunNs(now)
}

// next does the next transaction, and returns the number of its operations, 0 if it was abandoned.
func (member *member) next(quota uint64) (uint64, error) {
	if member.inputs.together == 1 {
		done, err := member.persist(member.inputs.take())
		if done {
			return 1, err
		}
		return 0, err
	}
	batch := member.inputs.takeBatch(min(member.inputs.together, quota-member.operations))
	done, err := member.persistently(func() error { return member.together(batch) })
	if done {
		return uint64(len(batch)), err
	}
	return 0, err
}

func (member *member) recorder() *workload.Recorder {
	recorder := workload.NewRecorder(member.inputs.together, member.shown.service)
	recorder.Start()
	return recorder
}

// whenDue begins operations when they are due, or as soon as there is time for those that are late.
func (member *member) whenDue() error {
	member.waitForTurn()
	quota := member.quota()
	arrive := func() *arrivals {
		return newArrivals(member.actor.Arrival, member.thread, member.actor.Threads, member.stream(1))
	}
	arrivals, isMeasured := arrive(), false
	member.begunNs = workload.Now()
	for member.operations < quota {
		phase, now := member.phase(), workload.Now()
		due := member.begunNs + arrivals.nextNs()
		if phase == over {
			break
		}
		if phase == measured && !isMeasured {
			isMeasured, member.begunNs, arrivals = true, member.measuredFrom(now), arrive()
			member.beginMeasuring()
			continue
		}
		if member.inputs.isDrawnOut() {
			member.inputs.drawBlock()
			if err := member.lookForNews(1); err != nil {
				return err
			}
			member.betweenNs += uint64(workload.Now() - now)
			continue
		}
		if due > now {
			WaitUntil(min(due, now+int64(longestWait)))
			continue
		}
		arrivals.advance()
		done, err := member.persist(member.inputs.take())
		if err != nil {
			return err
		}
		if done {
			ended := workload.Now()
			member.shown.service.Record(ended - now)
			member.shown.response.Record(ended - due)
		}
	}
	member.elapsedNs = workload.Now() - member.begunNs
	member.wallNs = uint64(member.elapsedNs)
	if member.operations < quota {
		member.backlog = arrivals.dueBefore(member.elapsedNs)
	}
	return member.lookForNews(len(member.of.acknowledged))
}

// WaitUntil waits for a moment of the clock: asleep for most of the time, and awake for the rest.
func WaitUntil(moment int64) {
	if wait := time.Duration(moment-workload.Now()) - sleepSlack; wait > 0 {
		time.Sleep(wait)
	}
	for workload.Now() < moment {
		runtime.Gosched()
	}
}

// hold holds a snapshot while the thread takes part.
func (member *member) hold() error {
	member.waitForTurn()
	for member.phase() == warmUp {
		time.Sleep(look)
	}
	member.begunNs = workload.Now()
	member.expectVersions()
	var first, last accounts
	err := member.within(Snapshot, func() (err error) {
		if first, err = member.readAccounts(); err != nil {
			return err
		}
		member.shown.held.Store(1)
		for member.phase() == measured {
			time.Sleep(look)
		}
		last, err = member.readAccounts()
		return err
	})
	member.shown.held.Store(0)
	if err != nil {
		return err
	}
	member.audited(first)
	if last != first {
		member.moved = &[2]accounts{first, last}
	}
	member.operations = 1
	member.elapsedNs = workload.Now() - member.begunNs
	member.wallNs = uint64(member.elapsedNs)
	member.shown.service.Record(member.elapsedNs)
	return nil
}

// beginMeasuring clears the counts of the warm-up. What was committed in the warm-up, or found wrong, stays.
func (member *member) beginMeasuring() {
	member.counts = counts{transfers: member.transfers, missed: member.missed, unexpected: member.unexpected}
	member.failures, member.retries, member.betweenNs = 0, 0, 0
	member.shown.service.Clear()
	if member.shown.response != nil {
		member.shown.response.Clear()
	}
	member.shown.busy.Store(0)
}

// persist does an operation, and repeats it while others are in its way. It returns false if the operation was
// abandoned.
func (member *member) persist(input *input) (bool, error) {
	if input.all {
		member.expectVersions()
	}
	return member.persistently(func() error { return member.apply(input) })
}

// persistently does a transaction, and repeats it while others are in its way. It returns false if it was abandoned.
func (member *member) persistently(transaction func() error) (bool, error) {
	err := transaction()
	if err == nil || !errors.Is(err, ErrBusy) {
		return err == nil, err
	}
	for since := time.Now(); ; {
		member.shown.busy.Add(1)
		if member.phase() == over {
			return false, nil
		}
		if time.Since(since) > Patience {
			member.failures++
			return false, nil
		}
		runtime.Gosched()
		member.retries++
		if err := transaction(); err == nil || !errors.Is(err, ErrBusy) {
			return err == nil, err
		}
	}
}

func (member *member) apply(input *input) error {
	err := member.alone(input)
	if err == nil && input.op == opTransfer {
		member.of.acknowledged.commit(member.ordinal, &member.counts)
	}
	return err
}

// expectVersions records what a read of all accounts that begins now must see: everything that was committed.
func (member *member) expectVersions() {
	member.least = member.before.versions + 2*member.of.acknowledged.transfers()
}

// lookForNews reads at most this many of the accounts that others wrote last, one after the other. No operation's
// time includes these reads.
func (member *member) lookForNews(most int) error {
	if !member.expectsNews {
		return nil
	}
	stamps := member.of.acknowledged.stamps()
	for range min(most, len(stamps)) {
		stale, err := stamps[member.looks%len(stamps)].look(member.tally, &member.inputs.key)
		if err != nil {
			return err
		}
		if member.findings.read == "" {
			member.findings.read = stale
		}
		member.looks++
	}
	return nil
}
