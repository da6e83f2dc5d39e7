package kv

import (
	"errors"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// Patience is the time after which an operation is abandoned if others keep getting in its way.
const Patience = 10 * time.Second

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
	// named are the results of each kind of work.
	named  *named
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
	// times divides the time of the thread into parts.
	times *workload.Thread
	parts *workload.TimeParts
}

// work works until the test is over.
func (member *member) work(thread *workload.Thread) error {
	member.times = thread
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
			defer member.inputs.source.Close()
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
	case member.actor.IsDue():
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
	test, load := member.of.test, &member.actor.KvLoad
	if load.Keys.Order == protocol.Recorded {
		recorded, err := openRecordedInputs(member.of.suite.Recording, test.Number, member.thread, load)
		return &inputs{source: recorded}, err
	}
	drawn, err := newDrawnInputs(test, load, member.stream(0), uint64(member.thread), uint64(member.actor.Threads))
	if err != nil {
		return nil, err
	}
	drawn.together = load.Together()
	return &inputs{source: drawn}, nil
}

// quota returns the number of operations of this thread. Recorded ones end with their file.
func (member *member) quota() uint64 {
	if member.actor.Operations == nil || member.actor.Keys.Order == protocol.Recorded {
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
	quota, together := member.quota(), member.actor.Together()
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
		var err error
		if member.inputs.isUsedUp() {
			recorder.StandStill(func() { err = member.prepare() })
			if err != nil {
				return err
			}
			if member.inputs.isUsedUp() {
				break
			}
		}
		if together == 1 {
			err = member.doOne(recorder)
		} else {
			err = member.doBatch(min(together, quota-member.operations), recorder)
		}
		if err != nil {
			return err
		}
	}
	recorder.Finish()
	member.named.count()
	spent := recorder.Spent()
	member.wallNs, member.betweenNs, member.parts = spent.WallNs, spent.BetweenNs, spent.Parts
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

// prepare fills the block of inputs, and does what else is part of no operation.
func (member *member) prepare() error {
	member.named.count()
	if err := member.inputs.fill(); err != nil {
		return err
	}
	return member.lookForNews(1)
}

// doOne does the next operation in a transaction of its own.
func (member *member) doOne(recorder *workload.Recorder) error {
	input, before := member.inputs.take(), member.rows
	done, err := member.persist(input)
	switch {
	case !done:
	case member.named == nil:
		recorder.Lap()
	default:
		member.named.add(input.work, recorder.LapOfEach(), member.rows-before)
	}
	return err
}

// doBatch does the next operations, at most this many, in one transaction.
func (member *member) doBatch(most uint64, recorder *workload.Recorder) error {
	batch := member.inputs.takeBatch(most)
	done, err := member.persistently(func() error { return member.together(batch) })
	if done {
		for range batch {
			recorder.Lap()
		}
	}
	return err
}

func (member *member) recorder() *workload.Recorder {
	var recorder *workload.Recorder
	if member.named == nil {
		recorder = workload.NewRecorder(member.actor.Together(), member.shown.service)
	} else {
		recorder = workload.NewRecorderOfEach(member.shown.service)
	}
	recorder.On(member.times)
	recorder.Start()
	return recorder
}

// hold holds a snapshot while the thread takes part.
func (member *member) hold() error {
	member.waitForTurn()
	for member.phase() == warmUp {
		time.Sleep(look)
	}
	member.times.Begin()
	member.begunNs = workload.Now()
	member.times.Restart()
	member.expectVersions()
	var first, last accounts
	err := member.within(Snapshot, func() (err error) {
		if first, err = member.readAccounts(); err != nil {
			return err
		}
		member.shown.held.Store(1)
		for member.phase() == measured {
			member.times.Sleep(look)
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
	member.times.Leave()
	member.parts = member.times.End(member.wallNs)
	member.shown.service.Record(member.elapsedNs)
	return nil
}

// beginMeasuring clears the counts of the warm-up. What was committed in the warm-up, or found wrong, stays.
func (member *member) beginMeasuring() {
	member.times.Begin()
	member.counts = counts{transfers: member.transfers, missed: member.missed, unexpected: member.unexpected}
	member.failures, member.retries, member.betweenNs = 0, 0, 0
	member.named.clear()
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
	key, err := workload.NewTemplate(member.of.test.Key)
	if err != nil {
		return err
	}
	stamps := member.of.acknowledged.stamps()
	for range min(most, len(stamps)) {
		stale, err := stamps[member.looks%len(stamps)].look(member.tally, &key)
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
