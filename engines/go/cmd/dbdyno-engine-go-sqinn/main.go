//go:build sqinn

// Dbdyno-engine-go-sqinn is the engine for github.com/cvilsmeier/sqinn-go/v2, a SQLite in a process of its own.
//
// Its module is not available everywhere, so go.mod does not list it: engines/go/build creates a go.mod that does.
package main

import (
	"errors"

	"github.com/cvilsmeier/sqinn-go/v2"
	"github.com/dbdyno/dbdyno/engines/go/driver"
	"github.com/dbdyno/dbdyno/engines/go/engine"
)

func main() {
	engine.Main(engine.Driver{
		Name:      "go-sqinn",
		Module:    "github.com/cvilsmeier/sqinn-go/v2",
		Licence:   "blessing AND MIT",
		How:       "SQLite in a process of its own",
		Elsewhere: true,
		Open:      open,
	})
}

func open(path string) (driver.Conn, error) {
	process, err := sqinn.Launch(sqinn.Options{Db: path})
	if err != nil {
		return nil, err
	}
	return &conn{process}, nil
}

type conn struct{ process *sqinn.Sqinn }

// NeedsKinds marks that each column is requested by its kind.
func (conn *conn) NeedsKinds() {}

func (conn *conn) Batch(sql string) error { return conn.process.ExecSql(sql) }

// Prepare prepares nothing, because each message has the text of its statement.
func (conn *conn) Prepare(sql string) (driver.Stmt, error) { return conn.Text(sql), nil }

func (conn *conn) Text(sql string) driver.Stmt { return &stmt{process: conn.process, sql: sql} }

func (conn *conn) Close() error { return conn.process.Close() }

type stmt struct {
	process *sqinn.Sqinn
	sql     string
	params  []sqinn.Value
	types   []byte
}

func (stmt *stmt) Close() error { return nil }

// changes is queried in a message of its own, because the answer to a write does not report it.
const changes = "SELECT changes()"

func (stmt *stmt) Exec(values []driver.Value) (int64, error) {
	stmt.bind(values)
	if err := stmt.process.ExecParams(stmt.sql, 1, len(stmt.params), stmt.params); err != nil {
		return 0, err
	}
	var changed int64
	err := stmt.process.Query(changes, nil, []byte{sqinn.ValInt64}, func(_ int, values []sqinn.Value) { changed = values[0].Int64 })
	return changed, err
}

// Query passes the rows to visit. Rows that are no longer wanted still arrive, and are ignored.
func (stmt *stmt) Query(values []driver.Value, kinds []driver.Kind, visit func(driver.Row) bool) error {
	if len(kinds) == 0 {
		return errors.New("go-sqinn needs the kinds of columns, and a read without objects does not give them")
	}
	stmt.bind(values)
	stmt.types = stmt.types[:0]
	for _, kind := range kinds {
		stmt.types = append(stmt.types, types[kind])
	}
	wanted, shown := true, row{kinds: kinds}
	return stmt.process.Query(stmt.sql, stmt.params, stmt.types, func(_ int, values []sqinn.Value) {
		if wanted {
			shown.values = values
			wanted = visit(&shown)
		}
	})
}

// types maps kinds to sqinn's numbers.
var types = [...]byte{sqinn.ValNull, sqinn.ValInt64, sqinn.ValDouble, sqinn.ValString, sqinn.ValBlob}

func (stmt *stmt) bind(values []driver.Value) {
	stmt.params = stmt.params[:0]
	for at := range values {
		value := &values[at]
		param := sqinn.Value{Type: types[value.Kind]}
		switch value.Kind {
		case driver.Integer:
			param.Int64 = value.Bits
		case driver.Real:
			param.Double = value.Float()
		case driver.Text:
			param.String = value.Data
		case driver.Blob:
			param.Blob = value.Bytes()
		}
		stmt.params = append(stmt.params, param)
	}
}

type row struct {
	kinds  []driver.Kind
	values []sqinn.Value
}

func (row *row) Columns() int { return len(row.values) }

func (row *row) Kind(column int) driver.Kind {
	if row.values[column].Type == sqinn.ValNull {
		return driver.Null
	}
	return row.kinds[column]
}

func (row *row) Int64(column int) int64 { return row.values[column].Int64 }

func (row *row) Float(column int) float64 { return row.values[column].Double }

func (row *row) Text(column int) string { return row.values[column].String }

func (row *row) Blob(column int) []byte { return row.values[column].Blob }
