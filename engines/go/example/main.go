// The engine goexample is a store in Go that dbdyno measures. Build it as dbdyno-engine-NAME.
package main

import (
	"github.com/dbdyno/dbdyno/engines/go/example/store"
	"github.com/dbdyno/dbdyno/engines/go/kv"
)

func main() { kv.Main(store.Engine()) }
