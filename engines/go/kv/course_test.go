package kv

import (
	"testing"

	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

func TestAThreadThatWasBlockedWhenMeasuringBeganIsMeasuredFromThen(t *testing.T) {
	limitMs := uint64(60)
	course := newCourse(&protocol.KvTest{TimeMs: &limitMs, WarmUpMs: 20})
	started := workload.Now()
	if begun := course.begunNs(started); begun != started {
		t.Errorf("begun at %d before anybody knows, not at %d", begun, started)
	}
	course.conduct(workload.Now)
	late := workload.Now()
	from := course.begunNs(late)
	if from < started+20_000_000 || late-from < 60_000_000 || course.begunNs(from-5) != from-5 {
		t.Errorf("started at %d, begun at %d, late at %d", started, from, late)
	}
}
