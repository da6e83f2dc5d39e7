package kv

import (
	"testing"

	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// The draws of SQL suites are workload.Popular too.
func TestPopularKeysAreThoseThatSQLSuitesDraw(t *testing.T) {
	groups := []protocol.Popularity{{Records: 1, Weight: 5}, {Records: 19, Weight: 3}, {Records: 80, Weight: 2}}
	random, other := workload.NewSplitMix64(3), workload.NewSplitMix64(3)
	keys, err := newKeys(protocol.Keys{Order: "popular", Popular: groups}, 100, 1, 2, random)
	if err != nil {
		t.Fatal(err)
	}
	popular := workload.NewPopular(groups)
	for ordinal := range uint64(1_000) {
		if found, expected := keys.draw(ordinal, random), popular.Record(other); found != expected {
			t.Fatalf("operation %d: record %d, expected %d", ordinal, found, expected)
		}
	}
}
