package workload

import "math/bits"

// AtSpeed returns when something is due, in ns from the start, at a percentage of the recorded speed. ns is when it
// began in the recording.
func AtSpeed(ns, percent uint64) int64 {
	const latest = 1 << 62
	percent = max(percent, 1)
	high, low := bits.Mul64(ns, 100)
	if high >= percent {
		return latest
	}
	due, _ := bits.Div64(high, low, percent)
	return int64(min(due, latest))
}
