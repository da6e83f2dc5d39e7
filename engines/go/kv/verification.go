package kv

import "fmt"

// invariants are what a verification value begins with that is no checksum.
const invariants = "invariants:"

// verification is the checksum of what all threads read, where that is certain; else whether what holds in any order of
// them held. nil: there is nothing to hold the answers against.
func (of *actorsTest) verification(after *accounts) *string {
	var operations, missed, failures uint64
	var all counts
	for _, member := range of.members {
		operations, missed, failures = operations+member.operations, missed+member.missed, failures+member.failures
		digest := member.digest
		digest.Word(member.rows)
		all.digest.Word(uint64(digest))
		all.rows += member.rows
	}
	if of.store.Nothing || operations == 0 {
		return nil
	}
	hasRecords := holdsEveryRecord(of.suite, of.test) || of.before != nil && of.before.count >= of.test.Records
	looksUp := false
	for _, load := range loads(of.test) {
		looksUp = looksUp || has(load, "get", "exists", "range")
	}
	broken := ""
	if hasRecords && missed > 0 {
		broken = fmt.Sprintf("%d reads found no row, although every record is stored", missed)
	} else if of.before != nil {
		broken = of.brokenAccounts(after)
	}
	held := invariants + "held"
	switch {
	case broken != "":
		held = invariants + broken
	case hasFixedAnswers(of.suite, of.test) && failures == 0:
		return all.verification()
	case of.before == nil && !(hasRecords && looksUp):
		return nil
	}
	return &held
}

// brokenAccounts holds what threads found, and what is there afterwards, against what transfers keep: the sum of all
// balances. Each transfer that was committed raises two versions, for all who read after it. Empty: nothing is wrong.
func (of *actorsTest) brokenAccounts(after *accounts) string {
	expected := of.before.versions
	for _, member := range of.members {
		expected += 2 * member.transfers
		found := member.findings
		switch {
		case found.broken != nil:
			return "an audit found " + of.before.brokenBy(*found.broken)
		case found.moved != nil:
			return fmt.Sprintf("a snapshot that was held had %v at its beginning, and %v at its end", found.moved[0], found.moved[1])
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
		return fmt.Sprintf("the versions add up to %d, and by the transfers that were committed to %d", after.versions, expected)
	}
	return ""
}
