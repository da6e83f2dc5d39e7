// Dbdyno-engine-go-eaton is the engine for github.com/eatonphil/gosqlite.
package main

import (
	"github.com/dbdyno/dbdyno/engines/go/adapters/lite"
	"github.com/dbdyno/dbdyno/engines/go/driver"
	"github.com/dbdyno/dbdyno/engines/go/engine"
	"github.com/eatonphil/gosqlite"
)

func main() {
	engine.Main(engine.Driver{
		Name:    "go-eaton",
		Module:  "github.com/eatonphil/gosqlite",
		Licence: "blessing AND BSD-3-Clause",
		How:     "cgo",
		Open:    open,
	})
}

func open(path string) (driver.Conn, error) {
	connection, err := gosqlite.Open(path)
	if err != nil {
		return nil, err
	}
	return lite.New(connection), nil
}
