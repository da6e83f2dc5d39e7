package workload

import (
	"sort"

	"github.com/dbdyno/dbdyno/engines/go/protocol"
)

// Popular draws from groups of equally popular records, with integers only, so every language draws the same records.
type Popular struct {
	groups []group
	// weights is the sum of the weights.
	weights uint64
	scatter Shuffle
}

type group struct {
	// first is the rank of the group's first record, from 0. weights is the sum of the weights up to and including
	// this group.
	first, records, weights uint64
}

// scatterSeed gives the order in which ranks are scattered over the records: the same in every test and thread, so the
// popular records are too.
const scatterSeed = 0x706f_7075_6c61_7221

// NewPopular returns a Popular that draws from the records of all groups.
func NewPopular(popularity []protocol.Popularity) Popular {
	var all Popular
	first := uint64(0)
	for _, one := range popularity {
		all.weights += one.Weight
		all.groups = append(all.groups, group{first, one.Records, all.weights})
		first += one.Records
	}
	all.scatter = NewShuffle(first, scatterSeed)
	return all
}

// Record draws a record.
func (popular *Popular) Record(random *SplitMix64) uint64 {
	drawn := random.Below(popular.weights)
	at := sort.Search(len(popular.groups), func(at int) bool { return popular.groups[at].weights > drawn })
	rank := popular.groups[at].first
	// A group of one needs no second number.
	if popular.groups[at].records > 1 {
		rank += random.Below(popular.groups[at].records)
	}
	return popular.scatter.Number(rank)
}
