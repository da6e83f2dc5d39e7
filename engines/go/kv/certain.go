package kv

import (
	"slices"
	"strings"

	"github.com/dbdyno/dbdyno/engines/go/protocol"
)

// earlier returns the tests that work on the database of a test before it does.
func earlier(suite *protocol.KvSuite, test *protocol.KvTest) []*protocol.KvTest {
	var tests []*protocol.KvTest
	for at := range suite.Tests {
		one := &suite.Tests[at]
		if one.Number == test.Number {
			break
		}
		if one.Label() == test.Label() {
			tests = append(tests, one)
		}
	}
	return tests
}

// hasFixedAnswers reports whether every engine must give a test the same answers: its inputs are fixed, and nothing
// that its threads read depends on the order in which they work.
func hasFixedAnswers(suite *protocol.KvSuite, test *protocol.KvTest) bool {
	if len(test.Actors) > 0 && !actorsAnswerAlike(test) {
		return false
	}
	for _, one := range earlier(suite, test) {
		if len(one.Actors) > 0 && !leavesFixedContent(one) {
			return false
		}
	}
	return true
}

// actorsAnswerAlike reports whether each thread does a fixed number of operations and no thread writes what another
// may read.
func actorsAnswerAlike(test *protocol.KvTest) bool {
	if isRecorded(test) {
		return true
	}
	writes := slices.ContainsFunc(acting(test), func(actor *protocol.KvActor) bool { return has(&actor.KvLoad, writing...) })
	fixed := []string{"get", "miss", "exists", "insert"}
	if !writes {
		fixed = append(fixed, "scan", "range", "audit")
	}
	for _, actor := range acting(test) {
		if !isCounted(test, actor) || hasOther(&actor.KvLoad, fixed) {
			return false
		}
	}
	return true
}

// leavesFixedContent reports whether the database has the same rows after the test, whatever the order of its
// threads was.
func leavesFixedContent(test *protocol.KvTest) bool {
	if isRecorded(test) {
		return true
	}
	for _, actor := range acting(test) {
		if has(&actor.KvLoad, writing...) && (!isCounted(test, actor) || has(&actor.KvLoad, "put", "delete", "remove", "modify", "transfer")) {
			return false
		}
	}
	return true
}

// writing are the names of the operations that change the database.
var writing = words[opPut:]

// isRecorded reports whether a test's actors have operations, and all of them are recorded. Each key has one thread,
// and operations that read several keys run in the only thread.
func isRecorded(test *protocol.KvTest) bool {
	actors := acting(test)
	isOther := func(actor *protocol.KvActor) bool { return actor.Keys.Order != protocol.Recorded }
	return len(actors) > 0 && !slices.ContainsFunc(actors, isOther)
}

// isCounted reports whether an actor does exactly the requested number of operations, from its first input on.
func isCounted(test *protocol.KvTest, actor *protocol.KvActor) bool {
	return actor.Operations != nil && actor.During == nil && test.TimeMs == nil && test.WarmUpMs == 0
}

// acting returns the actors that take part.
func acting(test *protocol.KvTest) []*protocol.KvActor {
	var actors []*protocol.KvActor
	for at := range test.Actors {
		if test.Actors[at].Threads > 0 {
			actors = append(actors, &test.Actors[at])
		}
	}
	return actors
}

// loads returns the loads of all threads of a test.
func loads(test *protocol.KvTest) []*protocol.KvLoad {
	switch {
	case test.Compact:
		return nil
	case len(test.Actors) == 0:
		return []*protocol.KvLoad{&test.KvLoad}
	}
	var loads []*protocol.KvLoad
	for _, actor := range acting(test) {
		loads = append(loads, &actor.KvLoad)
	}
	return loads
}

func has(load *protocol.KvLoad, ops ...string) bool {
	return slices.ContainsFunc(load.Work, func(work protocol.KvWork) bool { return slices.Contains(ops, work.Op) })
}

func hasOther(load *protocol.KvLoad, ops []string) bool {
	return slices.ContainsFunc(load.Work, func(work protocol.KvWork) bool { return !slices.Contains(ops, work.Op) })
}

// holdsEveryRecord reports whether each read of a record finds it: a previous test has put every record, and no test
// deletes any.
func holdsEveryRecord(suite *protocol.KvSuite, test *protocol.KvTest) bool {
	before, puts := earlier(suite, test), false
	for _, one := range append(slices.Clone(before), test) {
		for _, load := range loads(one) {
			isUncertain := load.Keys.Order == "latest" || load.Keys.Order == protocol.Recorded
			if has(load, "delete", "remove") || one == test && isUncertain {
				return false
			}
		}
	}
	for _, one := range before {
		puts = puts || one.Key == test.Key && putsEveryRecordOf(one, test)
	}
	// A format with anything else in it does not depend on the record alone.
	return puts && !strings.Contains(test.Key, "{op") && !strings.Contains(test.Key, "{random")
}

func putsEveryRecordOf(one, test *protocol.KvTest) bool {
	return !one.Compact && len(one.Actors) == 0 && len(one.Work) == 1 && one.Work[0].Op == "put" &&
		(one.Keys.Order == "ascending" || one.Keys.Order == "shuffled") && min(one.Operations, one.Records) >= test.Records
}
