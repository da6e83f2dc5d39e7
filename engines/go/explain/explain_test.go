package explain

import (
	"fmt"
	"maps"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"github.com/dbdyno/dbdyno/engines/go/workload"
	"golang.org/x/sys/unix"
)

const piece = 150 * time.Millisecond

// explained explains some work of this thread, which does something else outside of windows.
func explained(t *testing.T, work, outside func()) (*protocol.ExplainedTest, *workload.TimeParts) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	explainer := Begin()
	thread, recorder := &workload.Thread{Observer: explainer.Observe()}, workload.NewRecorder(1, workload.NewLatencies())
	thread.Begin()
	recorder.On(thread)
	recorder.Start()
	work()
	recorder.StandStill(outside)
	recorder.Finish()
	parts := recorder.Spent().Parts
	if parts == nil {
		t.Fatal("the kernel does not count the time of threads")
	}
	return explainer.End(parts), parts
}

// busy and idle take some CPU time.
//
//go:noinline
func busy() { calculate() }

//go:noinline
func idle() { calculate() }

func calculate() {
	var usage unix.Rusage
	sum := 0
	for begun := int64(-1); begun < 0 || usage.Utime.Nano()+usage.Stime.Nano()-begun < int64(piece); {
		for number := range 10_000 {
			sum ^= number
		}
		_ = unix.Getrusage(unix.RUSAGE_THREAD, &usage)
		if begun < 0 {
			begun = usage.Utime.Nano() + usage.Stime.Nano()
		}
	}
	runtime.KeepAlive(sum)
}

func TestWaitsAreDividedByTheirKinds(t *testing.T) {
	var mutex sync.Mutex
	var pipe [2]int
	if err := unix.Pipe(pipe[:]); err != nil {
		t.Fatal(err)
	}
	defer unix.Close(pipe[0])
	defer unix.Close(pipe[1])
	for kind, wait := range map[string]func(){
		"sleep": func() {
			pause := unix.NsecToTimespec(int64(piece))
			for unix.Nanosleep(&pause, &pause) == unix.EINTR {
			}
		},
		"lock": func() {
			mutex.Lock()
			time.AfterFunc(piece, mutex.Unlock)
			mutex.Lock()
		},
		"read": func() {
			time.AfterFunc(piece, func() { _, _ = unix.Write(pipe[1], []byte("x")) })
			_, _ = unix.Read(pipe[0], make([]byte, 1))
		},
	} {
		pause := unix.NsecToTimespec(int64(piece))
		explained, parts := explained(t, wait, func() { _ = unix.Nanosleep(&pause, nil) })
		// On a busy machine a thread may also wait for a CPU.
		if spent := explained.Spent[kind]; spent.WaitNs*10 < parts.Rest*9 || spent.WaitNs > parts.Rest || parts.Rest < uint64(piece)/2 {
			t.Errorf("%s: %+v of %+v", kind, explained.Spent, parts)
		}
	}
}

func TestStacksAreThoseOfWindows(t *testing.T) {
	other := make(chan bool)
	go func() {
		idle()
		other <- true
	}()
	explained, _ := explained(t, busy, idle)
	<-other
	var samples, all uint64
	for stack, seen := range explained.Stacks {
		all += seen
		if strings.Contains(stack, "explain.busy;explain.calculate") {
			samples += seen
		}
		if strings.Contains(stack, "idle") {
			t.Errorf("%s was not in a window", stack)
		}
	}
	if samples < 3 || samples < all/2 {
		t.Errorf("%v: expected the function that is busy", explained.Stacks)
	}
}

func TestFewWaitsAreNotDivided(t *testing.T) {
	if spent := (waits{"read": 9}).divide(1_000); len(spent) > 0 {
		t.Errorf("%v: expected nothing", spent)
	}
	expected := map[string]protocol.SpentTime{"read": {WaitNs: 600}}
	if spent := (waits{"read": 6, other: 4}).divide(1_000); !maps.Equal(spent, expected) {
		t.Errorf("%v: expected %v", spent, expected)
	}
}

func TestTheKernelSaysWhatAThreadWaitsFor(t *testing.T) {
	for said, expected := range map[string]string{
		"running\n":                          "",
		"-1 0x7ffe 0x55d0\n":                 "fault",
		fmt.Sprintln(unix.SYS_PWRITE64, "1"): "write",
		fmt.Sprintln(unix.SYS_FDATASYNC, 3):  "sync",
		fmt.Sprintln(unix.SYS_WAITID, "0x1"): other,
		"":                                   "",
	} {
		if kind := kindOf([]byte(said)); kind != expected {
			t.Errorf("`%s`: `%s`, expected `%s`", said, kind, expected)
		}
	}
}

func TestTheSamplesOfRareStacksGoToTheirCallers(t *testing.T) {
	stacks := map[string]uint64{"a": 5, "a;b": 2, "a;b;c": 1, "a;d": 4}
	limit(stacks, 3)
	if expected := map[string]uint64{"a": 5, "a;b": 3, "a;d": 4}; !maps.Equal(stacks, expected) {
		t.Errorf("%v: expected %v", stacks, expected)
	}
	limit(stacks, 1)
	if expected := map[string]uint64{"a": 12}; !maps.Equal(stacks, expected) {
		t.Errorf("%v: expected %v", stacks, expected)
	}
}

func TestFunctionsHaveShortNames(t *testing.T) {
	for name, expected := range map[string]string{
		"github.com/mattn/go-sqlite3.(*SQLiteStmt).exec":           "go-sqlite3.(*SQLiteStmt).exec",
		"a/cached.(*stmt[go.shape.int,struct{ *b/c.D; E }]).Query": "cached.(*stmt[...]).Query",
		"main.main": "main.main",
	} {
		if found := short(name); found != expected {
			t.Errorf("%s: %s, expected %s", name, found, expected)
		}
	}
}

// An explainer that has ended leaves nothing behind.
func TestAnExplainerEnds(t *testing.T) {
	processors := runtime.GOMAXPROCS(0)
	open := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	before := open()
	explained(t, func() {}, func() {})
	if now := runtime.GOMAXPROCS(0); now != processors || open() != before {
		t.Errorf("%d processors and %d files, expected %d and %d", now, open(), processors, before)
	}
}
