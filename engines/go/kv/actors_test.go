package kv_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/dbdyno/dbdyno/engines/go/example/store"
	"github.com/dbdyno/dbdyno/engines/go/kv"
	"github.com/dbdyno/dbdyno/engines/go/protocol"
)

const load = `{"number": 1, "name": "Load", "measured": true, "database": "main", "records": 100, "key": "account_{key:8}", "operations": 100,
 "keys": "ascending", "work": [{"weight": 1, "op": "put", "value": "00000000000010000000000000000000"}], "transaction": {"batch": 100},
 "clock_every": 1, "verify_state": false, "sql": {}}`

// actors is a test of several threads that runs after load.
const actors = `{"number": 2, "name": "Actors", "measured": true, "database": "main", "records": 100, "key": "account_{key:8}",
 "verify_state": false, "sql": {}, "time_ms": %s, "warm_up_ms": %d, "followed": false, "actors": [%s]}`

func actor(name, rest, work string) string {
	return fmt.Sprintf(`{"name": "%s", "threads": 2, "keys": "uniform", "transaction": "each", "arrival": null, "operations": null, "during": null,
	 "work": [%s]%s}`, name, work, rest)
}

const (
	transfers = `{"weight": 1, "op": "transfer", "least": 1, "most": 10}`
	audits    = `{"weight": 1, "op": "audit"}`
	gets      = `{"weight": 1, "op": "get"}`
	holds     = `{"weight": 1, "op": "hold"}`
)

// done runs a job on an engine. It returns the start event and the result of the second test.
func done(t *testing.T, engine kv.Engine, second string) (protocol.TestStarted, *protocol.TestDone) {
	t.Helper()
	text := fmt.Sprintf(`{"protocol": 2, "engine": "goexample", "options": {"sync": "off"}, "seed": 7, "progress_ms": 50, "suite":
	 {"kind": "kv", "name": "accounts", "tests": [%s, %s]}}`, load, second)
	var job protocol.Job
	if err := json.Unmarshal([]byte(text), &job); err != nil {
		t.Fatal(err)
	}
	job.Folder = filepath.Join(t.TempDir(), "databases")
	var started protocol.TestStarted
	var result *protocol.TestDone
	err := kv.Do(engine, &job, func(event any) {
		switch event := event.(type) {
		case protocol.TestStarted:
			started = event
		case *protocol.TestDone:
			result = event
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return started, result
}

func TestActorsHaveRatesResponsesAndCounters(t *testing.T) {
	writers := actor("writers", `, "arrival": {"rate": 500, "gaps": "poisson"}`, transfers)
	second := fmt.Sprintf(actors, "400", 100, writers+", "+actor("auditors", "", audits)+", "+actor("holders", `, "during": {"from_ms": 100, "until_ms": 200}`, holds))
	started, result := done(t, store.Engine(), second)
	if started.TimeMs == nil || *started.TimeMs != 500 || len(started.Actors) != 3 || *started.Actors[0].Rate != 500 || started.Actors[1].Rate != nil {
		t.Errorf("%+v: expected 500 ms, and a rate of the first actor alone", started)
	}
	if result.Verification == nil || *result.Verification != "invariants:held" {
		t.Errorf("%v: expected what holds in any order to hold", result.Verification)
	}
	writing, auditing, holding := result.Actors[0], result.Actors[1], result.Actors[2]
	if writing.Response == nil || auditing.Response != nil {
		t.Fatalf("expected response times of the actor with a rate alone")
	}
	response, err := hdrhistogram.Decode([]byte(*writing.Response))
	if err != nil {
		t.Fatal(err)
	}
	service, err := hdrhistogram.Decode([]byte(writing.Histogram))
	if err != nil {
		t.Fatal(err)
	}
	if count := response.TotalCount(); count != int64(writing.Operations) || count != service.TotalCount() || response.Max() < service.Max() {
		t.Errorf("%d operations with %d response times: expected one each, none shorter than its service time", writing.Operations, count)
	}
	// 200 operations are due in 400 ms, give or take five standard deviations.
	if writing.Operations+writing.Counters["backlog"] < 130 || writing.Operations > 270 {
		t.Errorf("%d operations of 500 a second in 400 ms", writing.Operations)
	}
	for _, name := range []string{"failures", "busy", "retries", "longest_wait_ns", "fairness_ppm", "limit_ns"} {
		if _, told := writing.Counters[name]; !told {
			t.Errorf("%s is not told", name)
		}
	}
	if result.Counters["limit_ns"] != 400_000_000 || holding.Operations != 2 || holding.WallNs > 200_000_000 {
		t.Errorf("%+v: expected two snapshots, held for 100 of 400 ms", holding)
	}
}

func TestThreadsThatReadWhatNobodyChangesHaveOneChecksum(t *testing.T) {
	second := fmt.Sprintf(actors, "null", 0, actor("readers", `, "operations": 301`, gets))
	_, one := done(t, store.Engine(), second)
	_, other := done(t, store.Engine(), second)
	if one.Verification == nil || *one.Verification != *other.Verification || !strings.HasPrefix(*one.Verification, "3:") || one.Operations != 301 {
		t.Errorf("%v and %v of %d operations: expected the same checksum of 301", one.Verification, other.Verification, one.Operations)
	}
}

// changed is a session with a fault.
type changed struct {
	kv.Session
	begin func(kv.Transaction) error
	put   func(key, value []byte) error
}

func (changed changed) Begin(transaction kv.Transaction) error {
	if changed.begin != nil {
		if err := changed.begin(transaction); err != nil {
			return err
		}
	}
	return changed.Session.Begin(transaction)
}

func (changed changed) Put(key, value []byte) error {
	if changed.put != nil {
		if err := changed.put(key, value); err != nil {
			return nil
		}
	}
	return changed.Session.Put(key, value)
}

type changing struct {
	kv.Shared
	change func(kv.Session) kv.Session
}

func (changing changing) Thread(statements *protocol.KvStatements) (kv.Session, error) {
	session, err := changing.Shared.Thread(statements)
	return changing.change(session), err
}

func with(change func(kv.Session) kv.Session) kv.Engine {
	engine := store.Engine()
	open := engine.Open
	engine.Open = func(opening kv.Open) (kv.Database, error) {
		database, err := open(opening)
		if err != nil {
			return nil, err
		}
		return changing{database.(kv.Shared), change}, nil
	}
	return engine
}

func TestAWriteThatIsLostIsFound(t *testing.T) {
	var puts atomic.Uint64
	engine := with(func(session kv.Session) kv.Session {
		return changed{Session: session, put: func(key, value []byte) error {
			if puts.Add(1) == 11 {
				return fmt.Errorf("lost")
			}
			return nil
		}}
	})
	second := fmt.Sprintf(actors, "null", 0, actor("writers", `, "operations": 50`, transfers))
	_, result := done(t, engine, second)
	if result.Verification == nil || !strings.Contains(*result.Verification, "invariants:afterwards there are 100 accounts with") {
		t.Errorf("%v: expected another sum of the balances", *result.Verification)
	}
}

func TestWhoIsInTheWayIsWaitedFor(t *testing.T) {
	var begins atomic.Uint64
	engine := with(func(session kv.Session) kv.Session {
		return changed{Session: session, begin: func(kv.Transaction) error {
			if begins.Add(1)%3 == 0 {
				return fmt.Errorf("begin: %w", kv.ErrBusy)
			}
			return nil
		}}
	})
	second := fmt.Sprintf(actors, "null", 0, actor("writers", `, "operations": 60`, transfers))
	_, result := done(t, engine, second)
	of := result.Actors[0]
	if of.Operations != 60 || of.Counters["busy"] < 20 || of.Counters["retries"] != of.Counters["busy"] || of.Counters["failures"] != 0 {
		t.Errorf("%d operations, %v: expected 60, each busy one tried again", of.Operations, of.Counters)
	}
	if *result.Verification != "invariants:held" {
		t.Error(*result.Verification)
	}
}
