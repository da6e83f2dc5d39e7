package engine

import (
	"errors"
	"fmt"

	"github.com/dbdyno/dbdyno/engines/go/driver"
	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// kvSession is the statements of a test, and what its answers amount to.
type kvSession struct {
	held                                       bool
	beginRead, beginWrite, commit              driver.Stmt
	get, put, delete, exists, scan             driver.Stmt
	statements                                 []driver.Stmt
	digest                                     workload.Digest
	rows                                       uint64
	found                                      bool
	digestValue, digestRow, seeRow, digestScan func(driver.Row) bool
	values                                     [2]driver.Value
	recorder                                   *workload.Recorder
}

func (run *run) kvSession(conn driver.Conn, sql *protocol.KvStatements) (*kvSession, error) {
	session := &kvSession{held: run.settings["read_transaction"] == "held"}
	begin, err := run.settings.begin("engine")
	if err != nil {
		return nil, err
	}
	for _, one := range []struct {
		stmt *driver.Stmt
		sql  string
	}{
		{&session.beginRead, "BEGIN DEFERRED"}, {&session.beginWrite, begin}, {&session.commit, "COMMIT"},
		{&session.get, sql.Get}, {&session.put, sql.Put}, {&session.delete, sql.Delete},
		{&session.exists, sql.Exists}, {&session.scan, sql.Scan},
	} {
		if *one.stmt, err = run.settings.statement(conn, one.sql); err != nil {
			return nil, err
		}
		session.statements = append(session.statements, *one.stmt)
	}
	session.visitors()
	return session, nil
}

// visitors are made once, so that no operation has to make one.
func (session *kvSession) visitors() {
	session.digestValue = func(row driver.Row) bool {
		session.digest.Bytes(row.Blob(0))
		session.found = true
		return false
	}
	session.seeRow = func(driver.Row) bool {
		session.found = true
		return false
	}
	session.digestRow = func(row driver.Row) bool {
		session.digest.Bytes(row.Blob(0))
		session.digest.Bytes(row.Blob(1))
		return true
	}
	session.digestScan = func(row driver.Row) bool {
		session.rows++
		session.digestRow(row)
		session.recorder.Lap()
		return true
	}
}

func (session *kvSession) close() error {
	for _, stmt := range session.statements {
		if err := stmt.Close(); err != nil {
			return err
		}
	}
	return nil
}

func exec(stmt driver.Stmt) error {
	_, err := stmt.Exec(nil)
	return err
}

// perform does the operations of a test.
func (session *kvSession) perform(test *protocol.KvTest, inputs *inputs, recorder *workload.Recorder) error {
	session.recorder = recorder
	scans := len(test.Work) == 1 && test.Work[0].Op == "scan"
	switch test.Transaction.Word {
	case "read":
		if session.held {
			if err := exec(session.beginRead); err != nil {
				return err
			}
		}
		recorder.Start()
		var err error
		if scans {
			err = session.scan.Query(nil, nil, session.digestScan)
		} else {
			err = session.repeat(test.Operations, inputs, session.read)
		}
		if err == nil && session.held {
			err = exec(session.commit)
		}
		return err
	case "each":
		recorder.Start()
		return session.repeat(test.Operations, inputs, session.alone)
	case "one":
		return session.batches(test, inputs, test.Operations)
	case "batch":
		return session.batches(test, inputs, test.Transaction.Batch)
	}
	return fmt.Errorf("transaction `%s` of a test: expected read, each, one or a batch", test.Transaction.Word)
}

func (session *kvSession) repeat(operations uint64, inputs *inputs, do func(*input) error) error {
	for range operations {
		if err := do(inputs.next(session.recorder)); err != nil {
			return err
		}
		session.recorder.Lap()
	}
	return nil
}

// batches writes in transactions of so many operations. A commit's time is part of the last operation of its batch,
// and the next begin's part of the first; where one transaction is all of the test, its begin is before the timer.
func (session *kvSession) batches(test *protocol.KvTest, inputs *inputs, batch uint64) error {
	session.recorder.Start()
	for done := uint64(0); done < test.Operations; {
		if err := exec(session.beginWrite); err != nil {
			return err
		}
		if test.Transaction.Word == "one" {
			session.recorder.Start()
		}
		size := min(max(batch, 1), test.Operations-done)
		if err := session.repeat(size-1, inputs, session.apply); err != nil {
			return err
		}
		if err := session.apply(inputs.next(session.recorder)); err != nil {
			return err
		}
		if err := exec(session.commit); err != nil {
			return err
		}
		session.recorder.Lap()
		done += size
	}
	return nil
}

// alone does an operation in a transaction of its own, of reading or of writing as it needs.
func (session *kvSession) alone(input *input) error {
	begin := session.beginWrite
	if input.op.reads() {
		if !session.held {
			return session.read(input)
		}
		begin = session.beginRead
	}
	if err := exec(begin); err != nil {
		return err
	}
	if err := session.apply(input); err != nil {
		return err
	}
	return exec(session.commit)
}

func (session *kvSession) read(input *input) error {
	if !input.op.reads() {
		return errors.New("a suite asks for a write in a read transaction")
	}
	return session.apply(input)
}

func (session *kvSession) apply(input *input) error {
	session.values[0], session.values[1] = input.key, input.value
	key, both := session.values[:1], session.values[:2]
	session.found = false
	switch input.op {
	case opGet:
		if err := session.get.Query(key, nil, session.digestValue); err != nil {
			return err
		}
		session.count(session.found)
	case opExists:
		if err := session.exists.Query(key, nil, session.seeRow); err != nil {
			return err
		}
		session.answer(session.found)
	case opPut:
		if _, err := session.put.Exec(both); err != nil {
			return err
		}
		session.rows++
	case opDelete:
		changed, err := session.delete.Exec(key)
		if err != nil {
			return err
		}
		session.answer(changed > 0)
	case opRemove:
		if _, err := session.delete.Exec(key); err != nil {
			return err
		}
		session.rows++
	}
	return nil
}

// answer is that of an operation that found its key or did not, and had no more to say.
func (session *kvSession) answer(found bool) {
	if found {
		session.digest.Word(1)
	} else {
		session.digest.Word(0)
	}
	session.count(found)
}

func (session *kvSession) count(found bool) {
	if found {
		session.rows++
	}
}
