package workload

// theta is YCSB's exponent of Zipf's law.
const theta = 0.99

const (
	// scrambledItems are those among which the scattered ranks are drawn, and scrambledZeta is the sum of 1/k^0.99 for k
	// from 1 to there, as YCSB states it.
	scrambledItems = 10_000_000_000
	scrambledZeta  = 26.46902820178302
)

// rest is what the exponent lacks to 1, as the numbers are that other languages compute with: a constant of Go would be
// exact.
var rest = func(exponent float64) float64 { return 1 - exponent }(theta)

// Zipf draws ranks from 0, the lowest the most often: rank k in proportion to 1/(k+1)^0.99, as YCSB does, by the method
// of Gray and others, "Quickly Generating Billion-Record Synthetic Databases" (SIGMOD 1994).
type Zipf struct {
	items            uint64
	zeta, alpha, eta float64
	second           float64
}

// NewZipf draws among so many items; their zeta is added up.
func NewZipf(items uint64) Zipf { return zipfWith(max(items, 1), zeta(max(items, 1))) }

func zeta(items uint64) float64 {
	var sum float64
	for k := uint64(1); k <= items; k++ {
		sum += power(float64(k), -theta)
	}
	return sum
}

func zipfWith(items uint64, zetaOfItems float64) Zipf {
	zipf := Zipf{items: items, zeta: zetaOfItems, second: 1 + power(0.5, theta)}
	zipf.alpha = 1 / rest
	zipf.eta = (1 - power(2/float64(items), rest)) / (1 - zeta(2)/zetaOfItems)
	return zipf
}

// Grow has one item more.
func (zipf *Zipf) Grow() {
	items := zipf.items + 1
	*zipf = zipfWith(items, zipf.zeta+power(float64(items), -theta))
}

// Rank draws one.
func (zipf *Zipf) Rank(random *SplitMix64) uint64 {
	u := random.Unit()
	uz := u * zipf.zeta
	switch {
	case uz < 1:
		return 0
	case uz < zipf.second:
		return 1
	}
	// Each product is rounded by itself, as in every other language.
	rank := float64(zipf.items) * power(float64(zipf.eta*u)-zipf.eta+1, zipf.alpha)
	return min(uint64(rank), zipf.items-1)
}

// ScrambledZipf draws records, the popular ones scattered over all: YCSB's scrambled zipfian.
type ScrambledZipf struct {
	zipf    Zipf
	records uint64
}

// NewScrambledZipf draws among so many records.
func NewScrambledZipf(records uint64) ScrambledZipf {
	return ScrambledZipf{zipfWith(scrambledItems, scrambledZeta), max(records, 1)}
}

// Record draws one.
func (zipf *ScrambledZipf) Record(random *SplitMix64) uint64 {
	return fnv1a(zipf.zipf.Rank(random)) % zipf.records
}
