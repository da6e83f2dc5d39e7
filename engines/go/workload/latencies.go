package workload

import (
	"sync"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// HighestNs is the longest latency that is distinguished: 1 hour. Longer ones count as this.
const HighestNs = 3_600_000_000_000

func newHistogram() *hdrhistogram.Histogram { return hdrhistogram.New(1, HighestNs, 3) }

// encode returns a histogram in the format of the protocol: V2, compressed, in base64.
func encode(histogram *hdrhistogram.Histogram) string {
	// The library adds the base64 encoding itself.
	text, err := histogram.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		return ""
	}
	return string(text)
}

// EmptyHistogram returns an empty histogram in the format of the protocol.
func EmptyHistogram() string { return encode(newHistogram()) }

// Latencies are the latencies of one thread. Only that thread adds to them; progress reports read them meanwhile.
type Latencies struct {
	mutex      sync.Mutex
	all, fresh *hdrhistogram.Histogram
	operations uint64
}

// NewLatencies returns empty Latencies.
func NewLatencies() *Latencies { return &Latencies{all: newHistogram(), fresh: newHistogram()} }

// Record adds the latency of one operation, in ns.
func (latencies *Latencies) Record(took int64) {
	latencies.mutex.Lock()
	defer latencies.mutex.Unlock()
	latencies.record(took)
	latencies.operations++
}

func (latencies *Latencies) record(took int64) {
	took = max(min(took, HighestNs), 0)
	// Values within the bounds are never refused.
	_ = latencies.all.RecordValue(took)
	_ = latencies.fresh.RecordValue(took)
}

// add adds samples. operations is the number of operations so far, timed or not.
func (latencies *Latencies) add(samples []int64, operations uint64) {
	latencies.mutex.Lock()
	defer latencies.mutex.Unlock()
	for _, took := range samples {
		latencies.record(took)
	}
	latencies.operations = operations
}

// Clear removes all latencies, for example at the end of a warm-up.
func (latencies *Latencies) Clear() {
	latencies.mutex.Lock()
	defer latencies.mutex.Unlock()
	latencies.all.Reset()
	latencies.fresh.Reset()
	latencies.operations = 0
}

func merged(all []*Latencies) *hdrhistogram.Histogram {
	sum := newHistogram()
	for _, latencies := range all {
		latencies.mutex.Lock()
		sum.Merge(latencies.all)
		latencies.mutex.Unlock()
	}
	return sum
}

// Histogram returns the histogram of all samples in the format of the protocol.
func Histogram(all ...*Latencies) string { return encode(merged(all)) }

// Longest returns the longest of all samples, in ns. It returns false if there are none.
func Longest(all ...*Latencies) (ns uint64, any bool) {
	sum := merged(all)
	return uint64(sum.Max()), sum.TotalCount() > 0
}

// Fresh returns the number of operations so far, and the samples since the last call; nil means none. Another
// goroutine may call it.
func Fresh(all ...*Latencies) (operations uint64, histogram *string) {
	sum := newHistogram()
	for _, latencies := range all {
		latencies.mutex.Lock()
		operations += latencies.operations
		if latencies.fresh.TotalCount() > 0 {
			sum.Merge(latencies.fresh)
			latencies.fresh.Reset()
		}
		latencies.mutex.Unlock()
	}
	if sum.TotalCount() == 0 {
		return operations, nil
	}
	text := encode(sum)
	return operations, &text
}
