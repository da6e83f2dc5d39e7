package workload

import "math/bits"

// Shuffle is a permutation of the numbers from 0 up to but not including a count, without a table of them. A Feistel
// network of four rounds maps a number repeatedly until it falls below the count.
type Shuffle struct {
	count, seed uint64
	half        int
}

// NewShuffle returns the permutation of a seed.
func NewShuffle(count, seed uint64) Shuffle {
	width := 0
	if count > 0 {
		width = bits.Len64(count - 1)
	}
	return Shuffle{count, seed, max(1, (width+1)/2)}
}

// Number returns the number at a place. Places beyond the count wrap around.
func (shuffle *Shuffle) Number(place uint64) uint64 {
	if shuffle.count == 0 {
		return 0
	}
	number := shuffle.scatter(place % shuffle.count)
	for number >= shuffle.count {
		number = shuffle.scatter(number)
	}
	return number
}

func (shuffle *Shuffle) scatter(number uint64) uint64 {
	mask := uint64(1)<<shuffle.half - 1
	left, right := number>>shuffle.half, number&mask
	for round := range uint64(4) {
		random := SplitMix64{mix(shuffle.seed + gamma*((round<<shuffle.half|right)+1))}
		left, right = right, left^random.Next()&mask
	}
	return left<<shuffle.half | right
}
