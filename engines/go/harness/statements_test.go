package harness_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/dbdyno/dbdyno/engines/go/harness"
	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

func TestTheTimesOfThreadsAddUpUnderEachName(t *testing.T) {
	var all harness.StatementTimes
	if most := all.Most(); len(most) != 0 {
		t.Errorf("%v: expected none", most)
	}
	for name, times := range map[string][]uint64{"get": {10, 20}, "set": {25}, "never": nil} {
		for range 2 {
			var of workload.Times
			for _, ns := range times {
				of.Add(ns)
			}
			all.Add(name, &of)
		}
	}
	expected := []protocol.StatementProgress{{Name: "get", Operations: 4, WallNs: 60}, {Name: "set", Operations: 2, WallNs: 50}}
	if most := all.Most(); !slices.Equal(most, expected) {
		t.Errorf("%+v: expected %+v", most, expected)
	}
}

func TestThoseWithTheMostTimeAreKept(t *testing.T) {
	var all harness.StatementTimes
	for at := range protocol.MostStatements + 5 {
		var of workload.Times
		of.Add(uint64(at + 1))
		all.Add(fmt.Sprintf("statement %d", at), &of)
	}
	most := all.Most()
	if len(most) != protocol.MostStatements || most[0].WallNs != protocol.MostStatements+5 || most[len(most)-1].WallNs != 6 {
		t.Errorf("%+v: expected the %d with the most time", most, protocol.MostStatements)
	}
}
