package kv

import (
	"errors"
	"fmt"

	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// counts are the totals of one thread's operations.
type counts struct {
	operations, rows uint64
	digest           workload.Digest
	// transfers is the number of committed transfers.
	transfers uint64
	// missed is the number of reads of a key, or from a key on, that found nothing.
	missed uint64
	// unexpected is the number of reads that found a row for a key that no record has.
	unexpected uint64
	// lastRecord is the account that the last transfer took from, and lastVersion is its version since then.
	lastRecord, lastVersion uint64
}

// findings are what was found wrong: the first of each kind.
type findings struct {
	// broken is what an audit found instead of the expected accounts.
	broken *accounts
	// short is how many accounts a partial audit found, and how many it had to find.
	short *[2]uint64
	// stale is the sum of the versions that an audit found, and the least that it had to find.
	stale *[2]uint64
	// moved is what was found in one snapshot, earlier and later.
	moved *[2]accounts
	// read describes a read that did not see what was committed before it began.
	read string
}

// tally runs operations in a session and adds up their results.
type tally struct {
	counts
	findings
	session Session
	remove  func(key []byte) error
	// before are the accounts that audits must find, and least is the least sum of their versions.
	before accounts
	least  uint64
	// nothing reports whether the answers come from a store that does nothing.
	nothing bool

	// The visitors of rows are created once, so that no operation has to create one.
	digestValue, seeAccount func(value []byte)
	digestRow               func(key, value []byte)
	seen                    account
	seenErr                 error
	// stored is memory without pointers: some drivers pass it to C, which must not receive memory with pointers in
	// it.
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

// verification returns the checksum of all answers.
func (counts counts) verification() *string {
	digest := counts.digest
	digest.Word(counts.rows)
	text := digest.String()
	return &text
}

// state adds the whole content to the checksum.
func (tally *tally) state() error {
	rows := tally.rows
	err := tally.within(Snapshot, func() error { return tally.session.Scan(tally.digestRow) })
	tally.rows = rows
	return err
}

// within runs work in a transaction.
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

// alone does an operation in a transaction of its own, for reading or for writing as needed. An operation that is
// rolled back does not count.
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

// together does operations in one write transaction. A transaction that is rolled back does not count.
func (tally *tally) together(batch []input) error {
	before := tally.counts
	err := tally.within(Writing, func() error {
		for at := range batch {
			if err := tally.apply(&batch[at]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		tally.counts = before
	}
	return err
}

// read does an operation in the open read transaction.
func (tally *tally) read(input *input) error {
	if input.op.writes() {
		return errors.New("the suite asks for a write in a read transaction")
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
	case opMiss:
		var found bool
		if found, err = tally.session.Get(input.key, tally.digestValue); found {
			tally.rows++
			tally.unexpected++
		}
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
		// A remove counts like a put. The store has not checked the key, so only the request can be counted.
		err = tally.remove(input.key)
		tally.rows++
	case opTransfer:
		err = tally.transfer(input)
	default:
		err = errors.New("the suite asks for a snapshot where none can be held")
	}
	tally.operations++
	return err
}

// answer digests the result of an operation that reports only whether it found its key.
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

// readAccounts adds up all rows, in the open transaction.
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

// audited records what an audit of all accounts has found.
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

// account reads one account, in the open transaction.
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
