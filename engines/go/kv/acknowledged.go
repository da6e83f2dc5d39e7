package kv

import (
	"errors"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// acknowledged is what the threads of a test have committed. Reads that begin afterwards must see it.
type acknowledged []committed

// committed is what one thread has committed. Only that thread writes it, so it is on cache lines of its own.
type committed struct {
	transfers atomic.Uint64
	// account is the account that the last transfer took from and its version since then, 32 bits each; 0 means
	// none.
	account atomic.Uint64
	_       [112]byte
}

// commit records that a thread's commit was acknowledged. An account that does not fit is not recorded, and so not
// checked.
func (acknowledged acknowledged) commit(thread int, counts *counts) {
	if max(counts.lastRecord, counts.lastVersion) <= math.MaxUint32 {
		acknowledged[thread].account.Store(counts.lastRecord<<32 | counts.lastVersion)
	}
	acknowledged[thread].transfers.Store(counts.transfers)
}

// transfers returns the number of transfers that a read that begins now must see.
func (acknowledged acknowledged) transfers() uint64 {
	var sum uint64
	for at := range acknowledged {
		sum += acknowledged[at].transfers.Load()
	}
	return sum
}

// stamp is an account as an acknowledged commit left it.
type stamp struct{ record, version uint64 }

// stamps returns the accounts that the threads wrote last.
func (acknowledged acknowledged) stamps() []stamp {
	var stamps []stamp
	for at := range acknowledged {
		if word := acknowledged[at].account.Load(); word > 0 {
			stamps = append(stamps, stamp{word >> 32, word & math.MaxUint32})
		}
	}
	return stamps
}

// look reads the account in a transaction that begins now. It returns what is wrong with it, or an empty string.
func (stamp stamp) look(tally *tally, key *workload.Template) (string, error) {
	name := key.Append(nil, stamp.record, 0, workload.NewSplitMix64(0))
	var found account
	err := tally.within(Reading, func() (err error) {
		found, err = tally.account(name)
		return err
	})
	switch {
	case errors.Is(err, ErrBusy):
		// The account is checked another time.
		return "", nil
	case err != nil:
		return "", err
	case found.version >= stamp.version:
		return "", nil
	}
	return fmt.Sprintf("a read of `%s` found version %d, after version %d of it was committed", name, found.version, stamp.version), nil
}
