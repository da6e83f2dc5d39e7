package kv

import (
	"errors"
	"math"
	"sync"
	"time"

	"github.com/dbdyno/dbdyno/engines/go/harness"
	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// actorsTest is a running test of several threads.
type actorsTest struct {
	run    *harness.Run
	suite  *protocol.KvSuite
	test   *protocol.KvTest
	store  *Store
	shared Shared
	// before are the accounts before the test; nil if the actors work with none.
	before       *accounts
	acknowledged acknowledged
	members      []*member
	course       *course
	readings     latestReadings
}

// latestReadings are figures of a followed test, until they are reported.
type latestReadings struct {
	mutex sync.Mutex
	names map[string]uint64
}

func (latest *latestReadings) show(readings map[string]uint64) {
	latest.mutex.Lock()
	defer latest.mutex.Unlock()
	latest.names = readings
}

func (latest *latestReadings) take() map[string]uint64 {
	latest.mutex.Lock()
	defer latest.mutex.Unlock()
	readings := latest.names
	latest.names = nil
	return readings
}

// hasAccounts reports whether the actors' work can be checked by what accounts preserve.
func hasAccounts(test *protocol.KvTest) bool {
	for at := range test.Actors {
		if has(&test.Actors[at].KvLoad, "transfer", "audit", "hold") {
			return true
		}
	}
	return false
}

// accountsOf returns the accounts of a database, or nil if the actors of a test work with none.
func accountsOf(store *Store, database Database, test *protocol.KvTest) (*accounts, error) {
	if !hasAccounts(test) {
		return nil, nil
	}
	if store.Nothing {
		return &accounts{}, nil
	}
	session, err := database.Session(&test.SQL)
	if err != nil {
		return nil, err
	}
	var found accounts
	tally := newTally(session, accounts{}, false)
	err = tally.within(Snapshot, func() (err error) {
		found, err = tally.readAccounts()
		return err
	})
	return &found, errors.Join(err, session.Close())
}

// newActorsTest prepares the threads of a test.
func newActorsTest(suite *suiteRun, test *protocol.KvTest, shared Shared, before *accounts) *actorsTest {
	of := &actorsTest{
		run: suite.run, suite: suite.suite, test: test, store: suite.store, shared: shared, before: before,
		course: newCourse(test),
	}
	for number := range test.Actors {
		actor := &test.Actors[number]
		news := before != nil && !suite.store.Nothing && !has(&actor.KvLoad, append([]string{"hold"}, writing...)...)
		for thread := range actor.Threads {
			shown := &shown{service: workload.NewLatencies()}
			if actor.IsDue() {
				shown.response = workload.NewLatencies()
			}
			of.members = append(of.members, &member{
				of: of, actor: actor, named: newNamed(&actor.KvLoad), course: of.course, shown: shown, number: number, thread: thread,
				ordinal: len(of.members), expectsNews: news,
			})
		}
	}
	of.acknowledged = make(acknowledged, len(of.members))
	return of
}

// heads returns the descriptions of the actors before they work.
func (of *actorsTest) heads() []protocol.ActorHead {
	var heads []protocol.ActorHead
	for _, actor := range acting(of.test) {
		head := protocol.ActorHead{Name: actor.Name, Threads: actor.Threads}
		if actor.Arrival != nil {
			head.Rate = &actor.Arrival.Rate
		}
		heads = append(heads, head)
	}
	return heads
}

// recordedOperations returns the number of operations of a test, or nil if not all of them are recorded.
func recordedOperations(test *protocol.KvTest) *uint64 {
	if !isRecorded(test) {
		return nil
	}
	var sum uint64
	for _, actor := range acting(test) {
		if actor.Operations == nil {
			return nil
		}
		sum += *actor.Operations
	}
	return &sum
}

// timeMs returns the duration of the test including its warm-up, or nil if the test does not end by time.
func (of *actorsTest) timeMs() *uint64 {
	if of.test.TimeMs == nil {
		return nil
	}
	sum := *of.test.TimeMs + of.test.WarmUpMs
	return &sum
}

// perform runs the threads until the test is over.
func (of *actorsTest) perform(frame *harness.Frame) error {
	var working sync.WaitGroup
	errs := make([]error, len(of.members)+1)
	for at, member := range of.members {
		working.Go(func() { errs[at] = frame.Measured(member.work) })
	}
	if of.test.Followed {
		working.Go(func() {
			if errs[len(of.members)] = of.follow(); errs[len(of.members)] != nil {
				of.course.end()
			}
		})
	}
	of.course.conduct(workload.Now)
	working.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// follow reads figures of the database and the process, and those that the store reports itself, about once a
// second.
func (of *actorsTest) follow() error {
	session, err := of.shared.Thread(&of.test.SQL)
	if err != nil {
		return err
	}
	defer session.Close()
	teller, tells := session.(Teller)
	before, next := workload.ReadCounters(), time.Now().Add(time.Second)
	for !of.course.isOver() {
		if time.Now().Before(next) {
			time.Sleep(5 * look)
			continue
		}
		next = next.Add(time.Second)
		database, side, err := of.run.DiskBytes(of.test.Label())
		if err != nil {
			return err
		}
		readings := map[string]uint64{
			"database_bytes": database, "side_bytes": side, "rss_bytes": workload.RssBytes(),
			"written_bytes": workload.Since(workload.ReadCounters(), before)["written_bytes"],
		}
		if tells {
			// If another transaction is in the way, the store reports its figures another time.
			told, err := teller.Readings()
			if err != nil && !errors.Is(err, ErrBusy) {
				return err
			}
			for name, value := range told {
				readings[name] = value
			}
		}
		of.readings.show(readings)
	}
	return nil
}

// ofActor returns the threads of an actor.
func (of *actorsTest) ofActor(actor *protocol.KvActor) []*member {
	var members []*member
	for _, member := range of.members {
		if member.actor == actor {
			members = append(members, member)
		}
	}
	return members
}

// progress returns a function that reports the progress of the actors while they work.
func (of *actorsTest) progress() func() protocol.Progress {
	begun, total := time.Now(), recordedOperations(of.test)
	return func() protocol.Progress {
		said := protocol.Progress{
			Test: of.test.Number, Total: total, ElapsedNs: uint64(time.Since(begun)), Readings: of.readings.take(),
		}
		var statements harness.StatementTimes
		measuredNs := of.course.measuredNs(workload.Now())
		for _, actor := range acting(of.test) {
			members := of.ofActor(actor)
			told := actorProgress(actor, members, measuredNs)
			said.Operations += told.Operations
			said.Actors = append(said.Actors, told)
			for _, member := range members {
				member.named.show(&actor.KvLoad, &statements)
			}
		}
		said.Statements = statements.Most()
		if len(said.Actors) == 1 {
			said.Histogram = said.Actors[0].Histogram
		}
		return said
	}
}

func actorProgress(actor *protocol.KvActor, members []*member, measuredNs uint64) protocol.ActorProgress {
	told := protocol.ActorProgress{Name: actor.Name}
	var services, responses []*workload.Latencies
	var held uint64
	for _, member := range members {
		services = append(services, member.shown.service)
		if member.shown.response != nil {
			responses = append(responses, member.shown.response)
		}
		told.Busy += member.shown.busy.Load()
		held += member.shown.held.Load()
	}
	told.Operations, told.Histogram = workload.Fresh(services...)
	if actor.IsDue() {
		_, told.Histogram = workload.Fresh(responses...)
	}
	if actor.Arrival != nil {
		due := uint64(float64(actor.Arrival.Rate) * float64(workedNs(actor.During, measuredNs)) / 1e9)
		backlog := due - min(due, told.Operations)
		told.Backlog = &backlog
	}
	if has(&actor.KvLoad, "hold") {
		told.Held = &held
	}
	return told
}

// workedNs returns how much of the measured time an actor took part in, in ns.
func workedNs(during *protocol.During, measuredNs uint64) uint64 {
	if during == nil {
		return measuredNs
	}
	const ms = uint64(time.Millisecond)
	return min(max(measuredNs, during.FromMs*ms), during.UntilMs*ms) - during.FromMs*ms
}

// fromFirstToLast returns the time from the beginning of the first thread to the end of the last one, in ns. Threads
// with a fixed number of operations need not work at the same time.
func fromFirstToLast(members []*member) uint64 {
	first, last := int64(math.MaxInt64), int64(0)
	for _, member := range members {
		first, last = min(first, member.begunNs), max(last, member.begunNs+member.elapsedNs)
	}
	return uint64(max(last-first, 0))
}

func betweenNs(members []*member) uint64 {
	var sum uint64
	for _, member := range members {
		sum += member.betweenNs
	}
	return sum
}

func partsOf(members []*member) *workload.TimeParts {
	parts := make([]*workload.TimeParts, 0, len(members))
	for _, member := range members {
		parts = append(parts, member.parts)
	}
	return workload.SumOfParts(parts)
}

// fill fills in the results of the actors and the verification value. after are the accounts after the test.
func (of *actorsTest) fill(done *protocol.TestDone, after *accounts) error {
	var limitNs *uint64
	if of.test.TimeMs != nil {
		limit := *of.test.TimeMs * uint64(time.Millisecond)
		limitNs, done.Counters["limit_ns"] = &limit, limit
	}
	for _, actor := range acting(of.test) {
		members := of.ofActor(actor)
		told := actorDone(actor, members)
		if limitNs != nil {
			told.Counters["limit_ns"] = *limitNs
		}
		done.Operations += told.Operations
		done.Rows += told.Rows
		done.Actors = append(done.Actors, told)
		done.Statements = append(done.Statements, statements(&actor.KvLoad, members)...)
	}
	// The combined latencies of different kinds of work mean nothing.
	done.Histogram = workload.EmptyHistogram()
	if len(done.Actors) == 1 {
		done.Histogram, done.OperationsPerSample = done.Actors[0].Histogram, done.Actors[0].OperationsPerSample
	}
	var err error
	done.Verification, err = of.verification(after)
	return err
}

func actorDone(actor *protocol.KvActor, members []*member) protocol.ActorDone {
	done := protocol.ActorDone{Name: actor.Name, Threads: actor.Threads, OperationsPerSample: actor.Together(), Counters: protocol.Counters{}}
	var services, responses []*workload.Latencies
	var failures, busy, retries, backlog uint64
	operations := make([]float64, 0, len(members))
	for _, member := range members {
		services = append(services, member.shown.service)
		if member.shown.response != nil {
			responses = append(responses, member.shown.response)
		}
		done.Operations += member.operations
		done.Rows += member.rows
		failures, busy, retries = failures+member.failures, busy+member.shown.busy.Load(), retries+member.retries
		backlog += member.backlog
		operations = append(operations, float64(member.operations))
	}
	all := fromFirstToLast(members)
	done.WallNs = all - min(betweenNs(members)/uint64(len(members)), all)
	done.Histogram = workload.Histogram(services...)
	done.Counters["failures"], done.Counters["busy"], done.Counters["retries"] = failures, busy, retries
	partsOf(members).AddTo(done.Counters)
	if longest, any := workload.Longest(services...); any {
		done.Counters["longest_wait_ns"] = longest
	}
	if fairness, known := fairnessPpm(operations); known {
		done.Counters["fairness_ppm"] = fairness
	}
	if actor.IsDue() {
		response := workload.Histogram(responses...)
		done.Response, done.Counters["backlog"] = &response, backlog
	}
	return done
}

// fairnessPpm returns Jain's index of the threads' operations, in millionths: 1 if all threads did the same number,
// 1/n if one of n threads did all. It returns false for one thread, or if there were no operations.
func fairnessPpm(operations []float64) (uint64, bool) {
	var sum, squares float64
	for _, one := range operations {
		sum, squares = sum+one, squares+one*one
	}
	if len(operations) < 2 || squares == 0 {
		return 0, false
	}
	return uint64(math.Round(sum * sum / (float64(len(operations)) * squares) * 1e6)), true
}
