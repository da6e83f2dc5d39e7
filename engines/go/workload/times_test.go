package workload

import (
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

func TestTimesHaveAnExactSumWhateverTheHistogramKeeps(t *testing.T) {
	var first, second, none Times
	first.Add(1_000_003)
	second.Add(HighestNs + 9)
	second.Add(5)
	first.Merge(&second)
	first.Merge(&none)
	if first.Count() != 3 || first.SumNs() != HighestNs+1_000_017 {
		t.Errorf("%d times of %d ns, expected 3 of %d ns", first.Count(), first.SumNs(), int64(HighestNs+1_000_017))
	}
	found, err := hdrhistogram.Decode([]byte(first.Histogram()))
	if err != nil || found.TotalCount() != 3 {
		t.Errorf("%v: expected a histogram of 3 samples", err)
	}
	if none.Histogram() != EmptyHistogram() {
		t.Error("expected an empty histogram of no times")
	}
}

func TestASplitLeavesOutTheTimeInWhichTheTimerWasStopped(t *testing.T) {
	recorder := NewRecorder(1, NewLatencies())
	recorder.Start()
	time.Sleep(2 * time.Millisecond)
	if took := recorder.Split(); took < 2_000_000 {
		t.Errorf("an action of 2 ms took %d ns", took)
	}
	recorder.Lap()
	recorder.StandStill(func() { time.Sleep(100 * time.Millisecond) })
	if took := recorder.Split(); took > 100_000_000 {
		t.Errorf("an action of no time took %d ns", took)
	}
}
