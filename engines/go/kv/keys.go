package kv

import (
	"fmt"
	"strings"

	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// keyOrders are the ways in which keys are drawn.
var keyOrders = []string{"ascending", "shuffled", "uniform", "zipfian", "latest"}

// keys draws records for one thread.
type keys struct {
	order   string
	shuffle workload.Shuffle
	zipfian workload.ScrambledZipf
	// latest draws the distance from the newest record that this thread knows of.
	latest workload.Zipf
	// records are those that there are before the test; inserted are those of this thread.
	records, inserted uint64
	// thread, from 0, of so many that do the same: what they insert is theirs alone.
	thread, threads uint64
}

func newKeys(order string, records, thread, threads uint64, random *workload.SplitMix64) (keys, error) {
	keys := keys{order: order, records: records, thread: thread, threads: max(threads, 1)}
	switch order {
	case "ascending", "uniform":
	case "shuffled":
		keys.shuffle = workload.NewShuffle(records, random.Next())
	case "zipfian":
		keys.zipfian = workload.NewScrambledZipf(records)
	case "latest":
		keys.latest = workload.NewZipf(records)
	default:
		return keys, fmt.Errorf("keys `%s` of a test: this engine has %s", order, strings.Join(keyOrders, ", "))
	}
	return keys, nil
}

// draw is the record of an operation with an ordinal.
func (keys *keys) draw(ordinal uint64, random *workload.SplitMix64) uint64 {
	switch keys.order {
	case "ascending":
		return ordinal
	case "shuffled":
		return keys.shuffle.Number(ordinal)
	case "zipfian":
		return keys.zipfian.Record(random)
	case "latest":
		back := keys.latest.Rank(random)
		if back < keys.inserted {
			return keys.own(keys.inserted - 1 - back)
		}
		return keys.records - min(keys.records, 1+back-keys.inserted)
	}
	return random.Below(keys.records)
}

// insert is a record that nobody has inserted.
func (keys *keys) insert() uint64 {
	record := keys.own(keys.inserted)
	keys.inserted++
	if keys.order == "latest" {
		keys.latest.Grow()
	}
	return record
}

// own is the record that this thread inserts as its count-th, from 0.
func (keys *keys) own(count uint64) uint64 { return keys.records + count*keys.threads + keys.thread }
