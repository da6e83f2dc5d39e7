package workload

import (
	"math"
	"testing"
)

func TestTimesOfARecordingAreThoseOfItsSpeed(t *testing.T) {
	for _, of := range []struct {
		ns, percent uint64
		expected    int64
	}{
		{0, 200, 0}, {3, 200, 1}, {1_000, 200, 500}, {1_000, 100, 1_000}, {1_000, 25, 4_000}, {1_000, 0, 100_000},
		{math.MaxUint64, 200, 1 << 62}, {math.MaxUint64, 1, 1 << 62},
	} {
		if found := AtSpeed(of.ns, of.percent); found != of.expected {
			t.Errorf("%d ns at %d %%: %d ns, expected %d", of.ns, of.percent, found, of.expected)
		}
	}
}
