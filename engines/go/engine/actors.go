package engine

import (
	"sync"
	"time"

	"github.com/dbdyno/dbdyno/engines/go/driver"
	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// member is one thread of an actor.
type member struct {
	performer *performer
	recorder  *workload.Recorder
	latencies *workload.Latencies
	// wallNs is the time from the common start to the end of the last operation, without the time in which the timer
	// was stopped.
	wallNs uint64
	err    error
}

// group is an actor with its threads.
type group struct {
	actor      *protocol.SQLActor
	members    []*member
	operations uint64
}

// latencies returns the latencies of the threads.
func (group *group) latencies() []*workload.Latencies {
	list := make([]*workload.Latencies, 0, len(group.members))
	for _, member := range group.members {
		list = append(list, member.latencies)
	}
	return list
}

// measureActors measures a test of several threads, each with a handle of its own. The main handle is closed
// meanwhile, so that it cannot get in their way.
func (test *sqlTest) measureActors(prepare []protocol.Step) (*protocol.TestDone, error) {
	groups, heads, err := test.groups()
	if err != nil {
		return nil, err
	}
	var operations uint64
	for _, group := range groups {
		operations += group.operations * uint64(len(group.members))
	}
	test.run.AnnounceActors(&test.test.TestHead, &operations, nil, heads)
	if err := test.prepare(prepare); err != nil {
		return nil, err
	}
	if err := test.conn.Close(); err != nil {
		return nil, err
	}
	frame := test.run.Begin(&test.test.TestHead, actorsProgress(test.test.Number, operations, groups))
	wallNs, err := test.together(groups)
	if err != nil {
		return nil, err
	}
	done, err := frame.End(wallNs, betweenNs(groups))
	if err != nil {
		return nil, err
	}
	if test.conn, err = test.run.open(test.test.Label()); err != nil {
		return nil, err
	}
	return done, test.answers(done, groups)
}

// groups prepares the threads of the actors.
func (test *sqlTest) groups() ([]*group, []protocol.ActorHead, error) {
	var groups []*group
	var heads []protocol.ActorHead
	for at := range test.test.Actors {
		actor := &test.test.Actors[at]
		if actor.Threads == 0 {
			continue
		}
		program, err := compile(test.suite, actor.Steps)
		if err != nil {
			return nil, nil, err
		}
		group := &group{actor: actor, operations: program.operations()}
		for range actor.Threads {
			latencies := workload.NewLatencies()
			recorder := workload.NewRecorder(1, latencies)
			// The steps of actors draw no random numbers.
			performer := newPerformer(test.run, nil, program, workload.NewSplitMix64(0), recorder)
			performer.last = group.operations
			group.members = append(group.members, &member{performer: performer, recorder: recorder, latencies: latencies})
		}
		groups = append(groups, group)
		heads = append(heads, protocol.ActorHead{Name: actor.Name, Threads: actor.Threads})
	}
	return groups, heads, nil
}

// together starts all threads at the same time. It checks their last answers after all threads have ended, so that
// the check takes no time from another thread.
func (test *sqlTest) together(groups []*group) (wallNs uint64, err error) {
	var ready, ended sync.WaitGroup
	start := make(chan struct{})
	var begun time.Time
	for _, group := range groups {
		for _, member := range group.members {
			ready.Add(1)
			ended.Go(func() {
				ready.Done()
				<-start
				member.recorder.Start()
				member.err = member.work(func() (driver.Conn, error) { return test.run.open(test.test.Label()) })
				member.recorder.Finish()
				elapsed := uint64(time.Since(begun))
				member.wallNs = elapsed - min(member.recorder.BetweenNs(), elapsed)
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
	conn, err := open()
	if err != nil {
		return err
	}
	member.performer.conn = conn
	member.performer.closing = func() error {
		if err := member.performer.close(); err != nil {
			return err
		}
		return conn.Close()
	}
	if member.performer.last == 0 {
		return conn.Close()
	}
	return member.performer.perform()
}

func betweenNs(groups []*group) uint64 {
	var sum uint64
	for _, group := range groups {
		for _, member := range group.members {
			sum += member.recorder.BetweenNs()
		}
	}
	return sum
}

// actorsProgress returns a function that reports the progress of the actors while they work.
func actorsProgress(test, total uint64, groups []*group) func() protocol.Progress {
	begun := time.Now()
	return func() protocol.Progress {
		said := protocol.Progress{Test: test, Total: &total, ElapsedNs: uint64(time.Since(begun))}
		for _, group := range groups {
			operations, histogram := workload.Fresh(group.latencies()...)
			said.Operations += operations
			said.Actors = append(said.Actors, protocol.ActorProgress{Name: group.actor.Name, Operations: operations, Histogram: histogram})
		}
		if len(said.Actors) == 1 {
			said.Histogram = said.Actors[0].Histogram
		}
		return said
	}
}

// answers fills in the results of the threads and the verification value. The value has the digest of each thread,
// in the order of the actors and of their threads. The digest of a thread ends with its number of rows.
func (test *sqlTest) answers(done *protocol.TestDone, groups []*group) error {
	var digest workload.Digest
	for _, group := range groups {
		of := protocol.ActorDone{
			Name: group.actor.Name, Threads: group.actor.Threads, OperationsPerSample: 1,
			Histogram: workload.Histogram(group.latencies()...),
		}
		for _, member := range group.members {
			own := member.performer.digest
			own.Word(member.performer.rows)
			digest.Word(uint64(own))
			of.WallNs = max(of.WallNs, member.wallNs)
			of.Operations += member.recorder.Operations()
			of.Rows += member.performer.rows
		}
		done.Operations += of.Operations
		done.Rows += of.Rows
		done.Actors = append(done.Actors, of)
	}
	// The combined latencies of different kinds of work mean nothing.
	done.Histogram = workload.EmptyHistogram()
	if len(done.Actors) == 1 {
		done.Histogram = done.Actors[0].Histogram
	}
	if err := test.contents(&digest); err != nil {
		return err
	}
	digest.Word(done.Rows)
	verification := digest.String()
	done.Verification = &verification
	return nil
}
