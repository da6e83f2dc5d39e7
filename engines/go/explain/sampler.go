package explain

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/pprof"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"golang.org/x/sys/unix"
)

const (
	// period is the mean time between two looks at the threads.
	period = time.Millisecond
	// fewestWaits is the number of waits from which their shares mean something.
	fewestWaits = 10
	// label and inWindow mark the goroutines of measured threads in their windows, in profiles.
	label, inWindow = "dbdyno", "measured"
)

// callKinds are the kinds of system calls that wait.
var callKinds = map[int64]string{
	unix.SYS_READ: "read", unix.SYS_PREAD64: "read", unix.SYS_READV: "read", unix.SYS_PREADV: "read", unix.SYS_PREADV2: "read",
	unix.SYS_WRITE: "write", unix.SYS_PWRITE64: "write", unix.SYS_WRITEV: "write", unix.SYS_PWRITEV: "write",
	unix.SYS_PWRITEV2: "write", unix.SYS_FTRUNCATE: "write", unix.SYS_FALLOCATE: "write",
	unix.SYS_FSYNC: "sync", unix.SYS_FDATASYNC: "sync", unix.SYS_MSYNC: "sync", unix.SYS_SYNC_FILE_RANGE: "sync",
	unix.SYS_NANOSLEEP: "sleep", unix.SYS_CLOCK_NANOSLEEP: "sleep",
	unix.SYS_FUTEX: "lock", unix.SYS_FLOCK: "lock", unix.SYS_FCNTL: "lock",
}

// other is the kind of waits that are not reported.
const other = "other"

// kindOf returns the kind of a wait by what the kernel says of a thread's system call. A thread that does not wait has
// none.
func kindOf(said []byte) string {
	first, _, _ := bytes.Cut(bytes.TrimSpace(said), []byte(" "))
	call, err := strconv.ParseInt(string(first), 10, 64)
	switch {
	case err != nil:
		// It is running, or waits for a CPU.
		return ""
	case call < 0:
		// It waits outside of system calls.
		return "fault"
	}
	if kind, known := callKinds[call]; known {
		return kind
	}
	return other
}

// waits are how often threads were seen waiting, by kind.
type waits map[string]uint64

// divide divides a time of waiting by how often each kind was seen.
func (waits waits) divide(ns uint64) map[string]protocol.SpentTime {
	var all uint64
	for _, seen := range waits {
		all += seen
	}
	spent := map[string]protocol.SpentTime{}
	if all < fewestWaits {
		return spent
	}
	for kind, seen := range waits {
		if kind != other {
			spent[kind] = protocol.SpentTime{WaitNs: uint64(float64(ns) * float64(seen) / float64(all))}
		}
	}
	return spent
}

// sampler looks at threads from a thread of its own, again and again.
type sampler struct {
	mutex   sync.Mutex
	watched []*watched
	isOver  atomic.Bool
	ended   sync.WaitGroup
	waits   waits
}

func startSampler() *sampler {
	sampler := &sampler{waits: waits{}}
	sampler.ended.Go(sampler.run)
	return sampler
}

func (sampler *sampler) run() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for !sampler.isOver.Load() {
		// Looks at equal distances could be in step with the work.
		pause := unix.NsecToTimespec(int64(period/2) + rand.Int64N(int64(period)))
		_ = unix.Nanosleep(&pause, nil)
		sampler.look()
	}
}

func (sampler *sampler) look() {
	sampler.mutex.Lock()
	defer sampler.mutex.Unlock()
	for _, watched := range sampler.watched {
		if kind := watched.look(); kind != "" {
			sampler.waits[kind]++
		}
	}
}

// end stops the sampler, and returns what it saw.
func (sampler *sampler) end() waits {
	sampler.isOver.Store(true)
	sampler.ended.Wait()
	for _, watched := range sampler.watched {
		_ = watched.call.Close()
	}
	return sampler.waits
}

// watch watches the calling thread.
func (sampler *sampler) watch() *watched {
	background := context.Background()
	made := &watched{inside: pprof.WithLabels(background, pprof.Labels(label, inWindow)), outside: background}
	call, err := os.Open(fmt.Sprintf("/proc/self/task/%d/syscall", unix.Gettid()))
	if err != nil {
		// The kernel does not tell in which system call a thread is.
		return made
	}
	made.call = call
	sampler.mutex.Lock()
	defer sampler.mutex.Unlock()
	sampler.watched = append(sampler.watched, made)
	return made
}

// watched is a thread that the sampler looks at while it is in a window.
type watched struct {
	// call is where the kernel says in which system call the thread is.
	call            *os.File
	inside, outside context.Context
	isInside        atomic.Bool
	// windows is the number of windows so far.
	windows atomic.Uint64
}

// Enter enters a window.
func (watched *watched) Enter() {
	pprof.SetGoroutineLabels(watched.inside)
	watched.windows.Add(1)
	watched.isInside.Store(true)
}

// Leave leaves the window.
func (watched *watched) Leave() {
	watched.isInside.Store(false)
	pprof.SetGoroutineLabels(watched.outside)
}

// look returns the kind of the wait in which the thread is, if it is in a window.
func (watched *watched) look() string {
	window := watched.windows.Load()
	if !watched.isInside.Load() {
		return ""
	}
	var said [128]byte
	read, err := watched.call.ReadAt(said[:], 0)
	if read == 0 && err != nil || !watched.isInside.Load() || watched.windows.Load() != window {
		// It may have left the window meanwhile.
		return ""
	}
	return kindOf(said[:read])
}
