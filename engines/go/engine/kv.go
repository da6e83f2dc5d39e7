package engine

import (
	"errors"
	"fmt"

	"github.com/dbdyno/dbdyno/engines/go/driver"
	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// kvSuite runs every test of a suite on fresh databases in the job's folder.
func (run *run) kvSuite(suite *protocol.KvSuite) error {
	var conn driver.Conn
	for place := range suite.Tests {
		test := &suite.Tests[place]
		phases := newPhases()
		if run.job.StartsCold(test.Measured) {
			if err := phases.startCold(run.folder(test.Label())); err != nil {
				return failing(&test.TestHead, err)
			}
		}
		if conn == nil {
			err := phases.measure("open", func() (err error) {
				conn, err = run.openKv(suite, test.Label())
				return err
			})
			if err != nil {
				return err
			}
		}
		if err := phases.lookAfterOpening(run.folder(test.Label())); err != nil {
			return failing(&test.TestHead, err)
		}
		if err := run.opened(conn, phases); err != nil {
			return err
		}
		done, err := run.kvTest(test, conn)
		if err != nil {
			return failing(&test.TestHead, err)
		}
		next := place + 1
		if next == len(suite.Tests) || suite.Tests[next].Label() != test.Label() || run.job.StartsCold(suite.Tests[next].Measured) {
			if err := phases.measure("close", conn.Close); err != nil {
				return err
			}
			conn = nil
		}
		run.tell(done, phases)
	}
	run.worker.Done()
	return nil
}

// openKv opens a database, with the suite's schema where it is fresh.
func (run *run) openKv(suite *protocol.KvSuite, label string) (driver.Conn, error) {
	fresh, err := run.make(label)
	if err != nil {
		return nil, err
	}
	conn, err := run.open(label)
	if err != nil || !fresh {
		return conn, err
	}
	return conn, define(conn, suite)
}

// define defines the schema of a suite.
func define(conn driver.Conn, suite *protocol.KvSuite) error {
	for _, sql := range suite.Schema {
		if err := conn.Batch(sql); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return nil
}

// kvTest measures a test of one thread.
func (run *run) kvTest(test *protocol.KvTest, conn driver.Conn) (*protocol.TestDone, error) {
	if len(test.Actors) > 0 && string(test.Actors) != "null" {
		return nil, errors.New("this engine runs kv tests of one thread only")
	}
	inputs, err := newInputs(run.job, test)
	if err != nil {
		return nil, err
	}
	session, err := run.kvSession(conn, &test.SQL)
	if err != nil {
		return nil, err
	}
	recorder := workload.NewRecorder(test.ClockEvery)
	run.announce(&test.TestHead, &test.Operations, test.ClockEvery, nil)
	frame := run.beginAlone(&test.TestHead, test.Operations, recorder)
	if err := session.perform(test, inputs, recorder); err != nil {
		return nil, err
	}
	recorder.Finish()
	done, err := frame.end(recorder.WallNs(), recorder.BetweenNs())
	if err != nil {
		return nil, err
	}
	done.Operations, done.Rows = recorder.Operations(), session.rows
	done.OperationsPerSample, done.Histogram = max(test.ClockEvery, 1), workload.Histogram(recorder)
	if test.VerifyState {
		if err := session.scan.Query(nil, nil, session.digestRow); err != nil {
			return nil, err
		}
	}
	digest := session.digest
	digest.Word(session.rows)
	done.Verification = digest.String()
	return done, session.close()
}
