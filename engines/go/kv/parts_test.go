package kv_test

import (
	"fmt"
	"testing"

	"github.com/dbdyno/dbdyno/engines/go/example/store"
	"github.com/dbdyno/dbdyno/engines/go/protocol"
)

// partsOf returns the sum of the parts of a time. There are either none or all six.
func partsOf(t *testing.T, counters protocol.Counters) (sum uint64, known bool) {
	t.Helper()
	found := 0
	for _, part := range []string{"user", "kernel", "sync", "sleep", "queue", "rest"} {
		if ns, has := counters["part_"+part+"_ns"]; has {
			found++
			sum += ns
		}
	}
	if found != 0 && found != 6 {
		t.Errorf("%v: expected all parts or none", counters)
	}
	return sum, found == 6
}

func TestThePartsOfTheTimeOfAThreadAreItsTime(t *testing.T) {
	told, err := replayed(t, store.Engine(), exampleJob(), nil, load, scan)
	if err != nil {
		t.Fatal(err)
	}
	for _, result := range told.results {
		if sum, known := partsOf(t, result.Counters); !known || sum != result.WallNs {
			t.Errorf("%v: expected parts of %d ns", result.Counters, result.WallNs)
		}
	}
}

// Goroutines of several threads are not locked to them, so the kernel does not tell what their time went to.
func TestThePartsOfTheTimeOfSeveralThreadsAreUnknown(t *testing.T) {
	_, result := done(t, store.Engine(), fmt.Sprintf(actors, "100", 0, actor("readers", "", gets)))
	for _, counters := range []protocol.Counters{result.Counters, result.Actors[0].Counters} {
		if _, known := partsOf(t, counters); known {
			t.Errorf("%v: expected no parts", counters)
		}
	}
}
