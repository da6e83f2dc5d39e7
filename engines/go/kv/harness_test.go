package kv

import (
	"testing"

	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// BenchmarkRead measures what this package costs for each read, inside the timer.
func BenchmarkRead(b *testing.B) {
	test := &protocol.KvTest{
		Operations: uint64(b.N), Records: 10_000, Key: "key_{key:8}", ClockEvery: 1,
		KvLoad: protocol.KvLoad{
			Keys: protocol.Keys{Order: "uniform"}, Work: []protocol.KvWork{{Weight: 1, Op: "get"}}, Transaction: protocol.Scope{Word: "read"},
		},
	}
	inputs, err := aloneInputs(1, test)
	if err != nil {
		b.Fatal(err)
	}
	one := &one{
		tally: newTally(&nullSession{database: &nullDatabase{}}, accounts{}, true), test: test, inputs: inputs,
		recorder: workload.NewRecorder(1, workload.NewLatencies()),
	}
	b.ReportAllocs()
	b.ResetTimer()
	if err := one.perform(); err != nil {
		b.Fatal(err)
	}
	one.recorder.Finish()
	b.ReportMetric(float64(one.recorder.WallNs())/float64(b.N), "timed-ns/op")
}
