package workload

import "github.com/dbdyno/dbdyno/engines/go/protocol"

// TimeParts are what the time of measured threads went to, in ns. Together they are the wall time of the threads.
type TimeParts struct {
	// User and Kernel are the time on a CPU, in user mode and in the kernel.
	User, Kernel uint64
	// Sleep is the time of the harness's own pauses. Those of libraries are not known.
	Sleep uint64
	// Queue is the time in which a thread was ready and waited for a CPU.
	Queue uint64
	// Rest is other waiting: for syncs, reads, locks, page faults, and for other threads.
	Rest uint64
}

// AddTo sets the counters of a test or an actor. The kernel does not tell which time a thread spends in sync calls: it
// is in the other parts.
func (parts *TimeParts) AddTo(counters protocol.Counters) {
	if parts == nil {
		return
	}
	counters["part_user_ns"], counters["part_kernel_ns"] = parts.User, parts.Kernel
	counters["part_sync_ns"], counters["part_sleep_ns"] = 0, parts.Sleep
	counters["part_queue_ns"], counters["part_rest_ns"] = parts.Queue, parts.Rest
}

// SumOfParts adds the parts of several threads. The result is nil if those of a thread are unknown.
func SumOfParts(threads []*TimeParts) *TimeParts {
	sum := new(TimeParts)
	for _, parts := range threads {
		if parts == nil {
			return nil
		}
		sum.User, sum.Kernel, sum.Sleep = sum.User+parts.User, sum.Kernel+parts.Kernel, sum.Sleep+parts.Sleep
		sum.Queue, sum.Rest = sum.Queue+parts.Queue, sum.Rest+parts.Rest
	}
	return sum
}

// Spent is the time of a test.
type Spent struct {
	// WallNs is the time of the operations, and BetweenNs is the CPU time in which inputs were prepared and answers
	// were checked.
	WallNs, BetweenNs uint64
	// Parts are nil if they are unknown.
	Parts *TimeParts
}
