package engine

import (
	"fmt"

	"github.com/dbdyno/dbdyno/engines/go/driver"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// performer runs the steps of a program on a connection and digests the answers.
type performer struct {
	run    *run
	conn   driver.Conn
	script *script
	// recorder is nil if nothing is measured.
	recorder *workload.Recorder
	// ready are the statements, each made ready at its first execution.
	ready  []driver.Stmt
	begins map[string]driver.Stmt
	commit driver.Stmt

	digest workload.Digest
	rows   uint64
	answer uint64
	// visit digests a row.
	visit func(driver.Row) bool
	// objects collects the objects of an answer, which are checked when the operation has ended.
	objects collector

	// last is the number of the last operation, which includes closing; 0 means that no operation does.
	last    uint64
	closing func() error
}

func newPerformer(run *run, conn driver.Conn, program *program, random *workload.SplitMix64, recorder *workload.Recorder) *performer {
	performer := &performer{
		run: run, conn: conn, script: newScript(program, random), recorder: recorder,
		ready: make([]driver.Stmt, program.statements), begins: map[string]driver.Stmt{},
	}
	performer.visit = func(row driver.Row) bool {
		for column := range row.Columns() {
			addValue(&performer.digest, driver.ValueOf(row, column))
		}
		performer.answer++
		return true
	}
	performer.objects.visit = performer.objects.take
	return performer
}

// perform runs all steps. It may leave the check of the last operation's answer to finish.
func (performer *performer) perform() error {
	var block block
	for {
		performer.standStill(func() { performer.script.fill(&block) })
		if len(block.actions) == 0 {
			return performer.close()
		}
		for at := range block.actions {
			action := &block.actions[at]
			if err := performer.act(action, &block); err != nil {
				return err
			}
			if action.endsOperation {
				if err := performer.endOperation(); err != nil {
					return err
				}
			}
		}
	}
}

func (performer *performer) standStill(work func()) {
	if performer.recorder == nil {
		work()
		return
	}
	performer.recorder.StandStill(work)
}

func (performer *performer) endOperation() error {
	if performer.recorder == nil {
		return performer.finish()
	}
	if performer.closing != nil && performer.recorder.Operations()+1 == performer.last {
		if err := performer.closing(); err != nil {
			return err
		}
		performer.recorder.Lap()
		return nil
	}
	performer.recorder.Lap()
	if performer.objects.statement == nil {
		return nil
	}
	var err error
	performer.standStill(func() { err = performer.finish() })
	return err
}

// finish checks the objects of the last answer and releases them.
func (performer *performer) finish() error {
	if performer.objects.statement == nil {
		return nil
	}
	var err error
	if performer.run.driver.Name != nullName {
		err = performer.objects.verify()
	}
	performer.objects.addTo(&performer.digest)
	performer.count(performer.objects.rows)
	performer.objects.letGo()
	return err
}

// count adds the number of rows that a statement returned or changed, after those rows.
func (performer *performer) count(rows uint64) {
	performer.digest.Word(rows)
	performer.rows += rows
}

func (performer *performer) act(action *action, block *block) error {
	switch {
	case action.begin != nil:
		return performer.begin(*action.begin)
	case action.node == nil:
		if performer.commit == nil {
			performer.commit = performer.conn.Text("COMMIT")
		}
		return exec(performer.commit)
	case action.node.deed != nil:
		rows, counts, err := action.node.deed(performer.conn)
		if err == nil && counts {
			performer.count(rows)
		}
		return err
	}
	statement := action.node.statement
	if err := performer.execute(statement, action, block.values[action.from:action.to]); err != nil {
		return fmt.Errorf("%s: %w", statement.sql, err)
	}
	return nil
}

func (performer *performer) begin(kind string) error {
	begin := performer.begins[kind]
	if begin == nil {
		sql, err := performer.run.settings.begin(kind)
		if err != nil {
			return err
		}
		begin = performer.conn.Text(sql)
		performer.begins[kind] = begin
	}
	return exec(begin)
}

func (performer *performer) execute(statement *statement, action *action, values []driver.Value) error {
	ready := performer.ready[statement.slot]
	if ready == nil {
		made, err := performer.run.settings.statement(performer.conn, statement.sql)
		if err != nil {
			return err
		}
		ready, performer.ready[statement.slot] = made, made
	}
	if !statement.reads {
		changed, err := ready.Exec(values)
		performer.count(uint64(changed))
		return err
	}
	if len(statement.objects) > 0 {
		if performer.objects.statement != nil {
			// An operation has one statement.
			return fmt.Errorf("the objects of an earlier answer were not checked")
		}
		performer.objects.begin(statement, action.variables)
		return ready.Query(values, statement.kinds, performer.objects.visit)
	}
	performer.answer = 0
	if err := ready.Query(values, nil, performer.visit); err != nil {
		return err
	}
	performer.count(performer.answer)
	return nil
}

// close closes the statements.
func (performer *performer) close() error {
	for at, stmt := range performer.ready {
		if stmt != nil {
			performer.ready[at] = nil
			if err := stmt.Close(); err != nil {
				return err
			}
		}
	}
	return nil
}
