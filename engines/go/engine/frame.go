package engine

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"time"

	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// frame is what is around the measured loop of a test: its counters, and the reports of its progress.
type frame struct {
	run            *run
	head           *protocol.TestHead
	before         protocol.Counters
	reporterBefore uint64
}

// failing says in which test an error was.
func failing(head *protocol.TestHead, err error) error {
	if err == nil {
		return nil
	}
	return &protocol.Failure{Test: head.Number, Err: err}
}

// announce tells that a test begins. operations: nil where they are not known before.
func (run *run) announce(head *protocol.TestHead, operations *uint64, every uint64, actors []protocol.ActorHead) {
	run.worker.TestStarted(protocol.TestStarted{
		Test: head.Number, Name: head.Name, Measured: head.Measured,
		Operations: operations, OperationsPerSample: max(every, 1), Actors: actors,
	})
}

// beginAlone starts the counters of a test of one thread.
func (run *run) beginAlone(head *protocol.TestHead, operations uint64, recorder *workload.Recorder) *frame {
	begun := time.Now()
	return run.begin(head, func() protocol.Progress {
		done, histogram := workload.Fresh(recorder)
		return protocol.Progress{
			Test: head.Number, Operations: done, Total: &operations,
			ElapsedNs: uint64(time.Since(begun)), Histogram: histogram,
		}
	})
}

// begin starts the counters of a test. What was garbage before it is collected before, so that no test pays for
// another; what the driver leaves in the test is the driver's.
func (run *run) begin(head *protocol.TestHead, progress func() protocol.Progress) *frame {
	runtime.GC()
	run.worker.BeginTest(progress)
	workload.ResetPeakRss()
	return &frame{run: run, head: head, before: workload.ReadCounters(), reporterBefore: run.worker.ReporterCPUNs()}
}

// end stops the counters; answers are still to be filled in. betweenNs: time in which inputs were made ready.
func (frame *frame) end(wallNs, betweenNs uint64) (*protocol.TestDone, error) {
	counters := workload.Since(workload.ReadCounters(), frame.before)
	frame.run.worker.EndTest()
	// The reports of progress and the making of inputs are ours, and not the engine's.
	if user, found := counters["user_ns"]; found {
		own := frame.run.worker.ReporterCPUNs() - frame.reporterBefore + betweenNs
		counters["user_ns"] = user - min(own, user)
	}
	counters["floor_rss_bytes"] = frame.run.floorRss
	done := &protocol.TestDone{
		Test: frame.head.Number, Measured: frame.head.Measured, WallNs: wallNs, Counters: counters,
		PeakRssBytes: workload.PeakRssBytes(), OperationsPerSample: 1,
	}
	var err error
	done.DatabaseBytes, done.SideBytes, err = workload.DiskBytes(frame.run.folder(frame.head.Label()), mainFile)
	if err != nil {
		return nil, fmt.Errorf("measuring the database's size: %w", err)
	}
	return done, nil
}

// seen are the counters that are known of a SQLite in another process.
var seen = []string{"open_ns", "settle_ns", "close_ns", "resident_bytes", "start_bytes", "opened_resident_bytes"}

// tell tells what a test gave.
func (run *run) tell(done *protocol.TestDone, phases *phases) {
	phases.addTo(done.Counters)
	if run.driver.Elsewhere {
		// What this process used is not what SQLite used.
		maps.DeleteFunc(done.Counters, func(name string, _ uint64) bool { return !slices.Contains(seen, name) })
	}
	run.worker.TestDone(done)
}
