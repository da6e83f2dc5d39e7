// Package dbsql drives a SQLite through database/sql. A database is one pinned *sql.Conn of one *sql.DB.
package dbsql

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"regexp"

	"github.com/dbdyno/dbdyno/engines/go/driver"
)

// background never ends, so that database/sql starts no goroutine to wait for its end.
var background = context.Background()

// Opener returns a function that opens databases with the driver registered under a name.
func Opener(name string) func(path string) (driver.Conn, error) {
	return func(path string) (driver.Conn, error) {
		address := path
		if path != driver.InMemory {
			address = (&url.URL{Scheme: "file", Path: path}).String()
		}
		db, err := sql.Open(name, address)
		if err != nil {
			return nil, err
		}
		db.SetMaxOpenConns(1)
		pinned, err := db.Conn(background)
		if err != nil {
			_ = db.Close()
			return nil, err
		}
		return &conn{db: db, pinned: pinned}, nil
	}
}

type conn struct {
	db     *sql.DB
	pinned *sql.Conn
}

// Batch uses a query for a statement that answers with rows. Some drivers run only one step of such a statement if
// it is executed instead.
func (conn *conn) Batch(text string) error {
	if !answers.MatchString(text) {
		_, err := conn.pinned.ExecContext(background, text)
		return err
	}
	rows, err := conn.pinned.QueryContext(background, text)
	if err != nil {
		return err
	}
	for rows.Next() {
	}
	if err := rows.Err(); err != nil {
		_ = rows.Close()
		return err
	}
	return rows.Close()
}

// answers matches statements that may answer with rows.
var answers = regexp.MustCompile(`(?i)^\s*(pragma|select|with|values|explain)\b`)

func (conn *conn) Prepare(text string) (driver.Stmt, error) {
	prepared, err := conn.pinned.PrepareContext(background, text)
	if err != nil {
		return nil, err
	}
	return &stmt{exec: prepared.ExecContext, query: prepared.QueryContext, close: prepared.Close}, nil
}

func (conn *conn) Text(text string) driver.Stmt {
	return &stmt{
		exec: func(context context.Context, args ...any) (sql.Result, error) {
			return conn.pinned.ExecContext(context, text, args...)
		},
		query: func(context context.Context, args ...any) (*sql.Rows, error) {
			return conn.pinned.QueryContext(context, text, args...)
		},
		close: func() error { return nil },
	}
}

func (conn *conn) Close() error {
	err := conn.pinned.Close()
	if closing := conn.db.Close(); err == nil {
		err = closing
	}
	return err
}

// stmt is a statement with the functions that run it and the memory that each run reuses.
type stmt struct {
	exec  func(context.Context, ...any) (sql.Result, error)
	query func(context.Context, ...any) (*sql.Rows, error)
	close func() error
	args  []any
	row   row
}

func (stmt *stmt) Close() error { return stmt.close() }

func (stmt *stmt) Exec(values []driver.Value) (int64, error) {
	result, err := stmt.exec(background, stmt.boxed(values)...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

func (stmt *stmt) Query(values []driver.Value, kinds []driver.Kind, visit func(driver.Row) bool) error {
	rows, err := stmt.query(background, stmt.boxed(values)...)
	if err != nil {
		return err
	}
	row := &stmt.row
	if err := row.prepare(rows, kinds); err != nil {
		_ = rows.Close()
		return err
	}
	for first := true; rows.Next(); first = false {
		if err := row.scan(rows, first); err != nil {
			_ = rows.Close()
			return err
		}
		if !visit(row) {
			break
		}
	}
	if err := rows.Err(); err != nil {
		_ = rows.Close()
		return err
	}
	return rows.Close()
}

// boxed returns the values as the driver takes them, in reused memory.
func (stmt *stmt) boxed(values []driver.Value) []any {
	stmt.args = driver.Boxed(stmt.args[:0], values)
	return stmt.args
}

// row is the target that rows are scanned to: variables of the expected kinds, as an application has them, or
// whatever the driver returns.
type row struct {
	typed   []any
	numbers []int64
	reals   []float64
	texts   []string
	kinds   []driver.Kind

	found   []any
	targets []any
	// isFound reports whether the current row is in found.
	isFound bool
}

func (row *row) prepare(rows *sql.Rows, kinds []driver.Kind) error {
	if len(row.found) == 0 || len(kinds) != len(row.typed) {
		count, err := row.count(rows)
		if err != nil {
			return err
		}
		row.numbers, row.reals, row.texts = make([]int64, count), make([]float64, count), make([]string, count)
		row.typed = nil
		if len(kinds) == count {
			row.typed = row.variables(kinds)
		}
		row.kinds = kinds
	}
	return nil
}

// count counts the columns, and makes a target for each.
func (row *row) count(rows *sql.Rows) (int, error) {
	names, err := rows.Columns()
	row.found, row.targets = make([]any, len(names)), make([]any, len(names))
	for at := range row.found {
		row.targets[at] = &row.found[at]
	}
	return len(names), err
}

func (row *row) variables(kinds []driver.Kind) []any {
	typed := make([]any, len(kinds))
	for at, kind := range kinds {
		switch kind {
		case driver.Integer:
			typed[at] = &row.numbers[at]
		case driver.Real:
			typed[at] = &row.reals[at]
		default:
			typed[at] = &row.texts[at]
		}
	}
	return typed
}

// scan scans a row. It scans the first row of an answer as it is, so that its kinds can be checked.
func (row *row) scan(rows *sql.Rows, first bool) error {
	row.isFound = row.typed == nil || first
	if !row.isFound && rows.Scan(row.typed...) == nil {
		return nil
	}
	// NULL fits into no variable of a plain type, so such a row is scanned again as it is.
	row.isFound = true
	if err := rows.Scan(row.targets...); err != nil {
		// When the statement was run before, a table may have had other columns.
		before := len(row.found)
		if count, counting := row.count(rows); counting != nil || count == before {
			return err
		}
		if err := rows.Scan(row.targets...); err != nil {
			return err
		}
	}
	for at, value := range row.found {
		switch value.(type) {
		case nil, int64, float64, string, []byte:
		default:
			return fmt.Errorf("column %d: the driver returned a %T: expected a value as SQLite stores it", at+1, value)
		}
	}
	return nil
}

func (row *row) Columns() int { return len(row.found) }

func (row *row) Kind(column int) driver.Kind {
	if !row.isFound {
		return row.kinds[column]
	}
	switch row.found[column].(type) {
	case int64:
		return driver.Integer
	case float64:
		return driver.Real
	case string:
		return driver.Text
	case []byte:
		return driver.Blob
	}
	return driver.Null
}

func (row *row) Int64(column int) int64 {
	if !row.isFound {
		return row.numbers[column]
	}
	number, _ := row.found[column].(int64)
	return number
}

func (row *row) Float(column int) float64 {
	if !row.isFound {
		return row.reals[column]
	}
	number, _ := row.found[column].(float64)
	return number
}

func (row *row) Text(column int) string {
	if !row.isFound {
		return row.texts[column]
	}
	text, _ := row.found[column].(string)
	return text
}

func (row *row) Blob(column int) []byte {
	switch found := row.found[column].(type) {
	case []byte:
		return found
	case string:
		return []byte(found)
	}
	return nil
}
