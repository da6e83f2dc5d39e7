package kv

import (
	"slices"
	"testing"

	"github.com/dbdyno/dbdyno/engines/go/protocol"
)

func TestProgressListsWorkUnderItsNames(t *testing.T) {
	work := []protocol.KvWork{{Weight: 1, Op: "put", Name: "set"}, {Weight: 1, Op: "get", Name: "get"}, {Weight: 1, Op: "delete"}}
	test := &protocol.KvTest{Actors: []protocol.KvActor{
		{Name: "one", Threads: 2, KvLoad: protocol.KvLoad{Work: work}}, {Name: "other", Threads: 1, KvLoad: protocol.KvLoad{Work: work[:1]}},
	}}
	of := newActorsTest(&suiteRun{suite: &protocol.KvSuite{}, store: &Store{}}, test, nil, nil)
	progress := of.progress()
	if said := progress(); len(said.Statements) != 0 {
		t.Errorf("%+v: expected none before anything is done", said.Statements)
	}
	for _, member := range of.members {
		member.named.add(0, 30, 1)
		if member.actor.Name == "one" {
			member.named.add(1, 100, 1)
			member.named.add(2, 1_000, 1)
		}
		member.named.count()
	}
	expected := []protocol.StatementProgress{{Name: "get", Operations: 2, WallNs: 200}, {Name: "set", Operations: 3, WallNs: 90}}
	if said := progress(); !slices.Equal(said.Statements, expected) {
		t.Errorf("%+v: expected %+v", said.Statements, expected)
	}
	for _, member := range of.members {
		member.tally = newTally(nil, accounts{}, true)
		member.beginMeasuring()
	}
	if said := progress(); len(said.Statements) != 0 {
		t.Errorf("%+v: expected none of the warm-up", said.Statements)
	}
}
