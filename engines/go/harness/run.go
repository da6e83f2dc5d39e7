// Package harness provides everything around the measured loop of every kind of suite: the run's folders, events and
// counters, and the opening and closing of databases.
package harness

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/dbdyno/dbdyno/engines/go/explain"
	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// Run is a running job.
type Run struct {
	Worker *protocol.Worker
	Job    *protocol.Job
	// MainFile is the name of a database's file. The other files in its folder are logs, journals and locks. If it
	// is empty, all files count as the database.
	MainFile string
	isOpened bool
	// floorRss is the resident memory before anything was opened, in bytes.
	floorRss uint64
}

// New returns a run whose engine has not opened anything yet.
func New(worker *protocol.Worker, job *protocol.Job, mainFile string) *Run {
	return &Run{Worker: worker, Job: job, MainFile: mainFile, floorRss: workload.RssBytes()}
}

// Folder returns the folder of a database.
func (run *Run) Folder(label string) string { return filepath.Join(run.Job.Folder, label) }

// Has reports whether the folder of a database exists.
func (run *Run) Has(label string) bool {
	_, err := os.Stat(run.Folder(label))
	return err == nil
}

// Make creates the folder of a database. It reports whether the folder was missing.
func (run *Run) Make(label string) (bool, error) {
	if run.Has(label) {
		return false, nil
	}
	return true, os.MkdirAll(run.Folder(label), 0o777)
}

// Opened reports that the first database is open. It does so once, whatever is opened later.
func (run *Run) Opened(phases *Phases, ask func() (protocol.Opened, error)) error {
	if run.isOpened {
		return nil
	}
	run.isOpened = true
	opened, err := ask()
	if err != nil {
		return err
	}
	if opened.InForce == nil {
		opened.InForce = map[string]string{}
	}
	opened.OpenNs, opened.Clock = phases.counters["open_ns"], "monotonic"
	run.Worker.Opened(opened)
	return nil
}

// Failing adds to an error the test in which it occurred.
func Failing(head *protocol.TestHead, err error) error {
	if err == nil {
		return nil
	}
	return &protocol.Failure{Test: head.Number, Err: err}
}

// Announce reports that a test begins. operations is nil if the number is not known in advance.
func (run *Run) Announce(head *protocol.TestHead, operations *uint64, every uint64) {
	run.Worker.TestStarted(protocol.TestStarted{
		Test: head.Number, Name: head.Name, Measured: head.Measured,
		Operations: operations, OperationsPerSample: max(every, 1),
	})
}

// AnnounceActors reports that a test of several threads begins. timeMs is the duration of the test including its
// warm-up, if the test ends by time.
func (run *Run) AnnounceActors(head *protocol.TestHead, operations, timeMs *uint64, actors []protocol.ActorHead) {
	run.Worker.TestStarted(protocol.TestStarted{
		Test: head.Number, Name: head.Name, Measured: head.Measured,
		Operations: operations, OperationsPerSample: 1, TimeMs: timeMs, Actors: actors,
	})
}

// Frame is everything around the measured loop of a test: its counters and its progress reports.
type Frame struct {
	run  *Run
	head *protocol.TestHead
	// isAlone reports whether the test has one thread.
	isAlone bool
	// explainer is nil unless the run is to explain the test.
	explainer *explain.Explainer
	// away is how long other workers had their turns, in ns. It is nil if the test has several threads.
	away *atomic.Int64
	// awayCPUNs is the CPU time of this process meanwhile.
	awayCPUNs      uint64
	before         protocol.Counters
	reporterBefore uint64
}

// BeginAlone starts the counters of a test of one thread. operations is nil if the number is not known in advance.
func (run *Run) BeginAlone(head *protocol.TestHead, operations *uint64, latencies *workload.Latencies) *Frame {
	begun, away := time.Now(), &atomic.Int64{}
	frame := run.Begin(head, func() protocol.Progress {
		done, histogram := workload.Fresh(latencies)
		return protocol.Progress{
			Test: head.Number, Operations: done, Total: operations,
			ElapsedNs: uint64(int64(time.Since(begun)) - away.Load()), Histogram: histogram,
		}
	})
	frame.isAlone, frame.away = true, away
	return frame
}

// takesTurns reports whether the test takes turns with those of other workers.
func (frame *Frame) takesTurns() bool {
	terms := frame.run.Job.Slices
	return terms != nil && frame.isAlone && frame.run.Worker.CanTakeTurns() && slices.Contains(terms.Tests, frame.head.Number)
}

// Turns returns the turns of the test; nil if it takes none.
func (frame *Frame) Turns() *workload.Turns {
	if !frame.takesTurns() {
		return nil
	}
	terms, worker, test := frame.run.Job.Slices, frame.run.Worker, frame.head.Number
	return workload.NewTurns(terms.Ns, func(operations, wallNs uint64) {
		begun, cpu := time.Now(), workload.ProcessCPUNs()
		worker.Turn(protocol.Turn{Test: test, Operations: operations, WallNs: wallNs})
		frame.away.Add(int64(time.Since(begun)))
		frame.awayCPUNs += workload.ProcessCPUNs() - cpu
	})
}

// Begin starts the counters of a test. It first collects the existing garbage, so that no test pays for another.
// Garbage that the engine leaves during the test counts for the engine.
func (run *Run) Begin(head *protocol.TestHead, progress func() protocol.Progress) *Frame {
	runtime.GC()
	run.Worker.BeginTest(progress)
	workload.ResetPeakRss()
	frame := &Frame{run: run, head: head, before: workload.ReadCounters(), reporterBefore: run.Worker.ReporterCPUNs()}
	if run.Job.Explain && head.Measured {
		frame.explainer = explain.Begin()
	}
	return frame
}

// Measured does the work of a measured thread in its goroutine. If the goroutine is locked to the thread, the kernel's
// figures of the thread are those of the work, and its time can be divided. The only thread of a test is locked in any
// case. Goroutines of several are locked only to explain a test: between locked ones, a switch takes tens of microseconds
// instead of less than one.
func (frame *Frame) Measured(work func(*workload.Thread) error) error {
	if !frame.isAlone && frame.explainer == nil {
		return work(nil)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	thread := &workload.Thread{}
	if frame.explainer != nil {
		thread.Observer = frame.explainer.Observe()
	}
	thread.Begin()
	return work(thread)
}

// End stops the counters. The answers are still to be filled in.
func (frame *Frame) End(spent workload.Spent) (*protocol.TestDone, error) {
	counters := workload.Since(workload.ReadCounters(), frame.before)
	frame.run.Worker.EndTest()
	// The progress reports and the preparation of inputs belong to the harness, not to the engine.
	if user, found := counters["user_ns"]; found {
		own := frame.run.Worker.ReporterCPUNs() - frame.reporterBefore + spent.BetweenNs
		counters["user_ns"] = user - min(own, user)
	}
	counters["floor_rss_bytes"] = frame.run.floorRss
	if frame.takesTurns() {
		counters["away_ns"], counters["away_cpu_ns"] = uint64(frame.away.Load()), frame.awayCPUNs
	}
	spent.Parts.AddTo(counters)
	done := &protocol.TestDone{
		Test: frame.head.Number, Measured: frame.head.Measured, WallNs: spent.WallNs, Counters: counters,
		PeakRssBytes: workload.PeakRssBytes(), OperationsPerSample: 1,
	}
	if frame.explainer != nil {
		done.Explained = frame.explainer.End(spent.Parts)
	}
	var err error
	done.DatabaseBytes, done.SideBytes, err = frame.run.DiskBytes(frame.head.Label())
	return done, err
}

// DiskBytes returns the size of a database on disk, and the part of it that logs, journals and locks take.
func (run *Run) DiskBytes(label string) (all, side uint64, err error) {
	all, side, err = workload.DiskBytes(run.Folder(label), run.MainFile)
	if err != nil {
		err = fmt.Errorf("measuring the database's size: %w", err)
	}
	return all, side, err
}

// Tell reports the result of a test.
func (run *Run) Tell(done *protocol.TestDone, phases *Phases) {
	phases.addTo(done.Counters)
	run.Worker.TestDone(done)
}
