package harness

import (
	"maps"
	"os"
	"slices"
	"time"

	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// Phases measures opening and closing a database, which no test's time includes, as counters of the test.
type Phases struct {
	counters protocol.Counters
	cold     *workload.ColdStart
}

// NewPhases returns phases that begin with a wait of no time for threads of the engine: engines in Go have no
// threads that are known to work by themselves.
func NewPhases() *Phases {
	return &Phases{counters: protocol.Counters{"settle_ns": 0, "settle_written_bytes": 0}}
}

// Open measures work, which opens a database.
func (phases *Phases) Open(work func() error) error { return phases.measure("open", work) }

// Close measures work, which closes the database.
func (phases *Phases) Close(work func() error) error { return phases.measure("close", work) }

func (phases *Phases) measure(name string, work func() error) error {
	before, begun := workload.ReadCounters(), time.Now()
	err := work()
	phases.counters[name+"_ns"] = uint64(time.Since(begun))
	used := workload.Since(workload.ReadCounters(), before)
	if written, found := used["written_bytes"]; found {
		phases.counters[name+"_written_bytes"] = written
	}
	if read, found := used["read_bytes"]; found && name == "open" {
		phases.counters["open_read_bytes"] = read
	}
	return err
}

// LookAfterOpening measures how much of a database that starts cold was brought into memory by opening it.
func (phases *Phases) LookAfterOpening(folder string) error {
	if phases.cold == nil {
		return nil
	}
	return phases.cold.LookAfterOpening(folder)
}

// StartCold drops a closed database from memory.
func (phases *Phases) StartCold(folder string) error {
	if _, err := os.Stat(folder); err != nil {
		phases.cold = &workload.ColdStart{}
		return nil
	}
	start, err := workload.DropFromMemory(folder)
	phases.cold = &start
	return err
}

// Keep removes all counters except those with the given names.
func (phases *Phases) Keep(names []string) {
	maps.DeleteFunc(phases.counters, func(name string, _ uint64) bool { return !slices.Contains(names, name) })
}

// addTo adds the phases to the counters of their test.
func (phases *Phases) addTo(counters protocol.Counters) {
	for name, value := range phases.counters {
		counters[name] = value
	}
	if phases.cold != nil {
		phases.cold.AddTo(counters)
	}
}
