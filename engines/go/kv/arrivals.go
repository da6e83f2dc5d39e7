package kv

import (
	"math"

	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// arrivals are the times at which the operations of one thread are due.
type arrivals struct {
	poisson bool
	// mean is the mean time between two arrivals, and next is when the next is due, in ns from the start.
	mean, next float64
	random     *workload.SplitMix64
}

// newArrivals returns the arrivals of a thread, numbered from 0, of threads that share a rate. Together they reach
// the rate. With even gaps they take turns.
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

// dueBefore returns how many of the remaining arrivals are due before a moment.
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
	// This is the inverse of the exponential distribution. The argument of the logarithm is above 0.
	return -math.Log(1-arrivals.random.Unit()) * arrivals.mean
}
