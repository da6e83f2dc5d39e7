package workload_test

import (
	"slices"
	"testing"

	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

func TestPopularRecordsAreDrawnByTheirWeightAndAreTheSameInEveryThread(t *testing.T) {
	groups := []protocol.Popularity{{Records: 1, Weight: 50}, {Records: 9, Weight: 30}, {Records: 90, Weight: 20}}
	var ranked [2][]int
	for thread := range ranked {
		popular, random := workload.NewPopular(groups), workload.NewSplitMix64(uint64(thread))
		var counts [100]int
		for range 100_000 {
			counts[popular.Record(random)]++
		}
		for record := range counts {
			ranked[thread] = append(ranked[thread], record)
		}
		slices.SortFunc(ranked[thread], func(a, b int) int { return counts[b] - counts[a] })
		from := 0
		for at, expected := range []int{50_000, 30_000, 20_000} {
			to, share := from+int(groups[at].Records), 0
			for _, record := range ranked[thread][from:to] {
				share += counts[record]
			}
			// Four standard deviations.
			if share < expected-640 || share > expected+640 {
				t.Errorf("group %d was drawn %d times, expected %d", at, share, expected)
			}
			from = to
		}
		slices.Sort(ranked[thread][1:10])
	}
	if !slices.Equal(ranked[0][:10], ranked[1][:10]) {
		t.Errorf("the popular records are %v and %v, expected the same", ranked[0][:10], ranked[1][:10])
	}
}
