package kv

import (
	"slices"

	"github.com/dbdyno/dbdyno/engines/go/harness"
	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// named are the results of each kind of work of one thread, in the order of the work. A nil named has none.
type named struct {
	works []workResult
	// samples have not been added to the results. They are added while the timer is stopped.
	samples []workSample
}

type workResult struct {
	times workload.Times
	rows  uint64
}

// workSample is an operation of the work at a place.
type workSample struct {
	work     int
	ns, rows uint64
}

// newNamed returns empty results. They are nil if no work has a name, or if operations have no time of their own.
func newNamed(load *protocol.KvLoad) *named {
	hasName := func(work protocol.KvWork) bool { return work.Name != "" }
	if load.Together() > 1 || !slices.ContainsFunc(load.Work, hasName) {
		return nil
	}
	return &named{works: make([]workResult, len(load.Work)), samples: make([]workSample, 0, blockOperations)}
}

// add adds an operation.
func (named *named) add(work int, ns, rows uint64) {
	if named != nil {
		named.samples = append(named.samples, workSample{work, ns, rows})
	}
}

// count adds the samples to the results.
func (named *named) count() {
	if named == nil {
		return
	}
	for _, sample := range named.samples {
		work := &named.works[sample.work]
		work.times.Add(sample.ns)
		work.rows += sample.rows
	}
	named.samples = named.samples[:0]
}

// clear removes all results, at the end of a warm-up.
func (named *named) clear() {
	if named == nil {
		return
	}
	for at := range named.works {
		named.works[at].times.Clear()
		named.works[at].rows = 0
	}
	named.samples = named.samples[:0]
}

// show adds the times so far. Another goroutine may call it.
func (named *named) show(load *protocol.KvLoad, into *harness.StatementTimes) {
	if named == nil {
		return
	}
	for at := range named.works {
		if name := load.Work[at].Name; name != "" {
			into.Add(name, &named.works[at].times)
		}
	}
}

// statements returns the results of all threads of an actor under each name.
func statements(load *protocol.KvLoad, members []*member) []protocol.StatementDone {
	if newNamed(load) == nil {
		return nil
	}
	var all []protocol.StatementDone
	for at, work := range load.Work {
		if work.Name == "" {
			continue
		}
		var sum workResult
		for _, member := range members {
			one := &member.named.works[at]
			sum.times.Merge(&one.times)
			sum.rows += one.rows
		}
		all = append(all, protocol.StatementDone{
			Name: work.Name, WallNs: sum.times.SumNs(), Operations: sum.times.Count(), Rows: sum.rows, Histogram: sum.times.Histogram(),
		})
	}
	return all
}
