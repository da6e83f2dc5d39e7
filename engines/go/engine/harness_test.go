package engine

import (
	"encoding/json"
	"testing"

	"github.com/dbdyno/dbdyno/engines/go/driver"
	"github.com/dbdyno/dbdyno/engines/go/harness"
	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// nothing is a driver that does nothing, and answers with one row of one number. What remains is the cost of the
// harness.
type nothing struct{}

func (nothing) Batch(string) error                  { return nil }
func (nothing) Prepare(string) (driver.Stmt, error) { return nothingStmt{}, nil }
func (nothing) Text(string) driver.Stmt             { return nothingStmt{} }
func (nothing) Close() error                        { return nil }

type nothingStmt struct{}

func (nothingStmt) Exec([]driver.Value) (int64, error) { return 1, nil }
func (nothingStmt) Close() error                       { return nil }
func (nothingStmt) Query(_ []driver.Value, _ []driver.Kind, visit func(driver.Row) bool) error {
	visit(nothingRow{})
	return nil
}

type nothingRow struct{}

func (nothingRow) Columns() int         { return 1 }
func (nothingRow) Kind(int) driver.Kind { return driver.Integer }
func (nothingRow) Int64(int) int64      { return 1 }
func (nothingRow) Float(int) float64    { return 0 }
func (nothingRow) Text(int) string      { return "" }
func (nothingRow) Blob(int) []byte      { return nil }

func testRun() *run {
	job := &protocol.Job{Seed: 1}
	return &run{Run: harness.New(nil, job, ""), settings: settings{"statements": "prepared", "transaction": "deferred"}}
}

// BenchmarkSQLWrite measures what the harness costs for each statement of a SQL suite, inside the timer.
func BenchmarkSQLWrite(b *testing.B) {
	var steps []protocol.Step
	text := `[{"repeat": 1000000000, "as": "i", "steps": [{"write": "w", "draw": {"r": 1000}, "bind": ["i", "r", {"words": "r"}]}]}]`
	if err := json.Unmarshal([]byte(text), &steps); err != nil {
		b.Fatal(err)
	}
	steps[0].Repeat = new(protocol.Expression)
	*steps[0].Repeat = protocol.Number(int64(b.N))
	program, err := compile(&protocol.SQLSuite{}, steps)
	if err != nil {
		b.Fatal(err)
	}
	recorder := workload.NewRecorder(1, workload.NewLatencies())
	performer := newPerformer(testRun(), nothing{}, program, workload.NewSplitMix64(1), recorder)
	b.ReportAllocs()
	b.ResetTimer()
	recorder.Start()
	if err := performer.perform(); err != nil {
		b.Fatal(err)
	}
	recorder.Finish()
	b.ReportMetric(float64(recorder.WallNs())/float64(b.N), "timed-ns/op")
}
