// Dbdyno-engine-go-mattn is the engine for github.com/mattn/go-sqlite3.
package main

import (
	"github.com/dbdyno/dbdyno/engines/go/adapters/dbsql"
	"github.com/dbdyno/dbdyno/engines/go/engine"
	_ "github.com/mattn/go-sqlite3"
)

func main() {
	engine.Main(engine.Driver{
		Name:    "go-mattn",
		Module:  "github.com/mattn/go-sqlite3",
		Licence: "blessing AND MIT",
		How:     "cgo, through database/sql",
		Open:    dbsql.Opener("sqlite3"),
	})
}
