package engine

import (
	"fmt"
	"sync"
	"time"

	"github.com/dbdyno/dbdyno/engines/go/kv"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// The orders of transactions in different lanes.
const (
	// concurrentOrder: at once, as far as the recording allows.
	concurrentOrder = "concurrent"
	// earlyOrder: one after the other, each that only reads as early as the recording allows.
	earlyOrder = "early"
	// lateOrder: one after the other, each that only reads as late as the recording allows.
	lateOrder = "late"
)

// gate lets a transaction begin when those that it has to follow have ended. Each waits only for some that ended before
// it in the recording, so there is always one that need not wait.
type gate struct {
	order string
	// isOpen reports whether there is only one lane, whose transactions are in their order anyway.
	isOpen  bool
	mutex   sync.Mutex
	changed sync.Cond
	// ended is the number of transactions that have ended: those that write, or all if they are done one after the
	// other.
	ended uint64
	// err is the first error of a lane. After it the others would wait in vain.
	err error
}

func newGate(order string, lanes int) (*gate, error) {
	switch order {
	case "":
		order = concurrentOrder
	case concurrentOrder, earlyOrder, lateOrder:
	default:
		return nil, fmt.Errorf("order `%s` of a replay: expected concurrent, early or late", order)
	}
	gate := &gate{order: order, isOpen: lanes == 1}
	gate.changed.L = &gate.mutex
	return gate, nil
}

// before returns how many transactions must have ended before one may begin.
func (gate *gate) before(place *replayPlace) uint64 {
	switch {
	case gate.order == earlyOrder:
		return place.early
	case gate.order == lateOrder:
		return place.late
	case place.turn > 0:
		// Those that had written before it have the turns before its own.
		return place.turn - 1
	}
	return place.after
}

// wait waits until a transaction may begin. It returns the first error of another lane.
func (gate *gate) wait(place *replayPlace) error {
	if gate.isOpen {
		return nil
	}
	gate.mutex.Lock()
	defer gate.mutex.Unlock()
	for before := gate.before(place); gate.err == nil && gate.ended < before; {
		gate.changed.Wait()
	}
	return gate.err
}

// longestSleep is the longest time for which a lane does not notice that another one failed.
const longestSleep = 50 * time.Millisecond

// waitUntil waits for a moment of the clock. It returns the first error of another lane.
func (gate *gate) waitUntil(moment int64) error {
	for now := workload.Now(); now < moment; now = workload.Now() {
		if err := gate.failure(); err != nil {
			return err
		}
		kv.WaitUntil(min(moment, now+int64(longestSleep)), time.Sleep)
	}
	return nil
}

// pass lets others follow a transaction that has ended.
func (gate *gate) pass(place *replayPlace) {
	if gate.isOpen || gate.order == concurrentOrder && place.turn == 0 {
		return
	}
	gate.mutex.Lock()
	gate.ended++
	gate.mutex.Unlock()
	gate.changed.Broadcast()
}

// fail stops the lanes that wait. It returns the first error of all lanes.
func (gate *gate) fail(err error) error {
	gate.mutex.Lock()
	defer gate.mutex.Unlock()
	if gate.err == nil {
		gate.err = err
	}
	gate.changed.Broadcast()
	return gate.err
}

func (gate *gate) failure() error {
	gate.mutex.Lock()
	defer gate.mutex.Unlock()
	return gate.err
}
