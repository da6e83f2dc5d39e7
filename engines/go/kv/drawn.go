package kv

import (
	"math"

	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// drawnInputs draws the operations of one thread.
type drawnInputs struct {
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
}

// newDrawnInputs returns the inputs of a thread, numbered from 0, of threads that do the same work.
func newDrawnInputs(test *protocol.KvTest, load *protocol.KvLoad, random *workload.SplitMix64, thread, threads uint64) (*drawnInputs, error) {
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
	drawn := &drawnInputs{random: random, kinds: kinds, key: key, keys: keys, records: test.Records, total: math.MaxUint64, together: 1}
	for _, kind := range kinds {
		drawn.weights += kind.weight
	}
	return drawn, nil
}

// Close does nothing: only recorded inputs have a file.
func (*drawnInputs) Close() {}

func (drawn *drawnInputs) fill(block *block) error {
	block.clear()
	for drawn.ordinal < drawn.total {
		drawn.draw(block)
		if block.isFull() && uint64(len(block.ready))%drawn.together == 0 {
			break
		}
	}
	block.settle()
	return nil
}

// pick draws the place of an operation's kind, but only if there are several.
func (drawn *drawnInputs) pick() int {
	if len(drawn.kinds) == 1 {
		return 0
	}
	number := drawn.random.Below(drawn.weights)
	for at := range drawn.kinds {
		if number < drawn.kinds[at].weight {
			return at
		}
		number -= drawn.kinds[at].weight
	}
	// Not reached: the drawn number is below the sum of the weights.
	return 0
}

// draw draws an operation's kind, then its key, then its other values.
func (drawn *drawnInputs) draw(block *block) {
	work := drawn.pick()
	kind := &drawn.kinds[work]
	next := input{op: kind.op, work: work}
	switch {
	case kind.op == opInsert:
		next.record = drawn.keys.insert()
	case kind.op == opAudit && kind.accounts != nil:
		// From this record on, there are as many accounts as the audit reads. A small database has fewer.
		next.number = min(drawn.records, *kind.accounts)
		last := drawn.records - min(drawn.records, *kind.accounts)
		next.record = min(drawn.keys.draw(drawn.ordinal, drawn.random), last)
	default:
		next.record = drawn.keys.draw(drawn.ordinal, drawn.random)
		next.all = kind.op == opAudit
	}
	drawn.render(block, &drawn.key, next.record)
	if kind.op == opMiss {
		// With one byte more it is the key of no record.
		block.bytes = append(block.bytes, '~')
	}
	block.end()
	switch kind.op {
	case opPut, opInsert, opModify:
		drawn.render(block, &kind.value, next.record)
	case opRange:
		next.number = drawn.between(kind.least, kind.most)
	case opTransfer:
		// Any other account, with equal probability.
		other := drawn.random.Below(max(drawn.records, 1) - 1)
		if other >= next.record {
			other++
		}
		drawn.render(block, &drawn.key, other)
		next.number = drawn.between(kind.least, kind.most)
	}
	block.end()
	block.ready = append(block.ready, next)
	drawn.ordinal++
}

func (drawn *drawnInputs) render(block *block, template *workload.Template, record uint64) {
	block.bytes = template.Append(block.bytes, record, drawn.ordinal, drawn.random)
}

func (drawn *drawnInputs) between(least, most uint64) uint64 {
	return least + drawn.random.Below(max(most, least)-least+1)
}
