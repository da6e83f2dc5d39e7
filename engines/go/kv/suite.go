package kv

import (
	"errors"
	"fmt"

	"github.com/dbdyno/dbdyno/engines/go/harness"
	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// suiteRun is a running suite.
type suiteRun struct {
	run   *harness.Run
	suite *protocol.KvSuite
	store *Store
}

// Run runs every test of the suite of a run's job, each database in a folder of its own. It is for engines that run
// suites of other kinds too. For other engines, Main calls it.
func Run(run *harness.Run, store Store) error {
	suite := &suiteRun{run: run, suite: run.Job.Suite.Kv, store: &store}
	var database Database
	for place := range suite.suite.Tests {
		test, phases := &suite.suite.Tests[place], harness.NewPhases()
		var before *accounts
		if run.Job.StartsCold(test.Measured) {
			var err error
			if before, err = suite.startCold(test, phases); err != nil {
				return harness.Failing(&test.TestHead, err)
			}
		}
		if database == nil {
			err := phases.Open(func() (err error) {
				database, err = suite.open(test.Label())
				return err
			})
			if err != nil {
				return err
			}
		}
		if err := phases.LookAfterOpening(run.Folder(test.Label())); err != nil {
			return harness.Failing(&test.TestHead, err)
		}
		if err := run.Opened(phases, func() (protocol.Opened, error) { return store.opened(database) }); err != nil {
			return err
		}
		done, err := suite.measure(test, database, before)
		if err != nil {
			return harness.Failing(&test.TestHead, err)
		}
		next := place + 1
		if next == len(suite.suite.Tests) || suite.suite.Tests[next].Label() != test.Label() || run.Job.StartsCold(suite.suite.Tests[next].Measured) {
			if err := phases.Close(database.Close); err != nil {
				return err
			}
			database = nil
		}
		run.Tell(done, phases)
	}
	run.Worker.Done()
	return nil
}

// opened returns the event that describes an open database.
func (store *Store) opened(database Database) (protocol.Opened, error) {
	opened, err := database.Opened()
	if described := store.described; described != nil && opened.Version == "" {
		opened.Version, opened.Build, opened.Source = described.Version, described.Build, described.Source
	}
	return opened, err
}

// startCold drops a test's closed database from memory. What must be read before the actors of a test begin is read
// before that, because reading it later would bring it back into memory.
func (suite *suiteRun) startCold(test *protocol.KvTest, phases *harness.Phases) (*accounts, error) {
	var before *accounts
	if hasAccounts(test) && suite.run.Has(test.Label()) {
		database, err := suite.open(test.Label())
		if err != nil {
			return nil, err
		}
		if before, err = accountsOf(suite.store, database, test); err != nil {
			return nil, err
		}
		if err := database.Close(); err != nil {
			return nil, err
		}
	}
	return before, phases.StartCold(suite.run.Folder(test.Label()))
}

// open opens a database, and creates it if it does not exist.
func (suite *suiteRun) open(label string) (Database, error) {
	fresh, err := suite.run.Make(label)
	if err != nil {
		return nil, err
	}
	return suite.openIn(label, fresh)
}

func (suite *suiteRun) openIn(label string, fresh bool) (Database, error) {
	open := Open{
		Folder: suite.run.Folder(label), Fresh: fresh, Options: suite.run.Job.Options, DataBytes: suite.suite.DataBytes,
	}
	if fresh {
		open.Schema = suite.suite.Schema
	}
	return suite.store.Open(open)
}

func (suite *suiteRun) measure(test *protocol.KvTest, database Database, before *accounts) (*protocol.TestDone, error) {
	switch {
	case test.Compact:
		return suite.measureCompaction(test, database)
	case len(test.Actors) > 0:
		return suite.measureActors(test, database, before)
	}
	return suite.measureAlone(test, database)
}

func (suite *suiteRun) measureAlone(test *protocol.KvTest, database Database) (*protocol.TestDone, error) {
	inputs, err := aloneInputs(suite.run.Job.Seed, test)
	if err != nil {
		return nil, err
	}
	session, err := database.Session(&test.SQL)
	if err != nil {
		return nil, err
	}
	latencies := workload.NewLatencies()
	one := &one{
		tally: newTally(session, accounts{}, suite.store.Nothing), test: test, inputs: inputs,
		recorder: workload.NewRecorder(test.ClockEvery, latencies), held: suite.run.Job.Options["read_transaction"] == "held",
	}
	suite.run.Announce(&test.TestHead, &test.Operations, test.ClockEvery)
	frame := suite.run.BeginAlone(&test.TestHead, &test.Operations, latencies)
	err = frame.Measured(func(thread *workload.Thread) error {
		one.recorder.On(thread)
		one.recorder.TakeTurns(frame.Turns())
		err := one.perform()
		one.recorder.Finish()
		return err
	})
	if err != nil {
		return nil, err
	}
	done, err := frame.End(one.recorder.Spent())
	if err != nil {
		return nil, err
	}
	done.Operations, done.Rows = one.recorder.Operations(), one.rows
	done.OperationsPerSample, done.Histogram = max(test.ClockEvery, 1), workload.Histogram(latencies)
	done.Verification, err = suite.verify(test, one.tally)
	return done, errors.Join(err, session.Close())
}

// verify reads the content if the test asks for it. It returns the checksum if all engines must give the same one.
func (suite *suiteRun) verify(test *protocol.KvTest, tally *tally) (*string, error) {
	if test.VerifyState {
		if err := tally.state(); err != nil {
			return nil, err
		}
	}
	if !hasFixedAnswers(suite.suite, test) {
		return nil, nil
	}
	return tally.verification(), nil
}

// measureCompaction makes a database as small as the store can, as one operation.
func (suite *suiteRun) measureCompaction(test *protocol.KvTest, database Database) (*protocol.TestDone, error) {
	compactor, compacts := database.(Compactor)
	if !compacts {
		return nil, fmt.Errorf("this engine has no way to compact its database")
	}
	operations, latencies := uint64(1), workload.NewLatencies()
	recorder := workload.NewRecorder(1, latencies)
	suite.run.Announce(&test.TestHead, &operations, 1)
	frame := suite.run.BeginAlone(&test.TestHead, &operations, latencies)
	err := frame.Measured(func(thread *workload.Thread) error {
		recorder.On(thread)
		recorder.Start()
		err := compactor.Compact()
		recorder.Lap()
		recorder.Finish()
		return err
	})
	if err != nil {
		return nil, err
	}
	done, err := frame.End(recorder.Spent())
	if err != nil {
		return nil, err
	}
	done.Operations, done.Histogram = 1, workload.Histogram(latencies)
	session, err := database.Session(&test.SQL)
	if err != nil {
		return nil, err
	}
	done.Verification, err = suite.verify(test, newTally(session, accounts{}, suite.store.Nothing))
	return done, errors.Join(err, session.Close())
}

func (suite *suiteRun) measureActors(test *protocol.KvTest, database Database, before *accounts) (*protocol.TestDone, error) {
	shared, shares := database.(Shared)
	if !shares {
		return nil, errors.New("this engine runs tests of one thread only")
	}
	if before == nil {
		var err error
		if before, err = accountsOf(suite.store, database, test); err != nil {
			return nil, err
		}
	}
	of := newActorsTest(suite, test, shared, before)
	suite.run.AnnounceActors(&test.TestHead, recordedOperations(test), of.timeMs(), of.heads())
	frame := suite.run.Begin(&test.TestHead, of.progress())
	if err := of.perform(frame); err != nil {
		return nil, err
	}
	done, err := frame.End(workload.Spent{
		WallNs: fromFirstToLast(of.members), BetweenNs: betweenNs(of.members), Parts: partsOf(of.members),
	})
	if err != nil {
		return nil, err
	}
	after, err := accountsOf(suite.store, database, test)
	if err != nil {
		return nil, err
	}
	return done, of.fill(done, after)
}
