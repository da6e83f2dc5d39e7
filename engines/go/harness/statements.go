package harness

import (
	"cmp"
	"maps"
	"slices"

	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// StatementTimes adds up the times of threads under each name, for a progress event. The zero value is empty.
type StatementTimes struct {
	byName map[string]protocol.StatementProgress
}

// Add adds the times of a thread, which may still be working.
func (all *StatementTimes) Add(name string, times *workload.Times) {
	if times.Count() == 0 {
		return
	}
	if all.byName == nil {
		all.byName = map[string]protocol.StatementProgress{}
	}
	sum := all.byName[name]
	all.byName[name] = protocol.StatementProgress{
		Name: name, Operations: sum.Operations + times.Count(), WallNs: sum.WallNs + times.SumNs(),
	}
}

// Most returns the statements with the most time, at most protocol.MostStatements.
func (all *StatementTimes) Most() []protocol.StatementProgress {
	longestFirst := func(a, b protocol.StatementProgress) int {
		return cmp.Or(cmp.Compare(b.WallNs, a.WallNs), cmp.Compare(a.Name, b.Name))
	}
	statements := slices.SortedFunc(maps.Values(all.byName), longestFirst)
	return statements[:min(len(statements), protocol.MostStatements)]
}
