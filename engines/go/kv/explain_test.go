package kv_test

import (
	"bytes"
	"fmt"
	"runtime/pprof"
	"strings"
	"testing"

	"github.com/dbdyno/dbdyno/engines/go/example/store"
	"github.com/dbdyno/dbdyno/engines/go/kv"
	"github.com/dbdyno/dbdyno/engines/go/protocol"
)

// observed is a database that looks at the goroutines when a transaction of a test begins.
type observed struct {
	kv.Shared
	look func()
}

func (observed observed) Session(statements *protocol.KvStatements) (kv.Session, error) {
	session, err := observed.Shared.Session(statements)
	return observed.looking(session), err
}

func (observed observed) Thread(statements *protocol.KvStatements) (kv.Session, error) {
	session, err := observed.Shared.Thread(statements)
	return observed.looking(session), err
}

func (observed observed) looking(session kv.Session) kv.Session {
	return changed{Session: session, begin: func(kv.Transaction) error {
		observed.look()
		return nil
	}}
}

// observing returns the example engine, and what the goroutines were when its transactions began.
func observing() (kv.Engine, *bytes.Buffer) {
	engine, goroutines := store.Engine(), new(bytes.Buffer)
	open := engine.Open
	engine.Open = func(opening kv.Open) (kv.Database, error) {
		database, err := open(opening)
		if err != nil {
			return nil, err
		}
		return observed{database.(kv.Shared), func() { _ = pprof.Lookup("goroutine").WriteTo(goroutines, 1) }}, nil
	}
	return engine, goroutines
}

func TestOnlyAnExplainingRunObservesItsThreads(t *testing.T) {
	const one = `{"name": "writers", "threads": 1, "keys": "uniform", "transaction": "each", "arrival": null, "operations": 20, "during": null,
	 "work": [{"weight": 1, "op": "put", "value": "v"}]}`
	several := fmt.Sprintf(strings.Replace(actors, `"number": 2`, `"number": 3`, 1), "null", 0, one)
	for _, explains := range []bool{true, false} {
		engine, goroutines := observing()
		job := exampleJob()
		job.Explain = explains
		unmeasured := strings.Replace(scan, `"measured": true`, `"measured": false`, 1)
		told, err := replayed(t, engine, job, nil, load, unmeasured, several)
		if err != nil {
			t.Fatal(err)
		}
		for _, sign := range []string{"explain.(*sampler).run", `"dbdyno":"measured"`} {
			if found := strings.Contains(goroutines.String(), sign); found != explains {
				t.Errorf("%s is among the goroutines: %v, expected %v", sign, found, explains)
			}
		}
		for at, result := range told.results {
			if is := result.Explained != nil; is != (explains && result.Measured) {
				t.Errorf("test %d is explained: %v", result.Test, is)
			}
			// Threads of several are locked only to be explained.
			if _, known := partsOf(t, result.Counters); known != (explains || at < 2) {
				t.Errorf("the parts of test %d are known: %v", result.Test, known)
			}
		}
		if sum, known := partsOf(t, told.results[2].Actors[0].Counters); known != explains || sum > told.results[2].WallNs {
			t.Errorf("the parts of an actor are %d ns of %d ns, known: %v", sum, told.results[2].WallNs, known)
		}
	}
}
