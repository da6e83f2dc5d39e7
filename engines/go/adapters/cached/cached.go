// Package cached drives the SQLite of drivers that cache statements by their text: crawshaw.io/sqlite, and
// zombiezen.com/go/sqlite, which is derived from it.
package cached

import "github.com/dbdyno/dbdyno/engines/go/driver"

// Statement has the methods that the statements of both drivers share.
type Statement[K ~int] interface {
	BindInt64(param int, value int64)
	BindFloat(param int, value float64)
	BindText(param int, value string)
	BindBytes(param int, value []byte)
	BindNull(param int)
	Step() (bool, error)
	Reset() error
	ColumnCount() int
	ColumnType(column int) K
	ColumnInt64(column int) int64
	ColumnFloat(column int) float64
	ColumnText(column int) string
	ColumnLen(column int) int
	ColumnBytes(column int, into []byte) int
	Finalize() error
}

// Connection has the methods that the connections of both drivers share.
type Connection[S any] interface {
	Prepare(sql string) (S, error)
	PrepareTransient(sql string) (S, int, error)
	Changes() int
	Close() error
}

// New returns a database for an open connection of a driver.
func New[K ~int, S Statement[K]](connection Connection[S]) driver.Conn {
	return &conn[K, S]{connection}
}

type conn[K ~int, S Statement[K]] struct{ connection Connection[S] }

func (conn *conn[K, S]) Batch(sql string) error {
	for len(sql) > 0 {
		statement, rest, err := conn.connection.PrepareTransient(sql)
		if err != nil {
			return err
		}
		for more := true; more && err == nil; {
			more, err = statement.Step()
		}
		if closing := statement.Finalize(); err == nil {
			err = closing
		}
		if err != nil {
			return err
		}
		sql = sql[len(sql)-rest:]
	}
	return nil
}

// Prepare returns a statement of its own, which is prepared once whatever the driver caches.
func (conn *conn[K, S]) Prepare(sql string) (driver.Stmt, error) {
	statement, _, err := conn.connection.PrepareTransient(sql)
	if err != nil {
		return nil, err
	}
	own := func() (S, error) { return statement, nil }
	return &stmt[K, S]{connection: conn.connection, get: own, close: statement.Finalize}, nil
}

// Text returns a statement that requests the driver's statement each time. The driver looks it up by its text.
func (conn *conn[K, S]) Text(sql string) driver.Stmt {
	kept := func() (S, error) { return conn.connection.Prepare(sql) }
	return &stmt[K, S]{connection: conn.connection, get: kept, close: func() error { return nil }}
}

func (conn *conn[K, S]) Close() error { return conn.connection.Close() }

type stmt[K ~int, S Statement[K]] struct {
	connection Connection[S]
	get        func() (S, error)
	close      func() error
	row        row[K, S]
}

func (stmt *stmt[K, S]) Close() error { return stmt.close() }

func (stmt *stmt[K, S]) bound(values []driver.Value) (S, error) {
	statement, err := stmt.get()
	if err != nil {
		return statement, err
	}
	for at := range values {
		value, param := &values[at], at+1
		switch value.Kind {
		case driver.Integer:
			statement.BindInt64(param, value.Bits)
		case driver.Real:
			statement.BindFloat(param, value.Float())
		case driver.Text:
			statement.BindText(param, value.Data)
		case driver.Blob:
			statement.BindBytes(param, value.Bytes())
		default:
			statement.BindNull(param)
		}
	}
	return statement, nil
}

func (stmt *stmt[K, S]) Exec(values []driver.Value) (int64, error) {
	statement, err := stmt.bound(values)
	for more := true; more && err == nil; {
		more, err = statement.Step()
	}
	if err != nil {
		return 0, err
	}
	changes := stmt.connection.Changes()
	return int64(changes), statement.Reset()
}

func (stmt *stmt[K, S]) Query(values []driver.Value, _ []driver.Kind, visit func(driver.Row) bool) error {
	statement, err := stmt.bound(values)
	if err != nil {
		return err
	}
	row := &stmt.row
	row.statement, row.columns = statement, 0
	for {
		more, err := statement.Step()
		if err != nil {
			return err
		}
		if !more || !visit(row) {
			return statement.Reset()
		}
	}
}

type row[K ~int, S Statement[K]] struct {
	statement S
	// columns is the number of columns, which are counted when first requested; 0 means not yet.
	columns int
}

func (row *row[K, S]) Columns() int {
	if row.columns == 0 {
		row.columns = row.statement.ColumnCount()
	}
	return row.columns
}

// kinds is indexed by SQLite's own numbers.
var kinds = [...]driver.Kind{driver.Null, driver.Integer, driver.Real, driver.Text, driver.Blob, driver.Null}

func (row *row[K, S]) Kind(column int) driver.Kind { return kinds[row.statement.ColumnType(column)] }

func (row *row[K, S]) Int64(column int) int64 { return row.statement.ColumnInt64(column) }

func (row *row[K, S]) Float(column int) float64 { return row.statement.ColumnFloat(column) }

func (row *row[K, S]) Text(column int) string { return row.statement.ColumnText(column) }

func (row *row[K, S]) Blob(column int) []byte {
	blob := make([]byte, row.statement.ColumnLen(column))
	return blob[:row.statement.ColumnBytes(column, blob)]
}
