// Dbdyno-engine-go-zombiezen is the engine for zombiezen.com/go/sqlite.
package main

import (
	"github.com/dbdyno/dbdyno/engines/go/adapters/cached"
	"github.com/dbdyno/dbdyno/engines/go/driver"
	"github.com/dbdyno/dbdyno/engines/go/engine"
	"zombiezen.com/go/sqlite"
)

func main() {
	engine.Main(engine.Driver{
		Name:   "go-zombiezen",
		Module: "zombiezen.com/go/sqlite",
		// The driver calls the SQLite of modernc.org/sqlite, which has the licence BSD-3-Clause.
		Licence: "blessing AND BSD-3-Clause AND ISC",
		How:     "SQLite translated to Go; keeps statements by their text",
		Caches:  true,
		Open:    open,
	})
}

// open passes all flags. Without any flags, the driver sets the journal mode by itself.
func open(path string) (driver.Conn, error) {
	connection, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		return nil, err
	}
	return cached.New[sqlite.ColumnType](connection), nil
}
