package kv

import (
	"fmt"
	"strings"

	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// keyOrders are the orders in which keys can be drawn or read.
var keyOrders = []string{"ascending", "shuffled", "uniform", "zipfian", "latest", "popular", protocol.Recorded}

// keys draws records for one thread.
type keys struct {
	order   string
	shuffle workload.Shuffle
	zipfian workload.ScrambledZipf
	// latest draws the distance from the newest record that this thread knows.
	latest  workload.Zipf
	popular workload.Popular
	// records is the number of records before the test. inserted is the number of records that this thread has
	// inserted.
	records, inserted uint64
	// thread is the number of this thread, from 0, among threads that do the same work. Each inserts records of its
	// own.
	thread, threads uint64
}

func newKeys(choice protocol.Keys, records, thread, threads uint64, random *workload.SplitMix64) (keys, error) {
	order := choice.Order
	keys := keys{order: order, records: records, thread: thread, threads: max(threads, 1)}
	switch order {
	case "ascending", "uniform":
	case "shuffled":
		keys.shuffle = workload.NewShuffle(records, random.Next())
	case "zipfian":
		keys.zipfian = workload.NewScrambledZipf(records)
	case "latest":
		keys.latest = workload.NewZipf(records)
	case "popular":
		keys.popular = workload.NewPopular(choice.Popular)
	default:
		return keys, fmt.Errorf("keys `%s` of a test: this engine has %s", order, strings.Join(keyOrders, ", "))
	}
	return keys, nil
}

// draw returns the record of the operation with an ordinal.
func (keys *keys) draw(ordinal uint64, random *workload.SplitMix64) uint64 {
	switch keys.order {
	case "ascending":
		return ordinal
	case "shuffled":
		return keys.shuffle.Number(ordinal)
	case "zipfian":
		return keys.zipfian.Record(random)
	case "popular":
		return keys.popular.Record(random)
	case "latest":
		back := keys.latest.Rank(random)
		if back < keys.inserted {
			return keys.own(keys.inserted - 1 - back)
		}
		return keys.records - min(keys.records, 1+back-keys.inserted)
	}
	return random.Below(keys.records)
}

// insert returns a record that no thread has inserted.
func (keys *keys) insert() uint64 {
	record := keys.own(keys.inserted)
	keys.inserted++
	if keys.order == "latest" {
		keys.latest.Grow()
	}
	return record
}

// own returns the record that this thread inserts at a count from 0.
func (keys *keys) own(count uint64) uint64 { return keys.records + count*keys.threads + keys.thread }
