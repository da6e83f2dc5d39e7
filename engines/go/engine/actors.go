package engine

import (
	"sync"
	"time"

	"github.com/dbdyno/dbdyno/engines/go/driver"
	"github.com/dbdyno/dbdyno/engines/go/harness"
	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// member is one thread of an actor.
type member struct {
	performer *performer
	recorder  *workload.Recorder
	latencies *workload.Latencies
	// response are the times from the moments at which operations were due; nil if they have no such moments.
	response *workload.Latencies
	// do does the work of the thread, with handles that open returns.
	do func(open func() (driver.Conn, error)) error
	// wallNs is the time from the common start to the end of the last operation, without the time in which the timer
	// was stopped.
	wallNs uint64
	// idleNs is the part of the time in which the timer was stopped that was only waiting.
	idleNs uint64
	err    error
}

// group is an actor with its threads.
type group struct {
	actor   *protocol.SQLActor
	program *program
	members []*member
}

// latencies returns the latencies of the threads.
func (group *group) latencies() []*workload.Latencies {
	list := make([]*workload.Latencies, 0, len(group.members))
	for _, member := range group.members {
		list = append(list, member.latencies)
	}
	return list
}

// responses returns the response times of the threads, or none if operations have no due times.
func (group *group) responses() []*workload.Latencies {
	var list []*workload.Latencies
	for _, member := range group.members {
		if member.response != nil {
			list = append(list, member.response)
		}
	}
	return list
}

// busy returns how often other threads blocked the threads.
func (group *group) busy() uint64 {
	var sum uint64
	for _, member := range group.members {
		if attempts := member.performer.attempts; attempts != nil {
			sum += attempts.busy.Load()
		}
	}
	return sum
}

// counters returns what the time of the threads went to and, if any thread of the test writes, what other threads cost
// them.
func (group *group) counters() protocol.Counters {
	counters := protocol.Counters{}
	partsOf(group).AddTo(counters)
	if group.members[0].performer.attempts == nil {
		return counters
	}
	counters["busy"], counters["retries"] = group.busy(), 0
	for _, member := range group.members {
		counters["retries"] += member.performer.attempts.retries
	}
	return counters
}

// measureActors measures a test of several threads.
func (test *sqlTest) measureActors(prepare []protocol.Step) (*protocol.TestDone, error) {
	groups, err := test.groups()
	if err != nil {
		return nil, err
	}
	done, err := test.measureGroups(prepare, groups, operationsOfAll(groups), test.addMembers)
	if err != nil {
		return nil, err
	}
	if err := test.fill(done, groups); err != nil {
		return nil, err
	}
	programs := make([]*program, 0, len(groups))
	for _, group := range groups {
		programs = append(programs, group.program)
	}
	test.addPlans(done, programs...)
	return done, nil
}

// measureGroups measures the threads of groups, each with a handle of its own. The main handle is closed meanwhile, so
// that it cannot get in their way. operations is nil if the number is not known in advance. addMembers adds the threads
// after the preparation.
func (test *sqlTest) measureGroups(prepare []protocol.Step, groups []*group, operations *uint64, addMembers func([]*group)) (*protocol.TestDone, error) {
	test.run.AnnounceActors(&test.test.TestHead, operations, nil, heads(groups))
	if err := test.prepare(prepare); err != nil {
		return nil, err
	}
	addMembers(groups)
	if err := test.conn.Close(); err != nil {
		return nil, err
	}
	frame := test.run.Begin(&test.test.TestHead, actorsProgress(test.test.Number, operations, groups))
	wallNs, err := test.together(frame, groups)
	if err != nil {
		return nil, err
	}
	done, err := frame.End(workload.Spent{WallNs: wallNs, BetweenNs: betweenNs(groups), Parts: partsOf(groups...)})
	if err != nil {
		return nil, err
	}
	test.conn, err = test.run.open(test.test.Label())
	return done, err
}

// groups returns the actors that have threads, without their threads.
func (test *sqlTest) groups() ([]*group, error) {
	var groups []*group
	for at := range test.test.Actors {
		actor := &test.test.Actors[at]
		if actor.Threads == 0 {
			continue
		}
		program, err := compile(test.suite, actor.Steps)
		if err != nil {
			return nil, err
		}
		groups = append(groups, &group{actor: actor, program: program})
	}
	return groups, nil
}

func heads(groups []*group) []protocol.ActorHead {
	var heads []protocol.ActorHead
	for _, group := range groups {
		heads = append(heads, protocol.ActorHead{Name: group.actor.Name, Threads: group.actor.Threads})
	}
	return heads
}

// operationsOfAll returns the number of operations of all threads; nil means that it is not known in advance.
func operationsOfAll(groups []*group) *uint64 {
	var sum uint64
	for _, group := range groups {
		operations, known := group.program.operations()
		if !known {
			return nil
		}
		sum += operations * uint64(group.actor.Threads)
	}
	return &sum
}

// addMembers adds the threads of the groups. Each draws from a stream of its own. The seed of these streams is the
// number that the test's stream has after those of the preparation.
func (test *sqlTest) addMembers(groups []*group) {
	seed, ordinal := test.random.Next(), uint64(0)
	for _, group := range groups {
		for thread := range group.actor.Threads {
			group.members = append(group.members, test.member(group, thread, workload.Stream(seed, ordinal)))
			ordinal++
		}
	}
}

// member returns the thread of a group with this number.
func (test *sqlTest) member(group *group, thread int, random *workload.SplitMix64) *member {
	writes, latencies := test.test.HasWritingThreads(), workload.NewLatencies()
	recorder := workload.NewRecorder(1, latencies)
	if writes {
		recorder = workload.NewRecorderOfEach(latencies)
	}
	performer := newPerformer(test.run, nil, group.program, random, recorder)
	performer.beThread(thread, writes)
	made := &member{performer: performer, recorder: recorder, latencies: latencies}
	made.do = made.work
	return made
}

// together starts all threads at the same time. It checks their last answers after all threads have ended, so that
// the check takes no time from another thread.
func (test *sqlTest) together(frame *harness.Frame, groups []*group) (wallNs uint64, err error) {
	var ready, ended sync.WaitGroup
	start := make(chan struct{})
	var begun time.Time
	for _, group := range groups {
		for _, member := range group.members {
			ready.Add(1)
			ended.Go(func() {
				member.err = frame.Measured(func(thread *workload.Thread) error {
					member.recorder.On(thread)
					ready.Done()
					readyNs := workload.Now()
					<-start
					thread.Waited(uint64(workload.Now() - readyNs))
					member.recorder.Start()
					err := member.do(func() (driver.Conn, error) { return test.run.open(test.test.Label()) })
					elapsed := uint64(time.Since(begun))
					member.recorder.Finish()
					member.wallNs = elapsed - min(member.recorder.BetweenNs(), elapsed)
					return err
				})
			})
		}
	}
	ready.Wait()
	begun = time.Now()
	close(start)
	ended.Wait()
	for _, group := range groups {
		for _, member := range group.members {
			wallNs = max(wallNs, member.wallNs)
			if member.err == nil {
				member.err = member.performer.finish()
			}
			if member.err != nil && err == nil {
				err = member.err
			}
		}
	}
	return wallNs, err
}

// work opens a handle, does the steps and closes the handle. The first operation includes opening, the last one
// includes closing.
func (member *member) work(open func() (driver.Conn, error)) error {
	performer := member.performer
	if err := performer.open(open); err != nil {
		return err
	}
	err := performer.perform()
	if err != nil {
		performer.abandon()
	}
	return err
}

// open opens a handle of the performer's own.
func (performer *performer) open(open func() (driver.Conn, error)) error {
	if attempts, once := performer.attempts, open; attempts != nil {
		open = func() (driver.Conn, error) { return attempts.open(once) }
	}
	conn, err := open()
	if err != nil {
		return err
	}
	performer.conn, performer.closing = conn, conn.Close
	return nil
}

// betweenNs returns the time that the threads took for their inputs and answers.
func betweenNs(groups []*group) uint64 {
	var sum uint64
	for _, group := range groups {
		for _, member := range group.members {
			between := member.recorder.BetweenNs()
			sum += between - min(member.idleNs, between)
		}
	}
	return sum
}

// partsOf returns what the time of the threads of groups went to.
func partsOf(groups ...*group) *workload.TimeParts {
	var parts []*workload.TimeParts
	for _, group := range groups {
		for _, member := range group.members {
			parts = append(parts, member.recorder.Spent().Parts)
		}
	}
	return workload.SumOfParts(parts)
}

// actorsProgress returns a function that reports the progress of the actors while they work. total is nil if the
// number of operations is not known in advance.
func actorsProgress(test uint64, total *uint64, groups []*group) func() protocol.Progress {
	begun := time.Now()
	return func() protocol.Progress {
		said := protocol.Progress{Test: test, Total: total, ElapsedNs: uint64(time.Since(begun))}
		var statements harness.StatementTimes
		for _, group := range groups {
			operations, histogram := workload.Fresh(group.latencies()...)
			if responses := group.responses(); len(responses) > 0 {
				_, histogram = workload.Fresh(responses...)
			}
			said.Operations += operations
			said.Actors = append(said.Actors, protocol.ActorProgress{
				Name: group.actor.Name, Operations: operations, Busy: group.busy(), Histogram: histogram,
			})
			for _, tallies := range group.tallies() {
				for at := range tallies.names {
					statements.Add(tallies.names[at].text, &tallies.each[at].times)
				}
			}
		}
		if len(said.Actors) == 1 {
			said.Histogram = said.Actors[0].Histogram
		}
		said.Statements = statements.Most()
		return said
	}
}

// fill fills in the results of the threads and the verification value. The value has the digest of each thread, in the
// order of the actors and of their threads. The digest of a thread ends with its number of rows. If threads write,
// their answers depend on their order, and the value has only the tables that the test verifies.
func (test *sqlTest) fill(done *protocol.TestDone, groups []*group) error {
	var digest workload.Digest
	var named []*tallies
	for _, group := range groups {
		for _, member := range group.members {
			own := member.performer.digest
			own.Word(member.performer.rows)
			digest.Word(uint64(own))
		}
		named = append(named, group.tallies()...)
	}
	fillActors(done, groups)
	writes := test.test.HasWritingThreads()
	done.Statements = merged(named).done(test.run.answers() && !writes)
	rows := done.Rows
	if writes {
		if !test.test.VerifiesContent() {
			return nil
		}
		digest, rows = workload.Digest(0), 0
	}
	if err := test.contents(&digest); err != nil {
		return err
	}
	digest.Word(rows)
	verification := digest.String()
	done.Verification = &verification
	return nil
}

// tallies returns the results of names of the threads that have any.
func (group *group) tallies() []*tallies {
	var list []*tallies
	for _, member := range group.members {
		if member.performer.tallies != nil {
			list = append(list, member.performer.tallies)
		}
	}
	return list
}

// fillActors fills in the results of the threads, and their sums.
func fillActors(done *protocol.TestDone, groups []*group) {
	for _, group := range groups {
		of := group.done()
		done.Operations += of.Operations
		done.Rows += of.Rows
		done.Actors = append(done.Actors, of)
	}
	// The combined latencies of different kinds of work mean nothing.
	done.Histogram = workload.EmptyHistogram()
	if len(done.Actors) == 1 {
		done.Histogram = done.Actors[0].Histogram
	}
}

// done returns the results of the threads together.
func (group *group) done() protocol.ActorDone {
	of := protocol.ActorDone{
		Name: group.actor.Name, Threads: group.actor.Threads, OperationsPerSample: 1,
		Histogram: workload.Histogram(group.latencies()...), Counters: group.counters(),
	}
	if responses := group.responses(); len(responses) > 0 {
		response := workload.Histogram(responses...)
		of.Response = &response
	}
	for _, member := range group.members {
		of.WallNs = max(of.WallNs, member.wallNs)
		of.Operations += member.recorder.Operations()
		of.Rows += member.performer.rows
	}
	return of
}
