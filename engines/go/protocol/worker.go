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

// Worker is a running worker: its output, its progress reports, and the watch on its parent process.
type Worker struct {
	mutex  sync.Mutex
	output *os.File
	// tell receives the events instead of the output. If it is nil, events are written to the output.
	tell func(event any)
	// progress returns the progress of the current test. It is nil if no test is running.
	progress func() Progress
	// isAway says that other workers have their turns. Meanwhile there is no progress, and nobody reads events.
	isAway bool
	// goOn receives a value for each line of stdin. It is nil if the job has no waits.
	goOn          chan struct{}
	reporterCPUNs atomic.Uint64
	// ending is held by the goroutine that ends the process. An engine whose files disappear while it runs fails.
	// Without this lock, the measuring thread would end the process with that failure before the folder is removed.
	ending sync.Mutex
	// folder is removed when the process is asked to stop. If it is empty, nothing is removed.
	folder string
}

// startWorker starts a worker, which takes over stdin. own reports whether the job's folder belongs to the worker,
// so that the worker may remove it.
func startWorker(output *os.File, stdin *bufio.Reader, job *Job, own bool) *Worker {
	worker := &Worker{output: output}
	if job.Wait {
		// The channel has room for one line for each wait. More lines than waits would violate the protocol.
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

// watchParent forwards each line of stdin to goOn. The end of stdin stops the worker.
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

// shutdown runs lastWords and ends the process at once, leaving neither a database nor a process behind.
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
	// A worker has a process group of its own. A worker that was started by hand is in the group of its shell.
	if unix.Getpgrp() == os.Getpid() {
		_ = unix.Kill(0, unix.SIGKILL)
	}
	os.Exit(1)
}

// report sends a heartbeat at each interval, with the progress since the previous one. It has a thread of its own,
// so that its CPU time can be separated from that of the engine.
func (worker *Worker) report(interval time.Duration) {
	runtime.LockOSThread()
	for {
		time.Sleep(interval)
		worker.mutex.Lock()
		if worker.progress != nil && !worker.isAway {
			worker.write(worker.progress())
		}
		worker.mutex.Unlock()
		var spent unix.Timespec
		if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &spent) == nil {
			worker.reporterCPUNs.Store(uint64(spent.Nano()))
		}
	}
}

// ReporterCPUNs returns the CPU time that progress reports have taken so far, in ns.
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
		// If no process reads the output any more, the watch on stdin ends the process and cleans up.
		fmt.Fprintf(os.Stderr, "error: cannot write an event: %v\n", err)
	}
}

// Opened reports that the first database is open, and waits until the run may continue.
func (worker *Worker) Opened(opened Opened) {
	opened.Event = "opened"
	worker.emit(opened)
	worker.pause()
}

// TestStarted reports that a test begins.
func (worker *Worker) TestStarted(started TestStarted) {
	started.Event = "test_started"
	worker.emit(started)
}

// BeginTest starts the progress reports of a test. A goroutine other than the caller's calls progress.
func (worker *Worker) BeginTest(progress func() Progress) {
	worker.mutex.Lock()
	defer worker.mutex.Unlock()
	worker.progress = func() Progress {
		said := progress()
		said.Event = "progress"
		return said
	}
}

// EndTest stops the progress reports. No progress is reported after it returns.
func (worker *Worker) EndTest() {
	worker.mutex.Lock()
	defer worker.mutex.Unlock()
	worker.progress = nil
}

// TestDone reports the result of a test, and waits until the run may continue.
func (worker *Worker) TestDone(done *TestDone) {
	done.Event = "test_done"
	worker.emit(done)
	worker.pause()
}

// CanTakeTurns reports whether the worker can wait for its turn in a test. It can if the job asks for waits.
func (worker *Worker) CanTakeTurns() bool { return worker.goOn != nil }

// Turn reports that a slice of a test is over, and waits until the next one may begin.
func (worker *Worker) Turn(turn Turn) {
	turn.Event = "turn"
	worker.mutex.Lock()
	worker.isAway = true
	worker.write(turn)
	worker.mutex.Unlock()
	worker.pause()
	worker.mutex.Lock()
	worker.isAway = false
	worker.mutex.Unlock()
}

// Done reports that the run is finished and the database is closed.
func (worker *Worker) Done() {
	worker.emit(done{Event: "done"})
}

// Committed reports how many commits of the kill test a thread has made so far.
func (worker *Worker) Committed(thread int, commits uint64) {
	worker.emit(counted{Event: "committed", Thread: thread, Commits: commits})
}

// Recovered reports how many commits of a thread of the kill test are present without a gap.
func (worker *Worker) Recovered(thread int, commits uint64) {
	worker.emit(counted{Event: "recovered", Thread: thread, Commits: commits})
}

// fail reports why the run failed. It blocks forever if the process is already being ended, because that may be the
// cause of the failure.
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

// pause waits until dbdyno has stored the last event, if the job asks for that.
func (worker *Worker) pause() {
	if worker.goOn != nil {
		<-worker.goOn
	}
}
