package engine

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"
)

func gateOf(t *testing.T, order string, lanes int) *gate {
	t.Helper()
	gate, err := newGate(order, lanes)
	if err != nil {
		t.Fatal(err)
	}
	return gate
}

// passed starts transactions at the same time, and returns the order in which they were done.
func passed(t *testing.T, gate *gate, places map[string]replayPlace) []string {
	t.Helper()
	var done []string
	var threads sync.WaitGroup
	for name, place := range places {
		threads.Go(func() {
			if err := gate.wait(&place); err != nil {
				t.Error(err)
			}
			// No other transaction is under way here, so no lock is needed.
			done = append(done, name)
			gate.pass(&place)
		})
	}
	threads.Wait()
	return done
}

func TestWritersTakeTurnsAndReadersWaitForThoseBefore(t *testing.T) {
	for range 20 {
		done := passed(t, gateOf(t, "", 3), map[string]replayPlace{
			"second": {turn: 2}, "reader": {after: 2}, "first": {turn: 1},
		})
		if !slices.Equal(done, []string{"first", "second", "reader"}) {
			t.Errorf("%v: expected the order of the turns", done)
		}
	}
}

func TestTransactionsAreDoneOneAfterTheOther(t *testing.T) {
	places := map[string]replayPlace{
		"a": {turn: 1, early: 0, late: 0}, "b": {early: 1, late: 2}, "c": {turn: 2, early: 2, late: 1}, "d": {early: 3, late: 3},
	}
	for order, expected := range map[string][]string{"early": {"a", "b", "c", "d"}, "late": {"a", "c", "b", "d"}} {
		for range 20 {
			if done := passed(t, gateOf(t, order, 4), places); !slices.Equal(done, expected) {
				t.Errorf("%s: %v, expected %v", order, done, expected)
			}
		}
	}
	if err := gateOf(t, "early", 1).wait(&replayPlace{early: 7}); err != nil {
		t.Errorf("%v: expected that one lane never waits", err)
	}
	if _, err := newGate("sometimes", 1); err == nil {
		t.Error("an order that is not known was taken")
	}
}

func TestALaneThatFailsStopsThoseThatWait(t *testing.T) {
	gate := gateOf(t, "late", 3)
	first := errors.New("the first error")
	stopped := make(chan error)
	go func() { stopped <- gate.wait(&replayPlace{late: 1}) }()
	go func() { stopped <- gate.waitUntil(1 << 62) }()
	if err := gate.fail(first); err != first {
		t.Errorf("%v, expected %v", err, first)
	}
	for range 2 {
		select {
		case err := <-stopped:
			if err != first {
				t.Errorf("%v, expected %v", err, first)
			}
		case <-time.After(10 * time.Second):
			t.Fatal("a lane waits in vain")
		}
	}
	if err := gate.fail(errors.New("another one")); err != first {
		t.Errorf("%v, expected %v", err, first)
	}
}
