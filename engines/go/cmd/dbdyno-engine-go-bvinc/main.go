// Dbdyno-engine-go-bvinc is the engine for github.com/bvinc/go-sqlite-lite.
package main

import (
	"github.com/bvinc/go-sqlite-lite/sqlite3"
	"github.com/dbdyno/dbdyno/engines/go/adapters/lite"
	"github.com/dbdyno/dbdyno/engines/go/driver"
	"github.com/dbdyno/dbdyno/engines/go/engine"
)

func main() {
	engine.Main(engine.Driver{
		Name:    "go-bvinc",
		Module:  "github.com/bvinc/go-sqlite-lite",
		Licence: "blessing AND BSD-3-Clause",
		How:     "cgo",
		Open:    open,
	})
}

func open(path string) (driver.Conn, error) {
	connection, err := sqlite3.Open(path)
	if err != nil {
		return nil, err
	}
	return lite.New(connection), nil
}
