package workload

import (
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// decode reads a histogram in the format of the protocol.
func decode(t *testing.T, text string) *hdrhistogram.Histogram {
	t.Helper()
	histogram, err := hdrhistogram.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return histogram
}

func TestEverySampleIsInTheHistogramAndInProgressOnce(t *testing.T) {
	recorder := NewRecorder(2, NewLatencies())
	recorder.Start()
	seen := int64(0)
	for operation := range 2_001 {
		recorder.Lap()
		if operation%500 == 0 {
			if _, histogram := Fresh(recorder.latencies); histogram != nil {
				seen += decode(t, *histogram).TotalCount()
			}
		}
	}
	recorder.Finish()
	operations, histogram := Fresh(recorder.latencies)
	if histogram != nil {
		seen += decode(t, *histogram).TotalCount()
	}
	// Operations as fast as these are not all timed.
	if all := decode(t, Histogram(recorder.latencies)).TotalCount(); operations != 2_001 || seen != all || all == 0 || all > 1_000 {
		t.Errorf("%d operations, %d samples seen, %d in all: expected 2001, and the same of up to 1000", operations, seen, all)
	}
	if _, histogram := Fresh(recorder.latencies); histogram != nil {
		t.Error("samples were told twice")
	}
}

func TestWhatIsDoneWhileTheTimerStandsStillIsNoTimeOfOperations(t *testing.T) {
	const pause = 50 * time.Millisecond
	recorder := NewRecorder(1, NewLatencies())
	time.Sleep(pause)
	recorder.Start()
	recorder.Lap()
	recorder.StandStill(func() { time.Sleep(pause) })
	recorder.Lap()
	recorder.Finish()
	if recorder.BetweenNs() < uint64(pause) {
		t.Errorf("%d ns between windows: expected 50 ms at least", recorder.BetweenNs())
	}
	// The samples and the windows cover the same time, except for what came after the last operation.
	histogram := decode(t, Histogram(recorder.latencies))
	if slowest := histogram.Max(); uint64(slowest) > recorder.WallNs()+uint64(slowest)/1000 {
		t.Errorf("a sample of %d ns in %d ns", slowest, recorder.WallNs())
	}
}

func TestTimeInWhichOthersWorkIsNoTimeOfTheTest(t *testing.T) {
	const away, operation, operations = 20 * time.Millisecond, 2 * time.Millisecond, 20
	recorder := NewRecorder(1, NewLatencies())
	var passed [][2]uint64
	recorder.TakeTurns(NewTurns(uint64(5*operation), func(operations, wallNs uint64) {
		passed = append(passed, [2]uint64{operations, wallNs})
		time.Sleep(away)
	}))
	recorder.Start()
	for range operations {
		for until := Now() + int64(operation); Now() < until; {
		}
		recorder.Lap()
	}
	recorder.Finish()
	if len(passed) == 0 {
		t.Fatal("the turn was never passed")
	}
	before := [2]uint64{}
	for _, turn := range passed {
		if turn[0] <= before[0] || turn[1] < before[1]+uint64(5*operation) {
			t.Errorf("%v after %v: expected more operations, in at least 10 ms", turn, before)
		}
		before = turn
	}
	// What others did took at least as long as half of the operations: it must not be found anywhere.
	histogram := decode(t, Histogram(recorder.latencies))
	if recorder.BetweenNs() > uint64(away) || histogram.TotalCount() != operations || histogram.ValueAtQuantile(50) > int64(away) {
		t.Errorf("%d ns between windows, %d samples, median %d ns", recorder.BetweenNs(), histogram.TotalCount(), histogram.ValueAtQuantile(50))
	}
}

func TestHistogramsOfThreadsAreMerged(t *testing.T) {
	one, other := NewRecorder(1, NewLatencies()), NewRecorder(1, NewLatencies())
	for _, recorder := range []*Recorder{one, other, other} {
		recorder.Start()
		recorder.Lap()
	}
	one.Finish()
	other.Finish()
	operations, histogram := Fresh(one.latencies, other.latencies)
	if operations != 3 || decode(t, *histogram).TotalCount() != 3 || decode(t, Histogram(one.latencies, other.latencies)).TotalCount() != 3 {
		t.Error("expected three samples of three operations")
	}
}

func TestOfFastSamplesOneStretchInAGroupIsTimed(t *testing.T) {
	sampling := newSampling()
	for !sampling.try(1) {
	}
	if kept := sampling.decide(nil); len(kept) != trialSamples/mostStretches {
		t.Errorf("%d samples of the trial: expected %d", len(kept), trialSamples/mostStretches)
	}
	const groups = 1_000
	timed, ended := 0, int64(0)
	for ended < groups*stretch*mostStretches {
		ended += sampling.next()
		if sampling.isTimed() {
			timed++
		}
	}
	if timed < (groups-2)*stretch || timed > (groups+2)*stretch {
		t.Errorf("%d of %d samples were timed", timed, ended)
	}
}

func TestOfSlowSamplesAllAreTimed(t *testing.T) {
	sampling := newSampling()
	for !sampling.try(1_000_000_000) {
	}
	if kept := sampling.decide(nil); len(kept) != trialSamples || !sampling.isTimed() || sampling.next() != 1 {
		t.Error("samples were left out")
	}
}
