package engine

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dbdyno/dbdyno/engines/go/driver"
	"github.com/dbdyno/dbdyno/engines/go/harness"
	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// sqlSuite runs every test of a suite. A label that occurs for the first time means a fresh database.
func (run *run) sqlSuite(suite *protocol.SQLSuite) error {
	var conn driver.Conn
	for place := range suite.Tests {
		test := &suite.Tests[place]
		label, phases := test.Label(), harness.NewPhases()
		random := workload.Stream(run.Job.Seed, test.Number)
		prepare := test.Prepare
		if err := run.makeSQL(suite, label); err != nil {
			return err
		}
		if run.Job.StartsCold(test.Measured) {
			if err := run.prepareCold(suite, test, random); err != nil {
				return harness.Failing(&test.TestHead, err)
			}
			if err := phases.StartCold(run.Folder(label)); err != nil {
				return harness.Failing(&test.TestHead, err)
			}
			prepare = nil
		}
		if conn == nil {
			err := phases.Open(func() (err error) {
				conn, err = run.open(label)
				return err
			})
			if err != nil {
				return err
			}
		}
		if err := phases.LookAfterOpening(run.Folder(label)); err != nil {
			return harness.Failing(&test.TestHead, err)
		}
		if err := run.Opened(phases, func() (protocol.Opened, error) { return run.opened(conn) }); err != nil {
			return err
		}
		measured := sqlTest{run: run, suite: suite, test: test, random: random, conn: conn}
		done, err := measured.measure(prepare)
		if err != nil {
			return harness.Failing(&test.TestHead, err)
		}
		conn = measured.conn
		if next := place + 1; next == len(suite.Tests) || !run.staysOpen(label, &suite.Tests[next]) {
			if err := phases.Close(conn.Close); err != nil {
				return err
			}
			conn = nil
		}
		run.tell(done, phases)
	}
	run.Worker.Done()
	return nil
}

// staysOpen reports whether the next test continues with the database as it is.
func (run *run) staysOpen(label string, next *protocol.SQLTest) bool {
	return next.Label() == label && run.settings["reopen"] != "on" && !run.Job.StartsCold(next.Measured)
}

// makeSQL creates the folder of a database that occurs for the first time, with a copy of the file that it starts
// from.
func (run *run) makeSQL(suite *protocol.SQLSuite, label string) error {
	fresh, err := run.Make(label)
	if err != nil || !fresh || suite.Start == nil {
		return err
	}
	from, err := os.Open(*suite.Start)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.Create(filepath.Join(run.Folder(label), mainFile))
	if err != nil {
		return err
	}
	if _, err := io.Copy(to, from); err != nil {
		return fmt.Errorf("copying %s: %w", *suite.Start, err)
	}
	return to.Close()
}

// prepareCold runs the preparation of a test that starts cold, on a database that is closed before and after.
func (run *run) prepareCold(suite *protocol.SQLSuite, test *protocol.SQLTest, random *workload.SplitMix64) error {
	if len(test.Prepare) == 0 {
		return nil
	}
	conn, err := run.open(test.Label())
	if err != nil {
		return err
	}
	preparing := sqlTest{run: run, suite: suite, test: test, random: random, conn: conn}
	if err := preparing.prepare(test.Prepare); err != nil {
		return err
	}
	return conn.Close()
}

// sqlTest is a running test.
type sqlTest struct {
	run    *run
	suite  *protocol.SQLSuite
	test   *protocol.SQLTest
	random *workload.SplitMix64
	conn   driver.Conn
}

func (test *sqlTest) prepare(steps []protocol.Step) error {
	program, err := compile(test.suite, steps)
	if err != nil {
		return err
	}
	return newPerformer(test.run, test.conn, program, test.random, nil).perform()
}

func (test *sqlTest) measure(prepare []protocol.Step) (*protocol.TestDone, error) {
	switch {
	case test.test.Replay != nil:
		return test.measureReplay(prepare)
	case len(test.test.Actors) > 0:
		return test.measureActors(prepare)
	}
	program, err := compile(test.suite, test.test.Steps)
	if err != nil {
		return nil, err
	}
	operations := announced(program.operations())
	test.run.Announce(&test.test.TestHead, operations, 1)
	if err := test.prepare(prepare); err != nil {
		return nil, err
	}
	latencies := workload.NewLatencies()
	recorder := workload.NewRecorder(1, latencies)
	performer := newPerformer(test.run, test.conn, program, test.random, recorder)
	frame := test.run.BeginAlone(&test.test.TestHead, operations, latencies)
	err = frame.Measured(func(thread *workload.Thread) error {
		recorder.On(thread)
		recorder.TakeTurns(frame.Turns())
		recorder.Start()
		err := performer.perform()
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
	done.Operations, done.Rows, done.Histogram = recorder.Operations(), performer.rows, workload.Histogram(latencies)
	digest := performer.digest
	if err := test.contents(&digest); err != nil {
		return nil, err
	}
	digest.Word(performer.rows)
	verification := digest.String()
	done.Verification = &verification
	if performer.tallies != nil {
		done.Statements = performer.tallies.done(test.run.answers())
	}
	test.addPlans(done, program)
	return done, nil
}

// announced returns a number of operations as it is reported: nil means that it is not known in advance.
func announced(operations uint64, known bool) *uint64 {
	if !known {
		return nil
	}
	return &operations
}

// contents adds what tables hold and how the engine lists them, for the tables that the test verifies.
func (test *sqlTest) contents(digest *workload.Digest) error {
	for at := range test.suite.Tables {
		table := &test.suite.Tables[at]
		if slices.Contains(test.test.Verify, table.Name) {
			if err := test.content(table, digest); err != nil {
				return err
			}
		}
	}
	for at := range test.suite.Tables {
		table := &test.suite.Tables[at]
		if slices.Contains(test.test.VerifySchema, table.Name) {
			if err := test.schema(table.Name, digest); err != nil {
				return err
			}
		}
	}
	return nil
}

// content adds a table's number of rows and the sum of the digests of its rows, so that their order does not matter.
func (test *sqlTest) content(table *protocol.Table, digest *workload.Digest) error {
	names := make([]string, 0, len(table.Columns))
	for _, column := range table.Columns {
		names = append(names, column.Name)
	}
	sql := fmt.Sprintf("SELECT %s FROM %s", strings.Join(names, ", "), table.Name)
	var kinds []driver.Kind
	if _, needs := test.conn.(driver.NeedsKinds); needs {
		kinds = declared(table)
	}
	rows, sum, err := sumOfRows(test.conn, sql, kinds)
	digest.Word(rows)
	digest.Word(sum)
	return err
}

// sumOfRows returns the number of rows of a read, and the sum of their digests.
func sumOfRows(conn driver.Conn, sql string, kinds []driver.Kind) (rows, sum uint64, err error) {
	err = driver.Each(conn, sql, kinds, func(row driver.Row) {
		var own workload.Digest
		for column := range row.Columns() {
			addValue(&own, driver.ValueOf(row, column))
		}
		rows++
		sum += uint64(own)
	})
	return rows, sum, err
}

// declared returns the kinds of a table's columns as declared, by SQLite's rules of affinity.
func declared(table *protocol.Table) []driver.Kind {
	kinds := make([]driver.Kind, 0, len(table.Columns))
	for _, column := range table.Columns {
		kind := driver.Text
		switch of := strings.ToUpper(column.Type); {
		case strings.Contains(of, "INT"):
			kind = driver.Integer
		case strings.Contains(of, "REAL"), strings.Contains(of, "FLOA"), strings.Contains(of, "DOUB"):
			kind = driver.Real
		case strings.Contains(of, "BLOB"):
			kind = driver.Blob
		}
		kinds = append(kinds, kind)
	}
	return kinds
}

// schema adds how the engine lists a table. It adds the table's name, and NULL if the table is not listed. Otherwise
// it adds the number of columns and their names, and the number of indexes. For each index, in order of name, it
// adds the name and the column.
func (test *sqlTest) schema(table string, digest *workload.Digest) error {
	digest.TextValue(table)
	columns, err := test.names("SELECT name FROM pragma_table_info('" + table + "') ORDER BY cid")
	if err != nil {
		return err
	}
	if len(columns) == 0 {
		digest.Null()
		return nil
	}
	indexes, err := test.names("SELECT name FROM pragma_index_list('" + table + "') ORDER BY name")
	if err != nil {
		return err
	}
	digest.Word(uint64(len(columns)))
	for _, column := range columns {
		digest.TextValue(column)
	}
	digest.Word(uint64(len(indexes)))
	for _, index := range indexes {
		of, err := test.names("SELECT name FROM pragma_index_info('" + index + "') ORDER BY seqno")
		if err != nil {
			return err
		}
		digest.TextValue(index)
		digest.TextValue(strings.Join(of, ","))
	}
	return nil
}

func (test *sqlTest) names(sql string) ([]string, error) {
	var names []string
	err := driver.Each(test.conn, sql, []driver.Kind{driver.Text}, func(row driver.Row) { names = append(names, row.Text(0)) })
	return names, err
}

// addValue adds a value to a digest.
func addValue(digest *workload.Digest, value driver.Value) {
	switch value.Kind {
	case driver.Null:
		digest.Null()
	case driver.Integer:
		digest.Int64(value.Bits)
	case driver.Real:
		digest.Float64(value.Float())
	case driver.Text:
		digest.TextValue(value.Data)
	case driver.Blob:
		digest.Blob(value.Data)
	}
}

// addToBoth adds a value to two digests. It hashes the bytes of a text or a blob once.
func addToBoth(one, other *workload.Digest, value driver.Value) {
	if value.Kind != driver.Text && value.Kind != driver.Blob {
		addValue(one, value)
		addValue(other, value)
		return
	}
	content := workload.HashOf(value.Data)
	for _, digest := range [...]*workload.Digest{one, other} {
		// Digests and drivers number the kinds alike.
		digest.Word(uint64(value.Kind))
		digest.Word(content)
	}
}
