package kv

import (
	"math"

	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// arrivals are the moments at which the operations of one thread are due.
type arrivals struct {
	poisson bool
	// mean time between two, and when the next is due, ns from the start.
	mean, next float64
	random     *workload.SplitMix64
}

// newArrivals are those of a thread, from 0, of so many that share a rate: together they have it, and even ones take
// turns.
func newArrivals(arrival *protocol.Arrival, thread, threads int, random *workload.SplitMix64) *arrivals {
	mean := float64(threads) * 1e9 / float64(arrival.Rate)
	arrivals := &arrivals{poisson: arrival.Gaps == "poisson", mean: mean, random: random}
	if arrivals.poisson {
		arrivals.next = arrivals.gap()
	} else {
		arrivals.next = mean * float64(thread) / float64(threads)
	}
	return arrivals
}

func (arrivals *arrivals) nextNs() int64 { return int64(arrivals.next) }
func (arrivals *arrivals) advance()      { arrivals.next += arrivals.gap() }

// dueBefore is how many are due before a moment, of those that are still to come.
func (arrivals *arrivals) dueBefore(ns int64) uint64 {
	late := float64(ns) - arrivals.next
	if late < 0 {
		return 0
	}
	return uint64(late/arrivals.mean) + 1
}

func (arrivals *arrivals) gap() float64 {
	if !arrivals.poisson {
		return arrivals.mean
	}
	// The inverse of the exponential distribution; the argument is above 0.
	return -math.Log(1-arrivals.random.Unit()) * arrivals.mean
}
