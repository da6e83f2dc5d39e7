// Dbdyno-engine-go-modernc is the engine for modernc.org/sqlite.
package main

import (
	"github.com/dbdyno/dbdyno/engines/go/adapters/dbsql"
	"github.com/dbdyno/dbdyno/engines/go/engine"
	_ "modernc.org/sqlite"
)

func main() {
	engine.Main(engine.Driver{
		Name:    "go-modernc",
		Module:  "modernc.org/sqlite",
		Licence: "blessing AND BSD-3-Clause",
		How:     "SQLite translated to Go, through database/sql",
		Open:    dbsql.Opener("sqlite"),
	})
}
