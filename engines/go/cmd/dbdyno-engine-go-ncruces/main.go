// Dbdyno-engine-go-ncruces is the engine for github.com/ncruces/go-sqlite3.
package main

import (
	"github.com/dbdyno/dbdyno/engines/go/adapters/dbsql"
	"github.com/dbdyno/dbdyno/engines/go/engine"
	"github.com/ncruces/go-sqlite3"
	_ "github.com/ncruces/go-sqlite3/driver"
	_ "github.com/ncruces/go-sqlite3/embed"
	"github.com/tetratelabs/wazero"
)

func main() {
	engine.Main(engine.Driver{
		Name:    "go-ncruces",
		Module:  "github.com/ncruces/go-sqlite3",
		Licence: "blessing AND MIT",
		How:     "SQLite as WebAssembly, through database/sql",
		Open:    dbsql.Opener("sqlite3"),
		// Compiling the module takes seconds on a busy machine, and dbdyno waits five seconds for a description.
		BeforeExamining: func() { sqlite3.RuntimeConfig = wazero.NewRuntimeConfigInterpreter() },
	})
}
