package workload

import (
	"os"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Thread divides the time of a measured thread by what the time went to. Only what lies in windows counts. A goroutine
// that is locked to its thread uses it. A nil Thread divides nothing.
type Thread struct {
	// Observer learns of the windows. It is nil unless somebody observes the thread.
	Observer Observer
	// begun has the times at the beginning; nil if they are unknown.
	begun *threadTimes
	// left is when the thread left the last window, or began.
	left moment
	// outside is the time outside of windows.
	outside moment
	// asleep is the time of pauses, and waited is that of waits outside of windows.
	asleep, waited uint64
}

// moment is a time by the clock and by the CPU time of a thread, in ns.
type moment struct{ wall, cpu uint64 }

func readMoment() moment { return moment{wall: uint64(Now()), cpu: threadCPUNs()} }

// Observer learns when a thread enters and leaves its windows.
type Observer interface {
	Enter()
	Leave()
}

// threadTimes are times of a thread so far, in ns.
type threadTimes struct {
	moment
	// user and kernel divide the CPU time as the ticks of the kernel's timer do: only their ratio is used.
	user, kernel uint64
	// queue is the time in which the thread was ready and waited for a CPU.
	queue uint64
}

// readThreadTimes reads the times of the calling thread. It returns nil if the kernel does not count them.
func readThreadTimes() *threadTimes {
	var usage unix.Rusage
	scheduled, err := os.ReadFile("/proc/thread-self/schedstat")
	fields := strings.Fields(string(scheduled))
	if err != nil || len(fields) < 2 || unix.Getrusage(unix.RUSAGE_THREAD, &usage) != nil {
		return nil
	}
	queue, err := strconv.ParseUint(fields[1], 10, 64)
	if err != nil {
		return nil
	}
	return &threadTimes{moment: readMoment(), user: uint64(usage.Utime.Nano()), kernel: uint64(usage.Stime.Nano()), queue: queue}
}

// threadCPUNs returns the CPU time of the calling thread, in ns. The call never blocks, so Go's scheduler need not know
// of it.
func threadCPUNs() uint64 {
	var spent unix.Timespec
	_, _, _ = unix.RawSyscall(unix.SYS_CLOCK_GETTIME, unix.CLOCK_THREAD_CPUTIME_ID, uintptr(unsafe.Pointer(&spent)), 0)
	return uint64(spent.Nano())
}

// ProcessCPUNs returns the CPU time of all threads of this process, in ns.
func ProcessCPUNs() uint64 {
	var spent unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &spent)
	return uint64(spent.Nano())
}

// Begin reads the times of the thread. It is outside of a window.
func (thread *Thread) Begin() {
	if thread == nil {
		return
	}
	thread.begun, thread.asleep, thread.waited = readThreadTimes(), 0, 0
}

// Restart enters the first window. Nothing of earlier ones counts.
func (thread *Thread) Restart() {
	if thread != nil && thread.begun != nil {
		thread.left, thread.outside = thread.begun.moment, moment{}
	}
	thread.Enter()
}

// Enter enters a window.
func (thread *Thread) Enter() {
	if thread == nil {
		return
	}
	if thread.begun != nil {
		entered := readMoment()
		thread.outside.wall += entered.wall - thread.left.wall
		thread.outside.cpu += entered.cpu - thread.left.cpu
	}
	if thread.Observer != nil {
		thread.Observer.Enter()
	}
}

// Leave leaves a window.
func (thread *Thread) Leave() {
	if thread == nil {
		return
	}
	if thread.Observer != nil {
		thread.Observer.Leave()
	}
	if thread.begun != nil {
		thread.left = readMoment()
	}
}

// Waited says that the thread waited for others outside of a window, for this many ns.
func (thread *Thread) Waited(ns uint64) {
	if thread != nil {
		thread.waited += ns
	}
}

// Sleep pauses the thread in a window.
func (thread *Thread) Sleep(pause time.Duration) {
	if thread == nil {
		time.Sleep(pause)
		return
	}
	if thread.Observer != nil {
		thread.Observer.Leave()
		defer thread.Observer.Enter()
	}
	begun := Now()
	time.Sleep(pause)
	thread.asleep += uint64(Now() - begun)
}

// End returns the parts of the time in windows, which was wallNs, after the last of them. The result is nil if they are
// unknown.
func (thread *Thread) End(wallNs uint64) *TimeParts {
	if thread == nil || thread.begun == nil {
		return nil
	}
	ended := readThreadTimes()
	if ended == nil {
		return nil
	}
	ended.moment = thread.left
	return thread.parts(ended, wallNs)
}

// parts returns the parts of the time in windows until a reading.
func (thread *Thread) parts(ended *threadTimes, wallNs uint64) *TimeParts {
	begun, outside := thread.begun, thread.outside
	cpu := min(since(since(ended.cpu, begun.cpu), outside.cpu), wallNs)
	// Outside of windows inputs are prepared and answers are checked, in user mode. Meanwhile the thread waits for
	// nothing but a CPU, unless it says so.
	user, kernel := since(since(ended.user, begun.user), outside.cpu), since(ended.kernel, begun.kernel)
	queue := since(since(ended.queue, begun.queue), since(since(outside.wall, outside.cpu), thread.waited))
	if both := user + kernel; both > 0 {
		kernel = uint64(float64(cpu) * (float64(kernel) / float64(both)))
	}
	kernel = min(kernel, cpu)
	parts := &TimeParts{User: cpu - kernel, Kernel: kernel}
	left := wallNs - cpu
	// After a pause a thread may have to wait for a CPU: no time counts twice.
	parts.Sleep = min(thread.asleep, left)
	left -= parts.Sleep
	parts.Queue = min(queue, left)
	parts.Rest = left - parts.Queue
	return parts
}

// since returns what was counted since an earlier reading, never below 0: two counts of the kernel may disagree.
func since(later, earlier uint64) uint64 { return later - min(earlier, later) }
