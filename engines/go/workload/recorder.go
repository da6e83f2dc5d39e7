package workload

import (
	"math"
	"time"
)

// keptSamples is how many samples wait until they are counted, with the timer standing still.
const keptSamples = 256

// showAfter is how long samples wait at most, so that progress can be seen of slow operations too.
const showAfter = 20 * time.Millisecond

var zero = time.Now()

// Now is the system's monotonic clock, ns.
func Now() int64 { return int64(time.Since(zero)) }

// Recorder records the latencies of one thread and the time of its windows: the stretches of time that count. In a
// window the end of one operation is the start of the next, so that there is no time in it that nobody counts. Of fast
// operations a part is timed, so that reading the clock takes little of the time: see sampling.
type Recorder struct {
	every int64
	// left are operations until the next look at the clock.
	left     int64
	sampling sampling
	// window is when the window was opened, last when the sample under way began in it; carried is the sample's time in
	// windows before.
	window, last, carried int64
	wall, between         int64
	done                  uint64
	samples               []int64
	counted               int64

	// latencies are what reports of progress see.
	latencies *Latencies
}

// NewRecorder is a recorder with so many operations in one sample, which it adds to latencies. Its timer stands still.
func NewRecorder(every uint64, latencies *Latencies) *Recorder {
	count := int64(min(max(every, 1), math.MaxInt32))
	return &Recorder{
		every: count, left: count, sampling: newSampling(), samples: make([]int64, 0, keptSamples), latencies: latencies,
	}
}

// Start starts the timer at nothing.
func (recorder *Recorder) Start() {
	recorder.wall, recorder.carried = 0, 0
	recorder.window = Now()
	recorder.last, recorder.counted = recorder.window, recorder.window
}

// Lap ends one operation.
func (recorder *Recorder) Lap() {
	recorder.done++
	recorder.left--
	if recorder.left == 0 {
		recorder.look()
	}
}

func (recorder *Recorder) look() {
	at := Now()
	took := at - recorder.last + recorder.carried
	recorder.last, recorder.carried = at, 0
	decides := false
	if recorder.sampling.tries() {
		decides = recorder.sampling.try(took)
	} else if recorder.sampling.isTimed() {
		recorder.samples = append(recorder.samples, took)
	}
	if decides || len(recorder.samples) == keptSamples || at-recorder.counted > int64(showAfter) {
		recorder.close(at)
		if decides {
			recorder.samples = recorder.sampling.decide(recorder.samples)
		}
		recorder.count()
		recorder.open(at)
	}
	recorder.left = recorder.sampling.next() * recorder.every
}

// StandStill has the timer stand still while something is done that is no part of any operation.
func (recorder *Recorder) StandStill(work func()) {
	closed := Now()
	recorder.close(closed)
	recorder.count()
	work()
	recorder.open(closed)
}

func (recorder *Recorder) close(at int64) {
	recorder.wall += at - recorder.window
	recorder.carried += at - recorder.last
}

func (recorder *Recorder) open(closed int64) {
	recorder.window = Now()
	recorder.last, recorder.counted = recorder.window, recorder.window
	recorder.between += recorder.window - closed
}

// count moves the samples into the latencies.
func (recorder *Recorder) count() {
	recorder.latencies.add(recorder.samples, recorder.done)
	recorder.samples = recorder.samples[:0]
}

// Finish stops the timer. Operations of an unfinished sample count in the time, and not in the histogram.
func (recorder *Recorder) Finish() {
	recorder.close(Now())
	recorder.samples = append(recorder.samples, recorder.sampling.tried()...)
	recorder.count()
}

// WallNs is the time in windows, ns.
func (recorder *Recorder) WallNs() uint64 { return uint64(recorder.wall) }

// BetweenNs is the time between windows, ns: of getting inputs ready, and of looking at answers.
func (recorder *Recorder) BetweenNs() uint64 { return uint64(recorder.between) }

// Operations that were done.
func (recorder *Recorder) Operations() uint64 { return recorder.done }
