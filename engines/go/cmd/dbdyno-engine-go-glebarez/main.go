// Dbdyno-engine-go-glebarez is the engine for github.com/glebarez/go-sqlite.
package main

import (
	"github.com/dbdyno/dbdyno/engines/go/adapters/dbsql"
	"github.com/dbdyno/dbdyno/engines/go/engine"
	_ "github.com/glebarez/go-sqlite"
)

func main() {
	engine.Main(engine.Driver{
		Name:    "go-glebarez",
		Module:  "github.com/glebarez/go-sqlite",
		Licence: "blessing AND BSD-3-Clause",
		How:     "SQLite translated to Go, through database/sql",
		Open:    dbsql.Opener("sqlite"),
	})
}
