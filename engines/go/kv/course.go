package kv

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/dbdyno/dbdyno/engines/go/protocol"
)

// phase is the phase of a test.
type phase uint32

const (
	warmUp phase = iota
	measured
	over
)

// look is the interval at which a waiting goroutine checks its condition.
const look = time.Millisecond

// course is the schedule of all threads of a test: they start together, work unmeasured for a while, are measured,
// and stop together.
type course struct {
	ready sync.WaitGroup
	start chan struct{}
	phase atomic.Uint32
	// awaited is the number of running threads whose end ends the test.
	awaited      atomic.Int64
	warmUp       time.Duration
	time         *time.Duration
	measuredFrom atomic.Int64
}

func newCourse(test *protocol.KvTest) *course {
	course := &course{start: make(chan struct{}), warmUp: time.Duration(test.WarmUpMs) * time.Millisecond}
	if course.warmUp == 0 {
		course.phase.Store(uint32(measured))
	}
	if test.TimeMs != nil {
		limit := time.Duration(*test.TimeMs) * time.Millisecond
		course.time = &limit
	}
	for _, actor := range acting(test) {
		course.ready.Add(actor.Threads)
		if actor.Operations != nil {
			course.awaited.Add(int64(actor.Threads))
		}
	}
	return course
}

// begin waits for the common start. Each thread calls it when it is ready, or if it will not become ready.
func (course *course) begin() {
	course.ready.Done()
	<-course.start
}

func (course *course) now() phase   { return phase(course.phase.Load()) }
func (course *course) end()         { course.phase.Store(uint32(over)) }
func (course *course) isOver() bool { return course.now() == over }

// measuredNs returns the time since measuring began, in ns.
func (course *course) measuredNs(now int64) uint64 {
	if from := course.measuredFrom.Load(); from > 0 {
		return uint64(max(now-from, 0))
	}
	return 0
}

// begunNs returns when measuring began for a thread that notices it now, by its clock. A thread that was blocked by
// others at that moment notices it late, and the time for which it was blocked counts.
func (course *course) begunNs(now int64) int64 {
	if from := course.measuredFrom.Load(); from > 0 {
		return min(now, from)
	}
	return now
}

// conduct starts the threads and ends each phase at its time. It returns when all threads have been asked to stop.
func (course *course) conduct(clock func() int64) {
	course.ready.Wait()
	close(course.start)
	if course.warmUp > 0 {
		course.wait(func(passed time.Duration) bool { return passed >= course.warmUp })
	}
	course.measuredFrom.Store(clock())
	// A thread that failed has already ended the test.
	course.phase.CompareAndSwap(uint32(warmUp), uint32(measured))
	if course.time != nil {
		course.wait(func(passed time.Duration) bool { return passed >= *course.time })
	} else {
		course.wait(func(time.Duration) bool { return course.awaited.Load() == 0 })
	}
	course.end()
}

// wait waits until isSo returns true or the test is over.
func (course *course) wait(isSo func(passed time.Duration) bool) {
	begun := time.Now()
	for !isSo(time.Since(begun)) && !course.isOver() {
		time.Sleep(look)
	}
}
