package workload

import (
	"sync/atomic"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Times are the times of one kind of action: their histogram and their exact sum. Only one goroutine may add
// to them; others may read their number and their sum meanwhile.
type Times struct {
	// histogram is nil until a time is added, because it is large and an action may never be done.
	histogram    *hdrhistogram.Histogram
	count, sumNs atomic.Uint64
}

// Add adds the time of one action, in ns.
func (times *Times) Add(ns uint64) {
	if times.histogram == nil {
		times.histogram = newHistogram()
	}
	// Values within the bounds are never refused.
	_ = times.histogram.RecordValue(int64(min(ns, HighestNs)))
	times.grow(1, ns)
}

// Merge adds all times of another thread.
func (times *Times) Merge(other *Times) {
	if other.histogram == nil {
		return
	}
	if times.histogram == nil {
		times.histogram = newHistogram()
	}
	times.histogram.Merge(other.histogram)
	times.grow(other.Count(), other.SumNs())
}

// grow needs no atomic addition, because only one goroutine writes.
func (times *Times) grow(count, ns uint64) {
	times.count.Store(times.Count() + count)
	times.sumNs.Store(times.SumNs() + ns)
}

// Clear removes all times.
func (times *Times) Clear() {
	times.histogram = nil
	times.count.Store(0)
	times.sumNs.Store(0)
}

// Count returns the number of times.
func (times *Times) Count() uint64 { return times.count.Load() }

// SumNs returns the sum of all times, in ns.
func (times *Times) SumNs() uint64 { return times.sumNs.Load() }

// Histogram returns the histogram of all times in the format of the protocol.
func (times *Times) Histogram() string {
	if times.histogram == nil {
		return EmptyHistogram()
	}
	return encode(times.histogram)
}
