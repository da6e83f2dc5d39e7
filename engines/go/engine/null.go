package engine

import "github.com/dbdyno/dbdyno/engines/go/driver"

// nullName is the name under which the program of any driver does nothing, to measure the cost of this harness
// itself.
const nullName = "go-null"

// null is a driver that does nothing.
var null = Driver{Name: nullName, Open: func(string) (driver.Conn, error) { return &nullConn{}, nil }}

// defaults returns the options of a run that requests none.
func defaults() settings {
	found := settings{}
	for _, option := range options(null) {
		found[option.Name] = option.Default
	}
	return found
}

// nullConn answers like dbdyno's own engine that does nothing: each write changes one row, and each read returns
// one. A read without bound values returns as many rows as there were writes of a key and a value, but at least one,
// as a scan of them would.
type nullConn struct{ puts int }

func (conn *nullConn) Batch(string) error                  { return nil }
func (conn *nullConn) Prepare(string) (driver.Stmt, error) { return nullStmt{conn}, nil }
func (conn *nullConn) Text(string) driver.Stmt             { return nullStmt{conn} }
func (conn *nullConn) Close() error                        { return nil }

type nullStmt struct{ conn *nullConn }

func (stmt nullStmt) Exec(values []driver.Value) (int64, error) {
	if len(values) == 2 {
		stmt.conn.puts++
	}
	return 1, nil
}

func (stmt nullStmt) Query(values []driver.Value, _ []driver.Kind, visit func(driver.Row) bool) error {
	rows := 1
	if len(values) == 0 {
		rows = max(stmt.conn.puts, 1)
	}
	for range rows {
		if !visit(nullRow{}) {
			break
		}
	}
	return nil
}

func (nullStmt) Close() error { return nil }

// nullRow is a key and a value.
type nullRow struct{}

var nullValues = [][]byte{[]byte("key_00000000"), []byte("value_00000000_with_some_additional_data_to_make_it_realistic")}

func (nullRow) Columns() int           { return len(nullValues) }
func (nullRow) Kind(int) driver.Kind   { return driver.Blob }
func (nullRow) Int64(int) int64        { return 0 }
func (nullRow) Float(int) float64      { return 0 }
func (nullRow) Text(column int) string { return string(nullRow{}.Blob(column)) }
func (nullRow) Blob(column int) []byte { return nullValues[column%len(nullValues)] }
