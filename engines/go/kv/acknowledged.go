package kv

import (
	"errors"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// acknowledged is what the threads of a test have committed: who begins to read afterwards has to see it.
type acknowledged []committed

// committed is what one thread has committed, which alone writes it: on cache lines of its own.
type committed struct {
	transfers atomic.Uint64
	// account is that which the last transfer took from and its version since, each 32 bits; 0 where there is none.
	account atomic.Uint64
	_       [112]byte
}

// commit puts down that a thread's commit was acknowledged. What does not fit is not put down, and so not looked for.
func (acknowledged acknowledged) commit(thread int, counts *counts) {
	if max(counts.lastRecord, counts.lastVersion) <= math.MaxUint32 {
		acknowledged[thread].account.Store(counts.lastRecord<<32 | counts.lastVersion)
	}
	acknowledged[thread].transfers.Store(counts.transfers)
}

// transfers are those that whoever begins to read now has to see.
func (acknowledged acknowledged) transfers() uint64 {
	var sum uint64
	for at := range acknowledged {
		sum += acknowledged[at].transfers.Load()
	}
	return sum
}

// stamp is an account as a commit that was acknowledged has left it.
type stamp struct{ record, version uint64 }

// stamps are the accounts that threads wrote last.
func (acknowledged acknowledged) stamps() []stamp {
	var stamps []stamp
	for at := range acknowledged {
		if word := acknowledged[at].account.Load(); word > 0 {
			stamps = append(stamps, stamp{word >> 32, word & math.MaxUint32})
		}
	}
	return stamps
}

// look reads the account in a transaction that begins now; what is wrong with it, if anything.
func (stamp stamp) look(tally *tally, key *workload.Template) (string, error) {
	name := key.Append(nil, stamp.record, 0, workload.NewSplitMix64(0))
	var found account
	err := tally.within(Reading, func() (err error) {
		found, err = tally.account(name)
		return err
	})
	switch {
	case errors.Is(err, ErrBusy):
		// Another time.
		return "", nil
	case err != nil:
		return "", err
	case found.version >= stamp.version:
		return "", nil
	}
	return fmt.Sprintf("a read of `%s` found version %d, after version %d of it was committed", name, found.version, stamp.version), nil
}
