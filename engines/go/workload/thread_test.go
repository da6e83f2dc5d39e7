package workload

import (
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/dbdyno/dbdyno/engines/go/protocol"
)

// divided returns the parts of some work between two pieces of work outside of windows.
func divided(t *testing.T, work func(*Thread)) TimeParts {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	thread, recorder := &Thread{}, NewRecorder(1, NewLatencies())
	thread.Begin()
	recorder.On(thread)
	calculate(20 * time.Millisecond)
	recorder.Start()
	work(thread)
	recorder.StandStill(func() { calculate(20 * time.Millisecond) })
	recorder.Finish()
	spent := recorder.Spent()
	if spent.Parts == nil {
		t.Fatal("the kernel does not count the time of threads")
	}
	parts := *spent.Parts
	if sum := parts.User + parts.Kernel + parts.Sleep + parts.Queue + parts.Rest; sum != spent.WallNs {
		t.Errorf("%+v are %d ns, expected %d ns", parts, sum, spent.WallNs)
	}
	return parts
}

// calculate takes this much CPU time.
func calculate(time time.Duration) {
	for until := threadCPUNs() + uint64(time); threadCPUNs() < until; {
	}
}

const piece60ms = 60 * time.Millisecond

func TestAThreadThatCalculatesIsOnACPU(t *testing.T) {
	parts := divided(t, func(*Thread) { calculate(piece60ms) })
	// What is done outside of windows does not count.
	if cpu := parts.User + parts.Kernel; cpu < uint64(piece60ms) || cpu > uint64(piece60ms+10*time.Millisecond) || parts.Sleep > 0 {
		t.Errorf("%+v: expected 60 ms on a CPU", parts)
	}
}

func TestAThreadThatPausesSleeps(t *testing.T) {
	parts := divided(t, func(thread *Thread) { thread.Sleep(piece60ms) })
	if parts.Sleep < uint64(piece60ms) || parts.User+parts.Kernel > uint64(piece60ms)/2 {
		t.Errorf("%+v: expected 60 ms asleep", parts)
	}
}

func TestAThreadThatWaitsForAnotherHasOtherWaiting(t *testing.T) {
	var mutex sync.Mutex
	mutex.Lock()
	parts := divided(t, func(*Thread) {
		time.AfterFunc(piece60ms, mutex.Unlock)
		mutex.Lock()
	})
	if parts.Rest < uint64(piece60ms)/2 || parts.Sleep > 0 {
		t.Errorf("%+v: expected 60 ms of other waiting", parts)
	}
}

func TestPartsThatOverlapAreNotMoreThanTheWhole(t *testing.T) {
	ended := &threadTimes{moment: moment{cpu: 40}, user: 30, kernel: 10, queue: 50}
	for _, of := range []struct {
		thread   Thread
		expected TimeParts
	}{
		{Thread{asleep: 40}, TimeParts{User: 30, Kernel: 10, Sleep: 40, Queue: 20}},
		// Preparing inputs took half of the CPU time.
		{Thread{outside: moment{wall: 20, cpu: 20}}, TimeParts{User: 10, Kernel: 10, Queue: 50, Rest: 30}},
		// Meanwhile the thread waited for a CPU too, and for others.
		{Thread{outside: moment{wall: 90, cpu: 20}, waited: 50}, TimeParts{User: 10, Kernel: 10, Queue: 30, Rest: 50}},
	} {
		of.thread.begun = &threadTimes{}
		if parts := of.thread.parts(ended, 100); *parts != of.expected {
			t.Errorf("%+v: expected %+v", *parts, of.expected)
		}
	}
}

func TestARecorderThatStartsAgainForgetsWhatItDivided(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	thread, recorder := &Thread{}, NewRecorder(1, NewLatencies())
	thread.Begin()
	recorder.On(thread)
	recorder.Start()
	calculate(20 * time.Millisecond)
	recorder.Start()
	recorder.Finish()
	if parts := recorder.Spent().Parts; parts == nil || parts.User+parts.Kernel > uint64(5*time.Millisecond) {
		t.Errorf("%+v: expected nothing of the time before", parts)
	}
}

func TestThePartsOfThreadsAreUnknownIfThoseOfOneAre(t *testing.T) {
	one := &TimeParts{User: 1, Kernel: 2, Sleep: 3, Queue: 4, Rest: 5}
	if sum := SumOfParts([]*TimeParts{one, one}); *sum != (TimeParts{User: 2, Kernel: 4, Sleep: 6, Queue: 8, Rest: 10}) {
		t.Errorf("%+v", sum)
	}
	counters := protocol.Counters{}
	SumOfParts([]*TimeParts{one, nil}).AddTo(counters)
	if len(counters) > 0 {
		t.Errorf("%v: expected no parts", counters)
	}
	one.AddTo(counters)
	if len(counters) != 6 || counters["part_rest_ns"] != 5 {
		t.Errorf("%v: expected all parts", counters)
	}
}
