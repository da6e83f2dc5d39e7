package engine

import (
	"fmt"

	"github.com/dbdyno/dbdyno/engines/go/driver"
	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// Inputs are drawn for so many operations at a time, or for fewer where they are long, so that a block stays in the
// processor's cache.
const (
	blockOperations = 256
	blockBytes      = 32 << 10
)

// operation is what is done with a key.
type operation uint8

const (
	opGet operation = iota
	opExists
	opScan
	opPut
	opDelete
	opRemove
)

var operations = map[string]operation{
	"get": opGet, "exists": opExists, "scan": opScan, "put": opPut, "delete": opDelete, "remove": opRemove,
}

// keyOrders are the ways in which newInputs draws keys.
var keyOrders = []string{"ascending", "shuffled", "uniform"}

func (op operation) reads() bool { return op <= opScan }

// kind of operation, and how often it is met.
type kind struct {
	op     operation
	weight uint64
	value  workload.Template
}

// input is an operation with its key, and its value where it writes one.
type input struct {
	op         operation
	key, value driver.Value
}

// inputs draws the operations of a test, a block at a time.
type inputs struct {
	random  *workload.SplitMix64
	kinds   []kind
	weights uint64
	key     workload.Template
	// order is that of the keys; nil where they are drawn.
	order          func(ordinal uint64) uint64
	records        uint64
	ordinal, total uint64
	// bytes are the block's keys and values, one after the other; ends are where they end.
	bytes []byte
	ends  []int
	block []input
	taken int
}

func newInputs(job *protocol.Job, test *protocol.KvTest) (*inputs, error) {
	key, err := workload.NewTemplate(test.Key)
	if err != nil {
		return nil, err
	}
	inputs := &inputs{
		random: workload.Stream(job.Seed, test.Number), key: key, records: test.Records, total: test.Operations,
	}
	switch test.Keys {
	case "ascending":
		inputs.order = func(ordinal uint64) uint64 { return ordinal }
	case "shuffled":
		shuffle := workload.NewShuffle(test.Records, inputs.random.Next())
		inputs.order = shuffle.Number
	case "uniform":
	default:
		return nil, fmt.Errorf("keys `%s` of a test: this engine has ascending, shuffled and uniform", test.Keys)
	}
	for _, work := range test.Work {
		op, found := operations[work.Op]
		if !found || op == opScan && len(test.Work) > 1 {
			return nil, fmt.Errorf("operation `%s` of a test: this engine has get, put, delete, exists, and scan alone", work.Op)
		}
		value, err := workload.NewTemplate(work.Value)
		if err != nil {
			return nil, err
		}
		inputs.kinds = append(inputs.kinds, kind{op, work.Weight, value})
		inputs.weights += work.Weight
	}
	if len(inputs.kinds) == 0 {
		return nil, fmt.Errorf("test %d has no work", test.Number)
	}
	return inputs, nil
}

// next is the next operation. Where the block is done, the timer stands still while another is drawn.
func (inputs *inputs) next(recorder *workload.Recorder) *input {
	if inputs.taken == len(inputs.block) {
		recorder.StandStill(inputs.drawBlock)
	}
	inputs.taken++
	return &inputs.block[inputs.taken-1]
}

func (inputs *inputs) drawBlock() {
	inputs.bytes, inputs.ends, inputs.block, inputs.taken = inputs.bytes[:0], inputs.ends[:0], inputs.block[:0], 0
	for len(inputs.block) < blockOperations && len(inputs.bytes) < blockBytes && inputs.ordinal < inputs.total {
		inputs.draw()
	}
	// The bytes stay where they are from now on.
	from := 0
	for at := range inputs.block {
		key, value := inputs.ends[2*at], inputs.ends[2*at+1]
		inputs.block[at].key = driver.BlobValue(inputs.bytes[from:key])
		inputs.block[at].value = driver.BlobValue(inputs.bytes[key:value])
		from = value
	}
}

// draw draws an operation's kind, but only where there are several, then its key.
func (inputs *inputs) draw() {
	kind := &inputs.kinds[0]
	if len(inputs.kinds) > 1 {
		drawn := inputs.random.Below(inputs.weights)
		for at := range inputs.kinds {
			if kind = &inputs.kinds[at]; drawn < kind.weight {
				break
			}
			drawn -= kind.weight
		}
	}
	var index uint64
	if inputs.order != nil {
		index = inputs.order(inputs.ordinal)
	} else {
		index = inputs.random.Below(inputs.records)
	}
	inputs.bytes = inputs.key.Append(inputs.bytes, index, inputs.ordinal, inputs.random)
	inputs.ends = append(inputs.ends, len(inputs.bytes))
	if kind.op == opPut {
		inputs.bytes = kind.value.Append(inputs.bytes, index, inputs.ordinal, inputs.random)
	}
	inputs.ends = append(inputs.ends, len(inputs.bytes))
	inputs.block = append(inputs.block, input{op: kind.op})
	inputs.ordinal++
}
