package engine

import (
	"fmt"
	"strings"

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
	// tallies are the results of named steps. They are nil if no step has a name or if nothing is measured.
	tallies *tallies
	// kept are the values of the kept rows. A row without values is not there.
	kept [][]driver.Value

	// answer is the number of rows of the current answer. own is the digest of it alone. keeping is where its first
	// row is kept; nil means nowhere.
	answer  uint64
	own     workload.Digest
	keeping *[]driver.Value
	// visit digests a row. visitMore also adds it to own, and keeps it.
	visit, visitMore func(driver.Row) bool
	// objects collects the objects of an answer, which are checked when the operation has ended.
	objects collector

	// closing closes the connection, which is a part of the last operation. If it is nil, the connection stays open.
	closing func() error
	// attempts is nil unless what other connections block is to be done again.
	attempts *attempts
}

func newPerformer(run *run, conn driver.Conn, program *program, random *workload.SplitMix64, recorder *workload.Recorder) *performer {
	performer := &performer{
		run: run, conn: conn, script: newScript(program, random), recorder: recorder,
		ready: make([]driver.Stmt, program.statements), begins: map[string]driver.Stmt{},
		kept: make([][]driver.Value, len(program.kept)),
	}
	if recorder != nil && len(program.names) > 0 {
		performer.tallies = newTallies(program.names)
	}
	performer.visit = func(row driver.Row) bool {
		for column := range row.Columns() {
			addValue(&performer.digest, driver.ValueOf(row, column))
		}
		performer.answer++
		return true
	}
	performer.visitMore = performer.take
	performer.objects.visit = performer.objects.take
	return performer
}

// take digests a row, also for the results of its step's name, and keeps it if it is to be kept. A text of a row is
// memory of its own, and a blob is not.
func (performer *performer) take(row driver.Row) bool {
	keeps := performer.keeping != nil && performer.answer == 0
	for column := range row.Columns() {
		value := driver.ValueOf(row, column)
		addToBoth(&performer.digest, &performer.own, value)
		if !keeps {
			continue
		}
		if value.Kind == driver.Blob {
			value.Data = strings.Clone(value.Data)
		}
		*performer.keeping = append(*performer.keeping, value)
	}
	performer.answer++
	return true
}

// perform runs all steps. It may leave the check of the last operation's answer to finish.
func (performer *performer) perform() error {
	var block block
	for {
		performer.standStill(func() { performer.prepare(&block) })
		if len(block.actions) == 0 {
			return performer.close()
		}
		work := performer.do
		if performer.attempts != nil {
			work = performer.persist
		}
		if err := work(&block); err != nil {
			return err
		}
	}
}

// do does the actions of a block.
func (performer *performer) do(block *block) error {
	last := len(block.actions) - 1
	for at := range block.actions {
		action := &block.actions[at]
		if err := performer.act(action, block); err != nil {
			return err
		}
		if performer.tallies != nil {
			performer.tallies.took(action, performer.recorder.Split())
		}
		if action.endsOperation {
			if err := performer.endOperation(at == last && performer.script.isOver()); err != nil {
				return err
			}
		}
	}
	return nil
}

// prepare counts what was measured since the last block, and draws the next block.
func (performer *performer) prepare(block *block) {
	if performer.tallies != nil {
		performer.tallies.count()
	}
	performer.script.fill(block, performer.attempts != nil)
}

func (performer *performer) standStill(work func()) {
	if performer.recorder == nil {
		work()
		return
	}
	performer.recorder.StandStill(work)
}

func (performer *performer) endOperation(isLast bool) error {
	if performer.recorder == nil {
		return performer.finish()
	}
	if isLast && performer.closing != nil {
		if err := performer.close(); err != nil {
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

// finish checks the objects of the last answer, or of the last attempt, and releases them.
func (performer *performer) finish() error {
	if performer.attempts != nil {
		return performer.finishAttempt()
	}
	objects := &performer.objects
	if objects.statement == nil {
		return nil
	}
	err := performer.check(objects)
	objects.letGo()
	return err
}

// check checks objects and adds them to the results.
func (performer *performer) check(objects *collector) error {
	var err error
	if performer.run.answers() {
		err = objects.verify()
	}
	objects.addTo(&performer.digest)
	performer.count(objects.rows)
	if objects.name > 0 {
		var own workload.Digest
		objects.addTo(&own)
		performer.answered(objects.name, own, objects.rows)
	}
	return err
}

// answered adds an answer to the results of its step's name, if it has one. own is the digest of the answer alone.
func (performer *performer) answered(name int, own workload.Digest, rows uint64) {
	if name > 0 && performer.tallies != nil {
		performer.tallies.answered(answer{name: name, own: own, rows: rows})
	}
}

// count adds the number of rows that a statement returned or changed, after those rows.
func (performer *performer) count(rows uint64) {
	performer.digest.Word(rows)
	performer.rows += rows
}

func (performer *performer) act(action *action, block *block) error {
	switch {
	case action.part == beginOf:
		return performer.begin(*action.node.begin)
	case action.part == commitOf:
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
	switch {
	case statement.isMore:
		return performer.executeMore(ready, action, values)
	case !statement.reads:
		changed, err := ready.Exec(values)
		performer.count(uint64(changed))
		return err
	case len(statement.objects) > 0:
		return performer.fetch(ready, action, values)
	}
	performer.answer = 0
	if err := ready.Query(values, nil, performer.visit); err != nil {
		return err
	}
	performer.count(performer.answer)
	return nil
}

// fetch runs a read from whose rows objects are built.
func (performer *performer) fetch(ready driver.Stmt, action *action, values []driver.Value) error {
	if performer.objects.statement != nil {
		// An operation has one statement.
		return fmt.Errorf("the objects of an earlier answer were not checked")
	}
	performer.objects.begin(action)
	return ready.Query(values, action.node.statement.kinds, performer.objects.visit)
}

// executeMore runs a statement that has a name, keeps a row, or may bind values of kept rows or blobs.
func (performer *performer) executeMore(ready driver.Stmt, action *action, values []driver.Value) error {
	statement := action.node.statement
	for _, value := range statement.kept {
		// An earlier attempt may have left a value there.
		values[value.at] = driver.Value{}
		if row := performer.kept[value.row-1]; value.column < uint(len(row)) {
			values[value.at] = row[value.column]
		}
	}
	if err := performer.run.checkBlobs(values); err != nil {
		return err
	}
	switch {
	case len(statement.objects) > 0:
		return performer.fetch(ready, action, values)
	case statement.reads:
		return performer.readMore(ready, action, values)
	}
	changed, err := ready.Exec(values)
	performer.count(uint64(changed))
	performer.answered(action.node.name, 0, uint64(changed))
	return err
}

// readMore runs a read, and adds its answer to the results of its name or keeps the first row.
func (performer *performer) readMore(ready driver.Stmt, action *action, values []driver.Value) error {
	performer.answer, performer.own, performer.keeping = 0, 0, nil
	if keep := action.node.statement.keep; keep > 0 {
		performer.keeping = performer.emptied(keep - 1)
	}
	if err := ready.Query(values, nil, performer.visitMore); err != nil {
		return err
	}
	performer.count(performer.answer)
	performer.answered(action.node.name, performer.own, performer.answer)
	return nil
}

// emptied returns the place of a kept row, without the values of the previous one.
func (performer *performer) emptied(place int) *[]driver.Value {
	if performer.attempts != nil {
		performer.attempts.spareRow(performer.kept, place)
	}
	row := &performer.kept[place]
	*row = (*row)[:0]
	return row
}

// close closes the statements, and the connection if it does not stay open.
func (performer *performer) close() error {
	for at, stmt := range performer.ready {
		if stmt != nil {
			performer.ready[at] = nil
			if err := stmt.Close(); err != nil {
				return err
			}
		}
	}
	if performer.closing == nil {
		return nil
	}
	closing := performer.closing
	performer.closing = nil
	return closing()
}
