// Package lite drives the SQLite of github.com/bvinc/go-sqlite-lite, and of github.com/eatonphil/gosqlite, which is
// derived from it.
package lite

import "github.com/dbdyno/dbdyno/engines/go/driver"

// Statement has the methods that the statements of both drivers share.
type Statement interface {
	Bind(args ...any) error
	Step() (bool, error)
	StepToCompletion() error
	Reset() error
	ColumnCount() int
	ColumnType(column int) byte
	ColumnInt64(column int) (int64, bool, error)
	ColumnDouble(column int) (float64, bool, error)
	ColumnText(column int) (string, bool, error)
	ColumnBlob(column int) ([]byte, error)
	Close() error
}

// Connection has the methods that the connections of both drivers share.
type Connection[S any] interface {
	Exec(sql string, args ...any) error
	Prepare(sql string, args ...any) (S, error)
	Changes() int
	Close() error
}

// New returns a database for an open connection of a driver.
func New[S Statement](connection Connection[S]) driver.Conn { return &conn[S]{connection} }

type conn[S Statement] struct{ connection Connection[S] }

func (conn *conn[S]) Batch(sql string) error { return conn.connection.Exec(sql) }

func (conn *conn[S]) Prepare(sql string) (driver.Stmt, error) {
	statement, err := conn.connection.Prepare(sql)
	if err != nil {
		return nil, err
	}
	return &stmt[S]{connection: conn.connection, statement: statement}, nil
}

// Text returns a statement that is parsed each time, because these drivers cache nothing.
func (conn *conn[S]) Text(sql string) driver.Stmt {
	return &stmt[S]{connection: conn.connection, text: sql}
}

func (conn *conn[S]) Close() error { return conn.connection.Close() }

type stmt[S Statement] struct {
	connection Connection[S]
	statement  S
	// text is not empty if the statement is parsed each time.
	text string
	args []any
	row  row[S]
}

func (stmt *stmt[S]) Close() error {
	if stmt.text != "" {
		return nil
	}
	return stmt.statement.Close()
}

// begin returns the statement with its values bound.
func (stmt *stmt[S]) begin(values []driver.Value) (S, error) {
	if stmt.text != "" {
		return stmt.connection.Prepare(stmt.text, stmt.boxed(values)...)
	}
	return stmt.statement, stmt.statement.Bind(stmt.boxed(values)...)
}

// end prepares the statement for its next run.
func (stmt *stmt[S]) end(statement S) error {
	if stmt.text != "" {
		return statement.Close()
	}
	return statement.Reset()
}

func (stmt *stmt[S]) Exec(values []driver.Value) (int64, error) {
	statement, err := stmt.begin(values)
	if err != nil {
		return 0, err
	}
	if err := statement.StepToCompletion(); err != nil {
		return 0, stmt.abandoned(statement, err)
	}
	changes := stmt.connection.Changes()
	return int64(changes), stmt.end(statement)
}

func (stmt *stmt[S]) Query(values []driver.Value, _ []driver.Kind, visit func(driver.Row) bool) error {
	statement, err := stmt.begin(values)
	if err != nil {
		return err
	}
	row := &stmt.row
	row.statement, row.columns, row.err = statement, 0, nil
	for {
		more, err := statement.Step()
		if err != nil {
			return stmt.abandoned(statement, err)
		}
		if !more || !visit(row) {
			break
		}
	}
	if row.err != nil {
		return stmt.abandoned(statement, row.err)
	}
	return stmt.end(statement)
}

// abandoned ends a statement that failed, for example on the lock of another connection. Otherwise its next run
// would be a misuse of it. The error of ending it is dropped, because it is the same error again.
func (stmt *stmt[S]) abandoned(statement S, err error) error {
	_ = stmt.end(statement)
	return err
}

// boxed returns the values as the driver takes them, in reused memory.
func (stmt *stmt[S]) boxed(values []driver.Value) []any {
	stmt.args = driver.Boxed(stmt.args[:0], values)
	return stmt.args
}

type row[S Statement] struct {
	statement S
	// columns is the number of columns, which are counted when first requested; 0 means not yet.
	columns int
	// err is the first error of reading a column.
	err error
}

func (row *row[S]) Columns() int {
	if row.columns == 0 {
		row.columns = row.statement.ColumnCount()
	}
	return row.columns
}

// kinds is indexed by SQLite's own numbers.
var kinds = [...]driver.Kind{driver.Null, driver.Integer, driver.Real, driver.Text, driver.Blob, driver.Null}

func (row *row[S]) Kind(column int) driver.Kind { return kinds[row.statement.ColumnType(column)] }

func (row *row[S]) Int64(column int) int64 {
	number, _, err := row.statement.ColumnInt64(column)
	row.keep(err)
	return number
}

func (row *row[S]) Float(column int) float64 {
	number, _, err := row.statement.ColumnDouble(column)
	row.keep(err)
	return number
}

func (row *row[S]) Text(column int) string {
	text, _, err := row.statement.ColumnText(column)
	row.keep(err)
	return text
}

func (row *row[S]) Blob(column int) []byte {
	blob, err := row.statement.ColumnBlob(column)
	row.keep(err)
	return blob
}

func (row *row[S]) keep(err error) {
	if err != nil && row.err == nil {
		row.err = err
	}
}
