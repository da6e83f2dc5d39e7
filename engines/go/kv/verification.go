package kv

import (
	"errors"
	"fmt"
)

// invariants is the prefix of a verification value that is not a checksum.
const invariants = "invariants:"

// verification returns the checksum of everything that the threads read, if it is certain. Otherwise it returns
// whether the invariants held that hold in any order of the threads. It returns nil if there is nothing to check the
// answers against.
func (of *actorsTest) verification(after *accounts) (*string, error) {
	var operations, missed, unexpected, failures uint64
	for _, member := range of.members {
		operations, missed, failures = operations+member.operations, missed+member.missed, failures+member.failures
		unexpected += member.unexpected
	}
	if of.store.Nothing || operations == 0 {
		return nil, nil
	}
	hasRecords := holdsEveryRecord(of.suite, of.test) || of.before != nil && of.before.count >= of.test.Records
	looksUp := false
	for _, load := range loads(of.test) {
		looksUp = looksUp || has(load, "get", "exists", "range")
	}
	broken := ""
	if hasRecords && missed > 0 {
		broken = fmt.Sprintf("%d reads found no row, although every record is stored", missed)
	} else if unexpected > 0 {
		broken = fmt.Sprintf("%d reads found a row for a key that no record has", unexpected)
	} else if of.before != nil {
		broken = of.brokenAccounts(after)
	}
	held := invariants + "held"
	switch {
	case broken != "":
		held = invariants + broken
	case hasFixedAnswers(of.suite, of.test) && failures == 0:
		return of.checksum()
	case of.before == nil && !(hasRecords && looksUp):
		return nil, nil
	}
	return &held, nil
}

// checksum returns the checksum of everything that the threads read, and of the content afterwards if the test asks for
// it.
func (of *actorsTest) checksum() (*string, error) {
	var all counts
	for _, member := range of.members {
		digest := member.digest
		digest.Word(member.rows)
		all.digest.Word(uint64(digest))
		all.rows += member.rows
	}
	if !of.test.VerifyState {
		return all.verification(), nil
	}
	session, err := of.shared.Session(&of.test.SQL)
	if err != nil {
		return nil, err
	}
	content := newTally(session, accounts{}, false)
	content.counts = all
	err = content.state()
	return content.verification(), errors.Join(err, session.Close())
}

// brokenAccounts compares what threads found, and what is there afterwards, with what transfers preserve: the sum of
// all balances. Each committed transfer raises two versions, for all reads that begin after it. It returns an empty
// string if nothing is wrong.
func (of *actorsTest) brokenAccounts(after *accounts) string {
	expected := of.before.versions
	for _, member := range of.members {
		expected += 2 * member.transfers
		found := member.findings
		switch {
		case found.broken != nil:
			return "an audit found " + of.before.brokenBy(*found.broken)
		case found.moved != nil:
			return fmt.Sprintf("a held snapshot had %v at its start, but %v at its end", found.moved[0], found.moved[1])
		case found.short != nil:
			return fmt.Sprintf("an audit of %d accounts found %d", found.short[1], found.short[0])
		case found.stale != nil:
			return fmt.Sprintf("an audit found versions that add up to %d, after %d were committed", found.stale[0], found.stale[1])
		case found.read != "":
			return found.read
		}
	}
	if broken := of.before.brokenBy(*after); broken != "" {
		return "afterwards there are " + broken
	}
	if after.versions != expected {
		return fmt.Sprintf("the versions add up to %d, but with all committed transfers to %d", after.versions, expected)
	}
	return ""
}
