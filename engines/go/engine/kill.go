package engine

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"github.com/dbdyno/dbdyno/engines/go/driver"
	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// writer is the first test of a job that only puts, whose formats and statements the kill test uses.
type writer struct {
	suite      *protocol.KvSuite
	test       *protocol.KvTest
	key, value workload.Template
}

func (run *run) writer() (*writer, error) {
	suite := run.job.Suite.Kv
	if suite == nil {
		return nil, errors.New("the kill test takes a job of kind kv")
	}
	for at := range suite.Tests {
		test := &suite.Tests[at]
		if len(test.Work) != 1 || test.Work[0].Op != "put" {
			continue
		}
		key, err := workload.NewTemplate(test.Key)
		if err != nil {
			return nil, err
		}
		value, err := workload.NewTemplate(test.Work[0].Value)
		return &writer{suite, test, key, value}, err
	}
	return nil, fmt.Errorf("suite `%s` has no test that only puts", suite.Name)
}

// row is the key and the value of a commit.
func (writer *writer) row(ordinal uint64) (key, value []byte) {
	made := func(template *workload.Template) []byte {
		return template.Append(nil, ordinal, ordinal, workload.Stream(ordinal, 0))
	}
	return made(&writer.key), made(&writer.value)
}

// commits commits one write after another until the process is killed, and says so after each.
func (run *run) commits() error {
	writer, err := run.writer()
	if err != nil {
		return err
	}
	conn, err := run.openKv(writer.suite, writer.test.Label())
	if err != nil {
		return err
	}
	session, err := run.kvSession(conn, &writer.test.SQL)
	if err != nil {
		return err
	}
	for ordinal := uint64(0); ; ordinal++ {
		key, value := writer.row(ordinal)
		put := input{op: opPut, key: driver.BlobValue(key), value: driver.BlobValue(value)}
		if err := session.alone(&put); err != nil {
			return err
		}
		run.worker.Committed(ordinal + 1)
	}
}

// recover opens the database again, checks it, and counts the commits that are there without a gap.
func (run *run) recover() error {
	broken := func(err error) error { return &protocol.Failure{Broken: true, Err: err} }
	writer, err := run.writer()
	if err != nil {
		return err
	}
	if _, err := os.Stat(run.folder(writer.test.Label())); err != nil {
		return broken(errors.New("there is no database to recover"))
	}
	conn, err := run.openKv(writer.suite, writer.test.Label())
	if err != nil {
		return err
	}
	if err := check(conn); err != nil {
		return broken(err)
	}
	// The schema is the first commit. A power loss that the tier allows may undo it with all that followed.
	switch defined, err := driver.First(conn, "SELECT CASE count(*) WHEN 0 THEN 'none' ELSE 'some' END FROM sqlite_master"); {
	case err != nil:
		return broken(err)
	case defined.Data == "none":
		if err := define(conn, writer.suite); err != nil {
			return broken(err)
		}
	}
	session, err := run.kvSession(conn, &writer.test.SQL)
	if err != nil {
		return err
	}
	commits, rows := uint64(0), uint64(0)
	for {
		key, value := writer.row(commits)
		var found []byte
		err := session.get.Query([]driver.Value{driver.BlobValue(key)}, nil, func(row driver.Row) bool {
			found = bytes.Clone(row.Blob(0))
			return false
		})
		if err != nil {
			return err
		}
		if found == nil {
			break
		}
		if !bytes.Equal(found, value) {
			return broken(fmt.Errorf("the value of key %d is not what was committed", commits))
		}
		commits++
	}
	err = session.scan.Query(nil, nil, func(driver.Row) bool {
		rows++
		return true
	})
	if err != nil {
		return err
	}
	if rows != commits {
		return broken(fmt.Errorf("%d rows, but the first %d keys only: there is a gap", rows, commits))
	}
	run.worker.Recovered(commits)
	return nil
}
