package kv

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dbdyno/dbdyno/engines/go/protocol"
)

// AppendOperation appends an operation as the file of a thread has it.
func AppendOperation(to []byte, work int, atNs, number uint64, key string) []byte {
	for _, number := range []uint64{uint64(work), atNs, number, uint64(len(key))} {
		to = binary.AppendUvarint(to, number)
	}
	return append(to, key...)
}

// recordedOf returns the inputs of a file with these bytes, whose work puts, gets, modifies and reads ranges.
func recordedOf(t *testing.T, bytes []byte) *inputs {
	t.Helper()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "keys-2-7"), bytes, 0o600); err != nil {
		t.Fatal(err)
	}
	load := &protocol.KvLoad{Work: []protocol.KvWork{
		{Op: "put", Value: "recorded"}, {Op: "get"}, {Op: "modify", Value: "recorded"}, {Op: "range", Least: 1, Most: 10},
	}}
	recorded, err := openRecordedInputs(&folder, 2, 7, load)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(recorded.Close)
	return &inputs{source: recorded}
}

// The expected values are those of the test of dbdyno's own harness.
func TestValuesHaveTheirLengthAndDifferEachTime(t *testing.T) {
	for _, of := range []struct {
		ordinal  uint64
		length   int
		expected string
	}{{0, 12, "0vYKGeBw3GNd"}, {1, 12, "mODBF905Hd0v"}, {1, 10, "mODBF905Hd"}, {1, 0, ""}} {
		if found := string(appendValue([]byte("before"), []byte("key"), of.ordinal, of.length)); found != "before"+of.expected {
			t.Errorf("operation %d, %d bytes: `%s`, expected `%s` after `before`", of.ordinal, of.length, found, of.expected)
		}
	}
}

func TestRecordedOperationsAreReadBlockByBlock(t *testing.T) {
	const operations, long = 600, 20_000
	var file []byte
	for at := range uint64(operations) {
		file = AppendOperation(file, int(at%4), 1_000*at, at%50, fmt.Sprintf("key%d", at%9))
	}
	for range 3 {
		file = AppendOperation(file, 0, 1<<40, long, "long")
	}
	inputs := recordedOf(t, file)
	var sizes []int
	for at := uint64(0); ; {
		if err := inputs.fill(); err != nil {
			t.Fatal(err)
		}
		if inputs.isUsedUp() {
			break
		}
		sizes = append(sizes, len(inputs.ready))
		for ; !inputs.isUsedUp(); at++ {
			atNs := inputs.nextAtNs()
			read := inputs.take()
			if at >= operations {
				if atNs != 1<<40 || len(read.value) != long || string(read.key) != "long" {
					t.Fatalf("operation %d: a value of %d bytes at %d ns", at, len(read.value), atNs)
				}
				continue
			}
			key, value := fmt.Sprintf("key%d", at%9), ""
			if at%2 == 0 {
				value = string(appendValue(nil, []byte(key), at, int(at%50)))
			}
			work, op := int(at%4), []operation{opPut, opGet, opModify, opRange}[at%4]
			if atNs != 1_000*at || read.work != work || read.op != op || read.number != at%50 || string(read.key) != key || string(read.value) != value {
				t.Fatalf("operation %d at %d ns: %+v, expected `%s` and `%s`", at, atNs, read, key, value)
			}
		}
	}
	if fmt.Sprint(sizes) != "[256 256 90 1]" {
		t.Errorf("blocks of %v operations: expected full ones, and one that ends with two long values", sizes)
	}
}

func TestWhatAreNoOperationsIsAnErrorWithItsFile(t *testing.T) {
	for text, bytes := range map[string][]byte{
		"there is no work 4: expected less than 4": {4},
		"the file ends early":                      {0, 0, 0},
		"file ends early":                          {0, 0, 0, 2, 1},
		"above the limit":                          AppendOperation(nil, 0, 0, 1<<30+1, "key"),
		"overflows":                                {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80},
	} {
		err := recordedOf(t, append(AppendOperation(nil, 1, 0, 0, "key"), bytes...)).fill()
		if err == nil || !strings.Contains(err.Error(), text) || !strings.Contains(err.Error(), "keys-2-7: ") {
			t.Errorf("`%v`, expected `%s` with the file", err, text)
		}
	}
}
