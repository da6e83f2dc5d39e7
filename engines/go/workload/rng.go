// Package workload provides what every engine measures with: seeded inputs, digests of answers, a recorder of
// latencies, and counters of the process.
package workload

import "math/bits"

const gamma = 0x9E3779B97F4A7C15

// SplitMix64 is the generator behind every random key, value and choice. It draws the same numbers in every
// language.
type SplitMix64 struct{ state uint64 }

// NewSplitMix64 returns the stream that starts at a seed.
func NewSplitMix64(seed uint64) *SplitMix64 { return &SplitMix64{seed} }

// Stream returns the stream with a number below a seed. A test draws from the stream of its number, so that leaving
// out a test does not change what the others draw.
func Stream(seed, number uint64) *SplitMix64 {
	return &SplitMix64{mix(seed + gamma*(number+1))}
}

// Next draws 64 bits.
func (random *SplitMix64) Next() uint64 {
	random.state += gamma
	return mix(random.state)
}

// Below draws a number from 0 up to but not including a bound; 0 if the bound is 0.
func (random *SplitMix64) Below(bound uint64) uint64 {
	high, _ := bits.Mul64(random.Next(), bound)
	return high
}

// Unit draws a number from 0 up to but not including 1, with 53 bits.
func (random *SplitMix64) Unit() float64 { return float64(random.Next()>>11) / (1 << 53) }

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}
