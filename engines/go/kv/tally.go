package kv

import (
	"errors"
	"fmt"

	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// counts is what the operations of one thread amounted to.
type counts struct {
	operations, rows uint64
	digest           workload.Digest
	// transfers that were committed.
	transfers uint64
	// missed are reads of a key, or from a key on, that found nothing.
	missed uint64
	// lastRecord is the account that the last transfer took from, and lastVersion its version since.
	lastRecord, lastVersion uint64
}

// findings are what was found wrong; the first of each.
type findings struct {
	// broken is what an audit found in place of what there is.
	broken *accounts
	// short is how many accounts an audit of a part found, and how many there had to be.
	short *[2]uint64
	// stale are the versions that an audit found, and what there were at least.
	stale *[2]uint64
	// moved is what was found in one snapshot, sooner and later.
	moved *[2]accounts
	// read is a read that did not see what was committed before it began.
	read string
}

// tally does operations in a session and keeps what they amount to.
type tally struct {
	counts
	findings
	session Session
	remove  func(key []byte) error
	// before are the accounts as audits have to find them, and least the least that their versions add up to.
	before accounts
	least  uint64
	// nothing: answers are of a store that does nothing.
	nothing bool

	// What is shown of rows is taken by functions that are made once, so that no operation has to make one.
	digestValue, seeAccount func(value []byte)
	digestRow               func(key, value []byte)
	seen                    account
	seenErr                 error
	// stored is memory of bytes alone: some drivers hand it to C, which must not be given what has pointers in it.
	stored *storedAccount
}

func newTally(session Session, before accounts, nothing bool) *tally {
	tally := &tally{session: session, before: before, nothing: nothing, stored: new(storedAccount)}
	tally.remove = func(key []byte) error {
		_, err := session.Delete(key)
		return err
	}
	if remover, is := session.(Remover); is {
		tally.remove = remover.Remove
	}
	tally.digestValue = func(value []byte) { tally.digest.Bytes(value) }
	tally.digestRow = func(key, value []byte) {
		tally.digest.Bytes(key)
		tally.digest.Bytes(value)
		tally.rows++
	}
	tally.seeAccount = func(value []byte) { tally.seen, tally.seenErr = parseAccount(value) }
	return tally
}

// verification is the checksum of all answers.
func (counts counts) verification() *string {
	digest := counts.digest
	digest.Word(counts.rows)
	text := digest.String()
	return &text
}

// state makes the whole content part of the checksum.
func (tally *tally) state() error {
	rows := tally.rows
	err := tally.within(Snapshot, func() error { return tally.session.Scan(tally.digestRow) })
	tally.rows = rows
	return err
}

// within does something in a transaction.
func (tally *tally) within(transaction Transaction, work func() error) error {
	if err := tally.session.Begin(transaction); err != nil {
		return err
	}
	err := work()
	if err == nil {
		err = tally.session.Commit()
	}
	if err != nil {
		tally.session.Rollback()
	}
	return err
}

// alone does an operation in a transaction of its own, of reading or of writing as it needs. What was rolled back was
// not done.
func (tally *tally) alone(input *input) error {
	transaction := Reading
	if input.op.writes() {
		transaction = Writing
	}
	if err := tally.session.Begin(transaction); err != nil {
		return err
	}
	before := tally.counts
	err := tally.apply(input)
	if err == nil {
		err = tally.session.Commit()
	}
	if err != nil {
		tally.session.Rollback()
		tally.counts = before
	}
	return err
}

// read does an operation in the transaction of reading that is open.
func (tally *tally) read(input *input) error {
	if input.op.writes() {
		return errors.New("a suite asks for a write in a read transaction")
	}
	return tally.apply(input)
}

func (tally *tally) apply(input *input) error {
	var err error
	switch input.op {
	case opGet:
		var found bool
		found, err = tally.session.Get(input.key, tally.digestValue)
		tally.lookedUp(found)
	case opExists:
		var found bool
		found, err = tally.session.Exists(input.key)
		tally.answer(found)
		tally.lookedUp(found)
	case opScan:
		err = tally.session.Scan(tally.digestRow)
	case opRange:
		before := tally.rows
		err = tally.session.Range(input.key, input.number, tally.digestRow)
		if tally.rows == before {
			tally.missed++
		}
	case opAudit:
		err = tally.audit(input)
	case opPut, opInsert:
		err = tally.session.Put(input.key, input.value)
		tally.rows++
	case opModify:
		if _, err = tally.session.Get(input.key, tally.digestValue); err == nil {
			err = tally.session.Put(input.key, input.value)
		}
		tally.rows++
	case opDelete:
		var found bool
		found, err = tally.session.Delete(input.key)
		tally.answer(found)
		if found {
			tally.rows++
		}
	case opRemove:
		// As a put: the store has not looked, so there is nothing to count but what was asked.
		err = tally.remove(input.key)
		tally.rows++
	case opTransfer:
		err = tally.transfer(input)
	default:
		err = errors.New("a suite asks for a snapshot to be held where it cannot be")
	}
	tally.operations++
	return err
}

// answer is that of an operation that found its key or did not, and had no more to say.
func (tally *tally) answer(found bool) {
	if found {
		tally.digest.Word(1)
	} else {
		tally.digest.Word(0)
	}
}

func (tally *tally) lookedUp(found bool) {
	if found {
		tally.rows++
	} else {
		tally.missed++
	}
}

// readAccounts adds up all rows, in the transaction that is open.
func (tally *tally) readAccounts() (accounts, error) {
	all := sum{anything: tally.nothing}
	if err := tally.session.Scan(all.add); err != nil {
		return accounts{}, err
	}
	return all.accounts, all.err
}

func (tally *tally) audit(input *input) error {
	if input.all {
		found, err := tally.readAccounts()
		if err == nil {
			tally.audited(found)
		}
		return err
	}
	found := sum{anything: tally.nothing}
	if err := tally.session.Range(input.key, input.number, found.add); err != nil || found.err != nil {
		return errors.Join(err, found.err)
	}
	tally.rows += found.count
	tally.digest.Word(found.count)
	if found.count != input.number && tally.short == nil {
		tally.short = &[2]uint64{found.count, input.number}
	}
	return nil
}

// audited takes what an audit of all accounts has found.
func (tally *tally) audited(found accounts) {
	tally.rows += found.count
	tally.digest.Word(found.balances)
	if tally.before.brokenBy(found) != "" && tally.broken == nil {
		tally.broken = &found
	}
	if found.versions < tally.least && tally.stale == nil {
		tally.stale = &[2]uint64{found.versions, tally.least}
	}
}

func (tally *tally) transfer(input *input) error {
	from, err := tally.account(input.key)
	if err != nil {
		return err
	}
	to, err := tally.account(input.value)
	if err != nil {
		return err
	}
	from, to = from.transfer(to, input.number)
	if err := tally.session.Put(input.key, from.stored(tally.stored)); err != nil {
		return err
	}
	if err := tally.session.Put(input.value, to.stored(tally.stored)); err != nil {
		return err
	}
	tally.digest.Word(from.balance)
	tally.digest.Word(to.balance)
	tally.rows += 2
	tally.transfers++
	tally.lastRecord, tally.lastVersion = input.record, from.version
	return nil
}

// account reads one, in the transaction that is open.
func (tally *tally) account(key []byte) (account, error) {
	found, err := tally.session.Get(key, tally.seeAccount)
	switch {
	case err != nil:
		return account{}, err
	case tally.nothing:
		return account{}, nil
	case !found:
		return account{}, fmt.Errorf("there is no account `%s`", key)
	}
	return tally.seen, tally.seenErr
}
