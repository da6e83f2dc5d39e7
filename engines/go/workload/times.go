package workload

import "github.com/HdrHistogram/hdrhistogram-go"

// Times are the times of one kind of action: their histogram and their exact sum. Only one goroutine may use them.
type Times struct {
	// histogram is nil until a time is added, because it is large and an action may never be done.
	histogram    *hdrhistogram.Histogram
	count, sumNs uint64
}

// Add adds the time of one action, in ns.
func (times *Times) Add(ns uint64) {
	if times.histogram == nil {
		times.histogram = newHistogram()
	}
	// Values within the bounds are never refused.
	_ = times.histogram.RecordValue(int64(min(ns, HighestNs)))
	times.count++
	times.sumNs += ns
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
	times.count += other.count
	times.sumNs += other.sumNs
}

// Count returns the number of times.
func (times *Times) Count() uint64 { return times.count }

// SumNs returns the sum of all times, in ns.
func (times *Times) SumNs() uint64 { return times.sumNs }

// Histogram returns the histogram of all times in the format of the protocol.
func (times *Times) Histogram() string {
	if times.histogram == nil {
		return EmptyHistogram()
	}
	return encode(times.histogram)
}
