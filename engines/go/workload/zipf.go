package workload

// theta is YCSB's exponent of Zipf's law.
const theta = 0.99

const (
	// scrambledItems is the number of items among which the scattered ranks are drawn. scrambledZeta is the sum of
	// 1/k^0.99 for k from 1 to that number, as YCSB states it.
	scrambledItems = 10_000_000_000
	scrambledZeta  = 26.46902820178302
)

// rest is 1 minus the exponent, in the floating-point numbers that other languages compute with. A Go constant would
// be exact.
var rest = func(exponent float64) float64 { return 1 - exponent }(theta)

// Zipf draws ranks from 0, the lowest most often. Rank k is drawn in proportion to 1/(k+1)^0.99, as YCSB does, by
// the method of Gray and others, "Quickly Generating Billion-Record Synthetic Databases" (SIGMOD 1994).
type Zipf struct {
	items            uint64
	zeta, alpha, eta float64
	second           float64
}

// NewZipf returns a Zipf that draws from this many items. It adds up their zeta.
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

// Grow adds one item.
func (zipf *Zipf) Grow() {
	items := zipf.items + 1
	*zipf = zipfWith(items, zipf.zeta+power(float64(items), -theta))
}

// Rank draws a rank.
func (zipf *Zipf) Rank(random *SplitMix64) uint64 {
	u := random.Unit()
	uz := u * zipf.zeta
	switch {
	case uz < 1:
		return 0
	case uz < zipf.second:
		return 1
	}
	// Each product is rounded separately, as in every other language.
	rank := float64(zipf.items) * power(float64(zipf.eta*u)-zipf.eta+1, zipf.alpha)
	return min(uint64(rank), zipf.items-1)
}

// ScrambledZipf draws records, with the popular ones scattered over all: YCSB's scrambled zipfian.
type ScrambledZipf struct {
	zipf    Zipf
	records uint64
}

// NewScrambledZipf returns a ScrambledZipf that draws from this many records.
func NewScrambledZipf(records uint64) ScrambledZipf {
	return ScrambledZipf{zipfWith(scrambledItems, scrambledZeta), max(records, 1)}
}

// Record draws a record.
func (zipf *ScrambledZipf) Record(random *SplitMix64) uint64 {
	return fnv1a(zipf.zipf.Rank(random)) % zipf.records
}
