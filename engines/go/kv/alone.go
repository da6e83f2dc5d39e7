package kv

import (
	"fmt"

	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// one is a running test of one thread.
type one struct {
	*tally
	test     *protocol.KvTest
	inputs   *inputs
	recorder *workload.Recorder
	// held reports whether one read transaction is held over all reads.
	held bool
}

// perform runs the operations of a test.
func (one *one) perform() error {
	scans := len(one.test.Work) == 1 && one.test.Work[0].Op == "scan"
	switch one.test.Transaction.Word {
	case "read":
		if scans || one.held {
			return one.readHeld(scans)
		}
		one.recorder.Start()
		return one.repeat(one.test.Operations, one.readAlone)
	case "each":
		one.recorder.Start()
		return one.repeat(one.test.Operations, one.alone)
	case "one":
		return one.batches(one.test.Operations)
	case "batch":
		return one.batches(one.test.Transaction.Batch)
	}
	return fmt.Errorf("transaction `%s` of a test: expected read, each, one or a batch", one.test.Transaction.Word)
}

// readHeld reads in one transaction. If it is held over all reads, it begins before the timer starts.
func (one *one) readHeld(scans bool) error {
	transaction := Snapshot
	if !one.held {
		transaction = Reading
		one.recorder.Start()
	}
	return one.within(transaction, func() error {
		if one.held {
			one.recorder.Start()
		}
		if !scans {
			return one.repeat(one.test.Operations, one.read)
		}
		return one.session.Scan(func(key, value []byte) {
			one.digestRow(key, value)
			one.recorder.Lap()
		})
	})
}

func (one *one) readAlone(input *input) error {
	if input.op.writes() {
		return one.read(input)
	}
	return one.alone(input)
}

func (one *one) repeat(operations uint64, do func(*input) error) error {
	for range operations {
		input, err := one.inputs.next(one.recorder)
		if err == nil {
			err = do(input)
		}
		if err != nil {
			return err
		}
		one.recorder.Lap()
	}
	return nil
}

// batches writes in transactions of this many operations. A commit's time is part of the last operation of its
// batch, and the next begin's time is part of the first. If one transaction covers the whole test, its begin is
// before the timer.
func (one *one) batches(batch uint64) error {
	one.recorder.Start()
	for done := uint64(0); done < one.test.Operations; {
		if err := one.session.Begin(Writing); err != nil {
			return err
		}
		if one.test.Transaction.Word == "one" {
			one.recorder.Start()
		}
		size := min(max(batch, 1), one.test.Operations-done)
		if err := one.repeat(size-1, one.apply); err != nil {
			return err
		}
		last, err := one.inputs.next(one.recorder)
		if err == nil {
			err = one.apply(last)
		}
		if err == nil {
			err = one.session.Commit()
		}
		if err != nil {
			return err
		}
		one.recorder.Lap()
		done += size
	}
	return nil
}
