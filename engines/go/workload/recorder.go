package workload

import (
	"math"
	"time"
)

// keptSamples is how many samples are kept until they are counted, while the timer is stopped.
const keptSamples = 256

// showAfter is the longest time that samples are kept, so that progress of slow operations is visible too.
const showAfter = 20 * time.Millisecond

var zero = time.Now()

// Now returns the time of the system's monotonic clock, in ns.
func Now() int64 { return int64(time.Since(zero)) }

// Recorder records the latencies of one thread and the time of its windows: the periods that count. In a window the
// end of one operation is the start of the next, so that all of its time is counted. If operations are fast, only a
// part of them is timed, so that reading the clock takes little of the time: see sampling.
type Recorder struct {
	every int64
	// left is the number of operations until the clock is next read.
	left     int64
	sampling sampling
	// window is when the window was opened, and last is when the current sample began in it. carried is the sample's
	// time in previous windows.
	window, last, carried int64
	// split is when the previous action ended, or when the window was opened.
	split         int64
	wall, between int64
	done          uint64
	samples       []int64
	counted       int64
	// held are the ends of the operations of the current attempt, and attempt is what split was before it.
	held    []int64
	attempt int64

	// latencies are the latencies that progress reports read.
	latencies *Latencies
	// thread is what the windows are told to; nil if their time is not to be divided.
	thread *Thread
	parts  *TimeParts
	// turns is nil if the test does not take turns with those of other workers.
	turns *Turns
}

// NewRecorder returns a recorder with this many operations in one sample, which it adds to latencies. Its timer is
// stopped.
func NewRecorder(every uint64, latencies *Latencies) *Recorder {
	count := int64(min(max(every, 1), math.MaxInt32))
	return &Recorder{
		every: count, left: count, sampling: newSampling(), samples: make([]int64, 0, keptSamples), latencies: latencies,
	}
}

// NewRecorderOfEach returns a recorder that times every operation. Its timer is stopped.
func NewRecorderOfEach(latencies *Latencies) *Recorder {
	recorder := NewRecorder(1, latencies)
	recorder.sampling = sampling{groups: 1}
	return recorder
}

// On makes the recorder divide the time of its windows. The thread has begun.
func (recorder *Recorder) On(thread *Thread) { recorder.thread = thread }

// TakeTurns makes the recorder take turns; nil means that it does not.
func (recorder *Recorder) TakeTurns(turns *Turns) { recorder.turns = turns }

// Waited says that the thread waited for others while the timer was stopped, for this many ns.
func (recorder *Recorder) Waited(ns uint64) { recorder.thread.Waited(ns) }

// Start starts the timer at zero.
func (recorder *Recorder) Start() {
	recorder.wall, recorder.carried = 0, 0
	recorder.thread.Restart()
	recorder.window = Now()
	recorder.last, recorder.counted, recorder.split = recorder.window, recorder.window, recorder.window
}

// Split ends one action, which may be a part of an operation. It returns the time since the previous action ended, or
// since the timer was stopped last, in ns.
func (recorder *Recorder) Split() uint64 {
	at := Now()
	took := at - recorder.split
	recorder.split = at
	return uint64(took)
}

// Lap ends one operation.
func (recorder *Recorder) Lap() {
	recorder.done++
	recorder.left--
	if recorder.left == 0 {
		recorder.look()
	}
}

// LapOfEach ends one operation of a recorder that times every operation. It returns the operation's latency, in ns.
func (recorder *Recorder) LapOfEach() uint64 {
	recorder.done++
	return uint64(recorder.look())
}

// look reads the clock, and returns the time of the sample that ends, in ns.
func (recorder *Recorder) look() int64 {
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
	if recorder.turns != nil {
		recorder.turn(at)
	}
	return took
}

// StandStill stops the timer while it runs work, which is part of no operation.
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
	recorder.thread.Leave()
}

func (recorder *Recorder) open(closed int64) {
	recorder.thread.Enter()
	recorder.window = Now()
	recorder.last, recorder.counted, recorder.split = recorder.window, recorder.window, recorder.window
	recorder.between += recorder.window - closed
}

// count moves the samples into the latencies.
func (recorder *Recorder) count() {
	recorder.latencies.add(recorder.samples, recorder.done)
	recorder.samples = recorder.samples[:0]
}

// Finish stops the timer. Operations of an unfinished sample count in the time, but not in the histogram.
func (recorder *Recorder) Finish() {
	recorder.close(Now())
	recorder.samples = append(recorder.samples, recorder.sampling.tried()...)
	recorder.count()
	recorder.parts = recorder.thread.End(recorder.WallNs())
}

// Spent returns the time of the operations and between them.
func (recorder *Recorder) Spent() Spent {
	return Spent{WallNs: recorder.WallNs(), BetweenNs: recorder.BetweenNs(), Parts: recorder.parts}
}

// WallNs returns the time in windows, in ns.
func (recorder *Recorder) WallNs() uint64 { return uint64(recorder.wall) }

// BetweenNs returns the time between windows, in ns, in which inputs are prepared and answers are checked.
func (recorder *Recorder) BetweenNs() uint64 { return uint64(recorder.between) }

// Operations returns the number of operations that were done.
func (recorder *Recorder) Operations() uint64 { return recorder.done }
