package kv

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// Inputs are drawn in blocks of this many operations, or of fewer if they are long, so that a block stays in the
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
	op  operation
	key []byte
	// value is the value to write, or the key of the other account of a transfer.
	value []byte
	// number is the number of rows of a range, the amount of a transfer, or the number of accounts of an audit.
	number uint64
	// all reports whether an audit covers all accounts.
	all bool
	// record is the index of the record that the key belongs to.
	record uint64
}

// inputs draws the operations of one thread, a block at a time.
type inputs struct {
	random  *workload.SplitMix64
	kinds   []kind
	weights uint64
	key     workload.Template
	keys    keys
	records uint64
	ordinal uint64
	// total is the maximum number of operations.
	total uint64
	// A block has a multiple of together operations.
	together uint64
	// bytes are the block's keys and values, one after the other. ends are the positions where they end.
	bytes []byte
	ends  []int
	block []input
	taken int
}

// newInputs returns the inputs of a thread, numbered from 0, of threads that do the same work.
func newInputs(test *protocol.KvTest, load *protocol.KvLoad, random *workload.SplitMix64, thread, threads uint64) (*inputs, error) {
	key, err := workload.NewTemplate(test.Key)
	if err != nil {
		return nil, err
	}
	kinds, err := kinds(load)
	if err != nil {
		return nil, err
	}
	keys, err := newKeys(load.Keys, test.Records, thread, threads, random)
	if err != nil {
		return nil, err
	}
	inputs := &inputs{random: random, kinds: kinds, key: key, keys: keys, records: test.Records, total: math.MaxUint64, together: 1}
	for _, kind := range kinds {
		inputs.weights += kind.weight
	}
	return inputs, nil
}

// aloneInputs returns the inputs of a test of one thread.
func aloneInputs(seed uint64, test *protocol.KvTest) (*inputs, error) {
	inputs, err := newInputs(test, &test.KvLoad, workload.Stream(seed, test.Number), 0, 1)
	if err == nil {
		inputs.total = test.Operations
	}
	return inputs, err
}

// next returns the next operation. If the block is used up, the timer is stopped while another is drawn.
func (inputs *inputs) next(recorder *workload.Recorder) *input {
	if inputs.isDrawnOut() {
		recorder.StandStill(inputs.drawBlock)
	}
	return inputs.take()
}

// isDrawnOut reports whether all drawn operations have been taken.
func (inputs *inputs) isDrawnOut() bool { return inputs.taken == len(inputs.block) }

func (inputs *inputs) take() *input {
	inputs.taken++
	return &inputs.block[inputs.taken-1]
}

// takeBatch returns the next operations, at most count and those that are left in the block.
func (inputs *inputs) takeBatch(count uint64) []input {
	from := inputs.taken
	inputs.taken = min(len(inputs.block), from+int(count))
	return inputs.block[from:inputs.taken]
}

func (inputs *inputs) drawBlock() {
	inputs.bytes, inputs.ends, inputs.block, inputs.taken = inputs.bytes[:0], inputs.ends[:0], inputs.block[:0], 0
	for inputs.ordinal < inputs.total {
		inputs.draw()
		isFull := len(inputs.block) >= blockOperations || len(inputs.bytes) >= blockBytes
		if isFull && uint64(len(inputs.block))%inputs.together == 0 {
			break
		}
	}
	// From now on the bytes stay where they are.
	from := 0
	for at := range inputs.block {
		key, value := inputs.ends[2*at], inputs.ends[2*at+1]
		inputs.block[at].key, inputs.block[at].value = inputs.bytes[from:key], inputs.bytes[key:value]
		from = value
	}
}

// pick draws an operation's kind, but only if there are several.
func (inputs *inputs) pick() *kind {
	if len(inputs.kinds) == 1 {
		return &inputs.kinds[0]
	}
	drawn := inputs.random.Below(inputs.weights)
	for at := range inputs.kinds {
		if drawn < inputs.kinds[at].weight {
			return &inputs.kinds[at]
		}
		drawn -= inputs.kinds[at].weight
	}
	// Not reached: the drawn number is below the sum of the weights.
	return &inputs.kinds[0]
}

// draw draws an operation's kind, then its key, then its other values.
func (inputs *inputs) draw() {
	kind := inputs.pick()
	drawn := input{op: kind.op}
	switch {
	case kind.op == opInsert:
		drawn.record = inputs.keys.insert()
	case kind.op == opAudit && kind.accounts != nil:
		// From this record on, there are as many accounts as the audit reads. A small database has fewer.
		drawn.number = min(inputs.records, *kind.accounts)
		last := inputs.records - min(inputs.records, *kind.accounts)
		drawn.record = min(inputs.keys.draw(inputs.ordinal, inputs.random), last)
	default:
		drawn.record = inputs.keys.draw(inputs.ordinal, inputs.random)
		drawn.all = kind.op == opAudit
	}
	inputs.render(&inputs.key, drawn.record)
	if kind.op == opMiss {
		// With one byte more it is the key of no record.
		inputs.bytes = append(inputs.bytes, '~')
	}
	inputs.ends = append(inputs.ends, len(inputs.bytes))
	switch kind.op {
	case opPut, opInsert, opModify:
		inputs.render(&kind.value, drawn.record)
	case opRange:
		drawn.number = inputs.between(kind.least, kind.most)
	case opTransfer:
		// Any other account, with equal probability.
		other := inputs.random.Below(max(inputs.records, 1) - 1)
		if other >= drawn.record {
			other++
		}
		inputs.render(&inputs.key, other)
		drawn.number = inputs.between(kind.least, kind.most)
	}
	inputs.ends = append(inputs.ends, len(inputs.bytes))
	inputs.block = append(inputs.block, drawn)
	inputs.ordinal++
}

func (inputs *inputs) render(template *workload.Template, record uint64) {
	inputs.bytes = template.Append(inputs.bytes, record, inputs.ordinal, inputs.random)
}

func (inputs *inputs) between(least, most uint64) uint64 {
	return least + inputs.random.Below(max(most, least)-least+1)
}
