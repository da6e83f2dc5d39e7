package kv

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/dbdyno/dbdyno/engines/go/harness"
	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// writer is the first test of a job that only puts. The kill test uses its formats and statements.
type writer struct {
	test       *protocol.KvTest
	key, value workload.Template
}

func newWriter(suite *protocol.KvSuite) (*writer, error) {
	if suite == nil {
		return nil, errors.New("the kill test takes a job of kind kv")
	}
	for at := range suite.Tests {
		test := &suite.Tests[at]
		if len(test.Actors) > 0 || len(test.Work) != 1 || test.Work[0].Op != "put" {
			continue
		}
		key, err := workload.NewTemplate(test.Key)
		if err != nil {
			return nil, err
		}
		value, err := workload.NewTemplate(test.Work[0].Value)
		return &writer{test, key, value}, err
	}
	return nil, fmt.Errorf("suite `%s` has no test that only puts", suite.Name)
}

// row returns the key and the value of a commit.
func (writer *writer) row(ordinal uint64) (key, value []byte) {
	made := func(template *workload.Template) []byte {
		return template.Append(nil, ordinal, ordinal, workload.Stream(ordinal, 0))
	}
	return made(&writer.key), made(&writer.value)
}

// Commits commits one write after another until the process is killed, and reports each commit: the kill test.
func Commits(run *harness.Run, store Store) error {
	writer, err := newWriter(run.Job.Suite.Kv)
	if err != nil {
		return err
	}
	suite := &suiteRun{run: run, suite: run.Job.Suite.Kv, store: &store}
	database, err := suite.open(writer.test.Label())
	if err != nil {
		return err
	}
	session, err := database.Session(&writer.test.SQL)
	if err != nil {
		return err
	}
	tally := newTally(session, accounts{}, false)
	for ordinal := uint64(0); ; ordinal++ {
		key, value := writer.row(ordinal)
		if err := tally.alone(&input{op: opPut, key: key, value: value}); err != nil {
			return err
		}
		run.Worker.Committed(0, ordinal+1)
	}
}

// Recover opens the database of a killed Commits, checks it, and counts the commits that are present without a gap.
func Recover(run *harness.Run, store Store) error {
	broken := func(err error) error { return &protocol.Failure{Broken: true, Err: err} }
	writer, err := newWriter(run.Job.Suite.Kv)
	if err != nil {
		return err
	}
	label := writer.test.Label()
	if !run.Has(label) {
		return broken(errors.New("there is no database to recover"))
	}
	suite := &suiteRun{run: run, suite: run.Job.Suite.Kv, store: &store}
	database, err := suite.open(label)
	if err != nil {
		return err
	}
	if checker, checks := database.(Checker); checks {
		if err := checker.Check(); err != nil {
			return broken(err)
		}
	}
	if definer, defines := database.(Definer); defines {
		switch isDefined, err := definer.IsDefined(); {
		case err != nil:
			return broken(err)
		case !isDefined:
			// The commit that defines the schema is a commit like any other, and the first. It may be missing with
			// all that followed.
			if err := database.Close(); err != nil {
				return broken(err)
			}
			if database, err = suite.openIn(label, true); err != nil {
				return broken(err)
			}
		}
	}
	session, err := database.Session(&writer.test.SQL)
	if err != nil {
		return broken(err)
	}
	var commits uint64
	err = newTally(session, accounts{}, false).within(Snapshot, func() (err error) {
		commits, err = writer.count(session)
		return err
	})
	if err != nil {
		return broken(err)
	}
	run.Worker.Recovered(0, commits)
	return nil
}

// count counts the commits that are present without a gap.
func (writer *writer) count(session Session) (uint64, error) {
	for commits := uint64(0); ; commits++ {
		key, expected := writer.row(commits)
		var value []byte
		found, err := session.Get(key, func(shown []byte) { value = bytes.Clone(shown) })
		if err != nil {
			return 0, err
		}
		if found && !bytes.Equal(value, expected) {
			return 0, fmt.Errorf("the value of key %d is not what was committed", commits)
		}
		if found {
			continue
		}
		rows := uint64(0)
		if err := session.Scan(func([]byte, []byte) { rows++ }); err != nil {
			return 0, err
		}
		if rows != commits {
			return 0, fmt.Errorf("%d rows, but the first %d keys only: there is a gap", rows, commits)
		}
		return commits, nil
	}
}
