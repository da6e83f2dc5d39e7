package kv

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// Inputs are prepared in blocks of this many operations, or of fewer if they are long, so that a block stays in the
// processor's cache.
const (
	blockOperations = 256
	blockBytes      = 32 << 10
)

// operation is a kind of operation on a key.
type operation uint8

const (
	opGet operation = iota
	opMiss
	opExists
	opScan
	opRange
	opAudit
	opHold
	opPut
	opDelete
	opRemove
	opInsert
	opModify
	opTransfer
)

// words are the names of the operations in a suite.
var words = [...]string{
	opGet: "get", opMiss: "miss", opExists: "exists", opScan: "scan", opRange: "range", opAudit: "audit", opHold: "hold", opPut: "put",
	opDelete: "delete", opRemove: "remove", opInsert: "insert", opModify: "modify", opTransfer: "transfer",
}

func (op operation) writes() bool { return op >= opPut }

// kind is a kind of operation with its relative frequency.
type kind struct {
	op          operation
	weight      uint64
	value       workload.Template
	least, most uint64
	// accounts is the number of accounts of an audit; nil means all.
	accounts *uint64
}

// kinds returns the kinds of operation of a load.
func kinds(load *protocol.KvLoad) ([]kind, error) {
	var all []kind
	for _, work := range load.Work {
		op := slices.Index(words[:], work.Op)
		if op < 0 {
			return nil, fmt.Errorf("operation `%s` of a test: this engine has %s", work.Op, strings.Join(words[:], ", "))
		}
		value, err := workload.NewTemplate(work.Value)
		if err != nil {
			return nil, err
		}
		all = append(all, kind{operation(op), work.Weight, value, work.Least, work.Most, work.Accounts})
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("a test has no work: expected operations")
	}
	for _, kind := range all {
		if alone := kind.op == opScan || kind.op == opHold; alone && len(all) > 1 {
			return nil, fmt.Errorf("operation `%s` of a test: expected it alone", words[kind.op])
		}
	}
	return all, nil
}

// input is an operation with its key.
type input struct {
	op operation
	// work is the place of its kind in the thread's work.
	work int
	key  []byte
	// value is the value to write, or the key of the other account of a transfer.
	value []byte
	// number is the number of rows of a range, the amount of a transfer, or the number of accounts of an audit.
	number uint64
	// all reports whether an audit covers all accounts.
	all bool
	// record is the index of the record that the key belongs to.
	record uint64
	// atNs is when it began in a recording, in ns.
	atNs uint64
}

// source prepares the operations of one thread.
type source interface {
	// fill replaces the content of a block. At the end of the operations the block is empty.
	fill(*block) error
	Close()
}

// inputs are the operations of one thread, a block at a time.
type inputs struct {
	source source
	block
}

// aloneInputs returns the inputs of a test of one thread.
func aloneInputs(seed uint64, test *protocol.KvTest) (*inputs, error) {
	if test.Keys.Order == protocol.Recorded {
		return nil, errors.New("recorded keys: expected actors that have them")
	}
	drawn, err := newDrawnInputs(test, &test.KvLoad, workload.Stream(seed, test.Number), 0, 1)
	if err != nil {
		return nil, err
	}
	drawn.total = test.Operations
	return &inputs{source: drawn}, nil
}

// next returns the next operation of drawn ones. If the block is used up, the timer is stopped while it is filled.
func (inputs *inputs) next(recorder *workload.Recorder) (*input, error) {
	if inputs.isUsedUp() {
		var err error
		recorder.StandStill(func() { err = inputs.fill() })
		if err != nil {
			return nil, err
		}
	}
	return inputs.take(), nil
}

// fill fills the block again. It is empty at the end of a recording.
func (inputs *inputs) fill() error { return inputs.source.fill(&inputs.block) }

// block has operations that are ready.
type block struct {
	// bytes are the keys and values, one after the other. ends are the positions where they end.
	bytes []byte
	ends  []int
	ready []input
	taken int
}

// isUsedUp reports whether all operations have been taken.
func (block *block) isUsedUp() bool { return block.taken == len(block.ready) }

func (block *block) take() *input {
	block.taken++
	return &block.ready[block.taken-1]
}

// takeBatch returns the next operations, at most count and those that are left.
func (block *block) takeBatch(count uint64) []input {
	from := block.taken
	block.taken = min(len(block.ready), from+int(count))
	return block.ready[from:block.taken]
}

// nextAtNs returns when the next operation began in the recording, in ns.
func (block *block) nextAtNs() uint64 { return block.ready[block.taken].atNs }

func (block *block) clear() {
	block.bytes, block.ends, block.ready, block.taken = block.bytes[:0], block.ends[:0], block.ready[:0], 0
}

func (block *block) isFull() bool {
	return len(block.ready) >= blockOperations || len(block.bytes) >= blockBytes
}

// end ends a key or a value.
func (block *block) end() { block.ends = append(block.ends, len(block.bytes)) }

// settle gives the operations their keys and values: from now on the bytes stay where they are.
func (block *block) settle() {
	from := 0
	for at := range block.ready {
		key, value := block.ends[2*at], block.ends[2*at+1]
		block.ready[at].key, block.ready[at].value = block.bytes[from:key], block.bytes[key:value]
		from = value
	}
}
