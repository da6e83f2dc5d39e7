package kv

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"github.com/dbdyno/dbdyno/engines/go/wire"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// recordedInputs reads the operations of one thread from the file of a recording. Values are drawn, because
// recordings of keys have only their lengths.
type recordedInputs struct {
	*wire.Reader
	kinds   []kind
	ordinal uint64
}

// openRecordedInputs opens the file of a test's thread.
func openRecordedInputs(folder *string, test uint64, thread int, load *protocol.KvLoad) (*recordedInputs, error) {
	if folder == nil {
		return nil, errors.New("the suite has no folder with the files of its recording")
	}
	kinds, err := kinds(load)
	if err != nil {
		return nil, err
	}
	file, err := wire.Open(filepath.Join(*folder, fmt.Sprintf("keys-%d-%d", test, thread)))
	return &recordedInputs{Reader: file, kinds: kinds}, err
}

func (recorded *recordedInputs) fill(block *block) error {
	block.clear()
	for !block.isFull() && !recorded.IsOver() {
		if err := recorded.read(block); err != nil {
			return err
		}
	}
	block.settle()
	return recorded.Err()
}

// read reads an operation: the place of its work, when it began, its number, and its key.
func (recorded *recordedInputs) read(block *block) error {
	next, from := input{work: recorded.Length()}, len(block.bytes)
	if works := len(recorded.kinds); next.work >= works {
		recorded.Fail(fmt.Errorf("there is no work %d: expected less than %d", next.work, works))
	}
	next.atNs, next.number = recorded.Number(), uint64(recorded.Length())
	block.bytes = recorded.AppendBytes(block.bytes)
	if err := recorded.Err(); err != nil {
		return err
	}
	block.end()
	next.op = recorded.kinds[next.work].op
	if next.op == opPut || next.op == opModify {
		block.bytes = appendValue(block.bytes, block.bytes[from:], recorded.ordinal, int(next.number))
	}
	block.end()
	block.ready = append(block.ready, next)
	recorded.ordinal++
	return nil
}

const (
	// characters are those of values, by six bits.
	characters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+/"
	// fromNumber is how many characters come from one number.
	fromNumber = 10
)

// appendValue appends the value of an operation on a key. It differs each time, so that a value that was not replaced
// is noticed.
func appendValue(to, key []byte, ordinal uint64, length int) []byte {
	var seed workload.Digest
	seed.Bytes(key)
	seed.Word(ordinal)
	random := workload.NewSplitMix64(uint64(seed))
	to = slices.Grow(to, length)
	for end := len(to) + length; len(to) < end; {
		number := random.Next()
		for range min(end-len(to), fromNumber) {
			to = append(to, characters[number&63])
			number >>= 6
		}
	}
	return to
}
