package protocol

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Worker is a running worker: its output, its reports of progress, and the watch on its parent.
type Worker struct {
	mutex  sync.Mutex
	output *os.File
	// tell is told the events in place of the output; nil: they are written there.
	tell func(event any)
	// progress of the test under way.
	progress func() Progress
	// goOn gets a value for each line of stdin; nil: nobody waits.
	goOn          chan struct{}
	reporterCPUNs atomic.Uint64
	// ending is held by who ends the process. An engine whose files vanish under it fails: without this, the measuring
	// thread would end the process with that failure before the folder is removed.
	ending sync.Mutex
	// folder that goes when the process is told to stop; empty: none.
	folder string
}

// startWorker takes over stdin. own: the job's folder is the worker's, so that it may be removed.
func startWorker(output *os.File, stdin *bufio.Reader, job *Job, own bool) *Worker {
	worker := &Worker{output: output}
	if job.Wait {
		// A line for each wait; more than there are waits would be against the protocol.
		worker.goOn = make(chan struct{}, 1<<16)
	}
	if own && !job.KeepFolder {
		worker.folder = job.Folder
	}
	go worker.watchParent(stdin)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	go func() {
		<-signals
		worker.shutdown(func() {})
	}()
	if job.DeadlineMs != nil {
		deadline := time.Duration(*job.DeadlineMs) * time.Millisecond
		time.AfterFunc(deadline, func() {
			worker.shutdown(func() {
				worker.emit(failed{Event: "failed", Message: fmt.Sprintf("the run's deadline of %v has passed", deadline)})
			})
		})
	}
	go worker.report(time.Duration(max(job.ProgressMs, leastProgressMs)) * time.Millisecond)
	return worker
}

// watchParent passes on each line of stdin; its end means stop.
func (worker *Worker) watchParent(stdin *bufio.Reader) {
	for {
		letter, err := stdin.ReadByte()
		if err != nil {
			worker.shutdown(func() {})
		}
		if letter == '\n' && worker.goOn != nil {
			worker.goOn <- struct{}{}
		}
	}
}

// shutdown ends the process at once after some last words, leaving neither a database nor a process behind.
func (worker *Worker) shutdown(lastWords func()) {
	worker.ending.Lock()
	lastWords()
	if worker.folder != "" {
		// The measuring thread may still create files while they are removed.
		for range 20 {
			if os.RemoveAll(worker.folder) == nil {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
	// The group of a worker is its own; one that was started by hand is of its shell's.
	if unix.Getpgrp() == os.Getpid() {
		_ = unix.Kill(0, unix.SIGKILL)
	}
	os.Exit(1)
}

// report is a heartbeat with what was done since the last. Its thread is its own, so that its CPU time can be told
// from that of the engine.
func (worker *Worker) report(interval time.Duration) {
	runtime.LockOSThread()
	for {
		time.Sleep(interval)
		worker.mutex.Lock()
		if worker.progress != nil {
			worker.write(worker.progress())
		}
		worker.mutex.Unlock()
		var spent unix.Timespec
		if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &spent) == nil {
			worker.reporterCPUNs.Store(uint64(spent.Nano()))
		}
	}
}

// ReporterCPUNs is the CPU time that reports of progress took so far, ns.
func (worker *Worker) ReporterCPUNs() uint64 { return worker.reporterCPUNs.Load() }

func (worker *Worker) emit(event any) {
	worker.mutex.Lock()
	defer worker.mutex.Unlock()
	worker.write(event)
}

func (worker *Worker) write(event any) {
	if worker.tell != nil {
		worker.tell(event)
		return
	}
	line, err := json.Marshal(event)
	if err == nil {
		_, err = worker.output.Write(append(line, '\n'))
	}
	if err != nil {
		// Where nobody listens any more, the watch on stdin ends the process and cleans up.
		fmt.Fprintf(os.Stderr, "error: an event could not be told: %v\n", err)
	}
}

// Opened tells that the first database is open, and waits until the run may go on.
func (worker *Worker) Opened(opened Opened) {
	opened.Event = "opened"
	worker.emit(opened)
	worker.pause()
}

// TestStarted tells that a test begins.
func (worker *Worker) TestStarted(started TestStarted) {
	started.Event = "test_started"
	worker.emit(started)
}

// BeginTest starts reports of progress; another goroutine than the caller's asks for them.
func (worker *Worker) BeginTest(progress func() Progress) {
	worker.mutex.Lock()
	defer worker.mutex.Unlock()
	worker.progress = func() Progress {
		said := progress()
		said.Event = "progress"
		return said
	}
}

// EndTest ends reports of progress; none is told after it.
func (worker *Worker) EndTest() {
	worker.mutex.Lock()
	defer worker.mutex.Unlock()
	worker.progress = nil
}

// TestDone tells a result, and waits until the run may go on.
func (worker *Worker) TestDone(done *TestDone) {
	done.Event = "test_done"
	worker.emit(done)
	worker.pause()
}

// Done tells that the run is finished and the database closed.
func (worker *Worker) Done() {
	worker.emit(done{Event: "done"})
}

// Committed tells how many commits of the kill test a thread has made by now.
func (worker *Worker) Committed(thread int, commits uint64) {
	worker.emit(counted{Event: "committed", Thread: thread, Commits: commits})
}

// Recovered tells how many commits of a thread of the kill test are there without a gap.
func (worker *Worker) Recovered(thread int, commits uint64) {
	worker.emit(counted{Event: "recovered", Thread: thread, Commits: commits})
}

// fail says why the run failed; never, where the process is being ended, since that may be why.
func (worker *Worker) fail(err error) {
	worker.ending.Lock()
	worker.ending.Unlock()
	worker.EndTest()
	event := failed{Event: "failed", Message: err.Error(), DatabaseUsable: true}
	var failure *Failure
	if errors.As(err, &failure) {
		event.DatabaseUsable = !failure.Broken
		if failure.Test > 0 {
			event.Test = &failure.Test
		}
	}
	worker.emit(event)
}

// pause waits until dbdyno has stored what it was told last, if the job asks for that.
func (worker *Worker) pause() {
	if worker.goOn != nil {
		<-worker.goOn
	}
}
