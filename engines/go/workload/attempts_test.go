package workload

import (
	"testing"
	"time"
)

func TestTheTimeOfABlockedAttemptBelongsToTheFirstOperationOfTheNext(t *testing.T) {
	const blocked = 100 * time.Millisecond
	latencies := NewLatencies()
	recorder := NewRecorderOfEach(latencies)
	recorder.Start()
	recorder.Attempt()
	recorder.Hold()
	time.Sleep(blocked)
	recorder.Hold()
	recorder.Forget()
	if recorder.Operations() != 0 {
		t.Errorf("%d operations of a blocked attempt", recorder.Operations())
	}
	recorder.Attempt()
	if took := recorder.Split(); took < uint64(blocked) {
		t.Errorf("the first action took %d ns: expected the blocked attempt too", took)
	}
	for range 3 {
		recorder.Hold()
	}
	recorder.Keep()
	recorder.Finish()
	histogram := decode(t, Histogram(latencies))
	if histogram.TotalCount() != 3 || recorder.Operations() != 3 {
		t.Fatalf("%d samples of %d operations, expected 3 of 3", histogram.TotalCount(), recorder.Operations())
	}
	first, second := histogram.Max(), histogram.ValueAtQuantile(60)
	if first < int64(blocked) || second >= int64(blocked) {
		t.Errorf("operations took up to %d and %d ns: expected the blocked attempt in the first one", first, second)
	}
}

func TestEveryOperationOfAttemptsIsTimed(t *testing.T) {
	const attempts, operations = 2_000, 3
	latencies := NewLatencies()
	recorder := NewRecorderOfEach(latencies)
	recorder.Start()
	for attempt := range attempts {
		recorder.Attempt()
		for range operations {
			recorder.Hold()
		}
		if attempt == attempts-1 {
			time.Sleep(5 * time.Millisecond)
			recorder.Prolong()
		}
		recorder.Keep()
		if attempt%500 == 0 {
			recorder.StandStill(func() { time.Sleep(time.Millisecond) })
		}
	}
	recorder.Finish()
	histogram := decode(t, Histogram(latencies))
	if count := histogram.TotalCount(); count != attempts*operations || recorder.Operations() != attempts*operations {
		t.Errorf("%d samples of %d operations, expected %d", count, recorder.Operations(), attempts*operations)
	}
	if longest := histogram.Max(); longest < int64(5*time.Millisecond) {
		t.Errorf("the last operation took %d ns at most: expected 5 ms", longest)
	}
	// The histogram rounds up by one part in a thousand at most.
	sum := histogram.Mean() * float64(histogram.TotalCount())
	if wall := float64(recorder.WallNs()); sum > wall*1.002 {
		t.Errorf("operations of %.0f ns in %.0f ns", sum, wall)
	}
}
