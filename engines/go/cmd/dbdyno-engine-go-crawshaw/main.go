// Dbdyno-engine-go-crawshaw is the engine for crawshaw.io/sqlite.
package main

import (
	"crawshaw.io/sqlite"
	"github.com/dbdyno/dbdyno/engines/go/adapters/cached"
	"github.com/dbdyno/dbdyno/engines/go/driver"
	"github.com/dbdyno/dbdyno/engines/go/engine"
)

func main() {
	engine.Main(engine.Driver{
		Name:         "go-crawshaw",
		Module:       "crawshaw.io/sqlite",
		Licence:      "blessing AND ISC",
		How:          "cgo; keeps statements by their text",
		Caches:       true,
		BlobsAsTexts: true,
		Open:         open,
	})
}

// open passes all flags. Without any flags, the driver sets the journal mode by itself.
func open(path string) (driver.Conn, error) {
	connection, err := sqlite.OpenConn(path, sqlite.SQLITE_OPEN_READWRITE|sqlite.SQLITE_OPEN_CREATE|sqlite.SQLITE_OPEN_NOMUTEX)
	if err != nil {
		return nil, err
	}
	return cached.New[sqlite.ColumnType](conn{connection}), nil
}

// conn has the driver's statements as stmt.
type conn struct{ *sqlite.Conn }

func (conn conn) Prepare(sql string) (stmt, error) {
	statement, err := conn.Conn.Prepare(sql)
	return stmt{statement}, err
}

func (conn conn) PrepareTransient(sql string) (stmt, int, error) {
	statement, rest, err := conn.Conn.PrepareTransient(sql)
	return stmt{statement}, rest, err
}

type stmt struct{ *sqlite.Stmt }

// BindBytes binds no bytes as a text too. The driver itself would bind NULL.
func (stmt stmt) BindBytes(param int, value []byte) {
	if len(value) == 0 {
		stmt.BindText(param, "")
		return
	}
	stmt.Stmt.BindBytes(param, value)
}
