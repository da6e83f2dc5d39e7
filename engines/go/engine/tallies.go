package engine

import (
	"slices"

	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// tallies are the results of the named steps that one thread has done.
type tallies struct {
	names []name
	// each has the results of each name.
	each []tally
	// samples are the times that have not been added to the results. They are added while the timer is stopped.
	samples []sample
	// beginNs is the time of the begin whose commit has not been done.
	beginNs uint64
	// held are the answers of the current attempt. holds reports whether there is one. before is the number of samples
	// before it.
	held   []answer
	holds  bool
	before int
}

// answer is an answer with its number of rows, the digest of it alone, and the number of its name from 1.
type answer struct {
	name int
	own  workload.Digest
	rows uint64
	// failure is the error of a statement that may fail, if it failed. The answer then has no rows, and its digest is
	// complete.
	failure error
}

// tally is the result of one name.
type tally struct {
	times workload.Times
	rows  uint64
	// digests is the sum of the digests of the answers, so that the order of the threads does not matter.
	digests uint64
	// failures is the number of failures, and failure is the message of the first.
	failures uint64
	failure  string
}

// sample is the time of an action, with the number of its name from 1.
type sample struct {
	name int
	ns   uint64
}

func newTallies(names []name) *tallies {
	return &tallies{names: names, each: make([]tally, len(names)), samples: make([]sample, 0, blockOperations)}
}

// took takes the time of an action. The time of a begin is added to its commit.
func (tallies *tallies) took(action *action, ns uint64) {
	switch action.part {
	case beginOf:
		tallies.beginNs = ns
		return
	case commitOf:
		ns += tallies.beginNs
	}
	if name := action.node.name; name > 0 {
		tallies.sample(name, ns)
	}
}

// sample adds the time of an action with this number of a name.
func (tallies *tallies) sample(name int, ns uint64) {
	tallies.samples = append(tallies.samples, sample{name, ns})
}

// answered adds an answer, or holds it until the current attempt has succeeded.
func (tallies *tallies) answered(answer answer) {
	if tallies.holds {
		tallies.held = append(tallies.held, answer)
		return
	}
	tally := &tallies.each[answer.name-1]
	if answer.failure == nil {
		answer.own.Word(answer.rows)
	} else {
		tally.fail(1, answer.failure.Error())
	}
	tally.digests += uint64(answer.own)
	tally.rows += answer.rows
}

// attempt begins what may have to be done again.
func (tallies *tallies) attempt() { tallies.holds, tallies.before = true, len(tallies.samples) }

// forget drops what the attempt did so far.
func (tallies *tallies) forget() {
	tallies.samples, tallies.held = tallies.samples[:tallies.before], tallies.held[:0]
}

// keep adds the answers of the attempt, which has succeeded.
func (tallies *tallies) keep() {
	tallies.holds = false
	for _, answer := range tallies.held {
		tallies.answered(answer)
	}
	tallies.held = tallies.held[:0]
}

// count adds the samples to the results.
func (tallies *tallies) count() {
	for _, sample := range tallies.samples {
		tallies.each[sample.name-1].times.Add(sample.ns)
	}
	tallies.samples = tallies.samples[:0]
}

func (tally *tally) merge(other *tally) {
	tally.times.Merge(&other.times)
	tally.rows += other.rows
	tally.digests += other.digests
	tally.fail(other.failures, other.failure)
}

// fail adds failures with the message of the first of them.
func (tally *tally) fail(failures uint64, failure string) {
	if tally.failures == 0 {
		tally.failure = failure
	}
	tally.failures += failures
}

// merged adds up the results of several threads. The names keep the order of their first appearance.
func merged(threads []*tallies) *tallies {
	all := &tallies{}
	for _, thread := range threads {
		for from := range thread.names {
			one := thread.names[from]
			at := slices.IndexFunc(all.names, func(name name) bool { return name.text == one.text })
			if at < 0 {
				at = len(all.names)
				all.names, all.each = append(all.names, name{text: one.text}), append(all.each, tally{})
			}
			all.names[at].answers = all.names[at].answers || one.answers
			all.each[at].merge(&thread.each[from])
		}
	}
	return all
}

// done returns the results as they are reported. answers reports whether the engine answers at all.
func (tallies *tallies) done(answers bool) []protocol.StatementDone {
	var all []protocol.StatementDone
	for at, name := range tallies.names {
		tally := &tallies.each[at]
		done := protocol.StatementDone{
			Name: name.text, WallNs: tally.times.SumNs(), Operations: tally.times.Count(), Rows: tally.rows,
			Histogram: tally.times.Histogram(), Failures: tally.failures, Failure: tally.failure,
		}
		if answers && name.answers {
			verification := tally.verification()
			done.Verification = &verification
		}
		all = append(all, done)
	}
	return all
}

func (tally *tally) verification() string {
	var digest workload.Digest
	digest.Word(tally.digests)
	digest.Word(tally.rows)
	return digest.String()
}
