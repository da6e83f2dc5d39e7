package workload

import (
	"math"
	"math/big"
	"testing"
)

// Values of Python's math.pow, which is the C library's.
func TestPowersAreThoseOfTheCLibrary(t *testing.T) {
	for _, known := range []struct{ base, exponent, power float64 }{
		{0.7504166837430782, 99.99999999999991, 3.3903778267658587e-13},
		{0.885434361725443, 99.99999999999991, 5.195617807676581e-06},
		{0.8196525972079156, 99.99999999999991, 2.3066512407393583e-09},
		{0.904057155707662, 99.99999999999991, 4.1647487103276344e-05},
		{0.9104918224349997, 99.99999999999991, 8.464571037440695e-05},
		{0.5798110949476543, 99.99999999999991, 2.1313371356052036e-24},
		{0.4206335485775442, 99.99999999999991, 2.4569187054601724e-38},
		{0.9651476476769676, 99.99999999999991, 0.028798883576910732},
		{0.7634464762096411, 99.99999999999991, 1.8960923647302772e-12},
		{0.7481108177646064, 99.99999999999991, 2.49226072433485e-13},
		{0.9991274457282388, 99.99999999999991, 0.9164080749127889},
		{0.8599402082721048, 99.99999999999991, 2.7978573981300646e-07},
		{877095, -0.99, 1.3073257971437557e-06},
		{576332, -0.99, 1.9812258852184705e-06},
		{499494, -0.99, 2.282732525874128e-06},
		{416427, -0.99, 2.7331062076738756e-06},
		{670113, -0.99, 1.7065280739915268e-06},
		{902849, -0.99, 1.270401593583421e-06},
		{0.5, 0.99, 0.5034777750283594},
		{2e-10, 0.010000000000000009, 0.7998532245223712},
	} {
		if found := power(known.base, known.exponent); found != known.power {
			t.Errorf("%v to the power of %v: %v, expected %v", known.base, known.exponent, found, known.power)
		}
	}
}

// Integer powers can be multiplied out exactly enough to check how the last bit is rounded.
func TestPowersAreRoundedToTheNearest(t *testing.T) {
	random := NewSplitMix64(9)
	for range 2_000 {
		base := 0.5 + random.Unit()/2
		exact := new(big.Float).SetPrec(400).SetInt64(1)
		for range 100 {
			exact.Mul(exact, new(big.Float).SetFloat64(base))
		}
		expected, _ := exact.Float64()
		if found := power(base, 100); found != expected {
			t.Errorf("%v to the power of 100: %v, expected %v (Go's own: %v)", base, found, expected, math.Pow(base, 100))
		}
	}
}

func TestAnItemMoreIsAsIfItHadBeenThere(t *testing.T) {
	grown, whole := NewZipf(99), NewZipf(100)
	grown.Grow()
	one, other := NewSplitMix64(1), NewSplitMix64(1)
	for range 1_000 {
		if a, b := grown.Rank(one), whole.Rank(other); a != b {
			t.Fatalf("rank %d, expected %d", a, b)
		}
	}
}

func TestThePopularRanksHaveTheirShares(t *testing.T) {
	const draws = 200_000
	zipf, random := NewZipf(1_000), NewSplitMix64(5)
	counts := make([]float64, 1_000)
	for range draws {
		counts[zipf.Rank(random)]++
	}
	for rank, share := range []float64{1 / zeta(1_000), power(2, -theta) / zeta(1_000)} {
		if found := counts[rank] / draws; math.Abs(found-share) > 4*math.Sqrt(share*(1-share)/draws) {
			t.Errorf("rank %d has a share of %v, expected %v", rank, found, share)
		}
	}
}

func BenchmarkPower(b *testing.B) {
	for range b.N {
		power(0.9876, 100.00000000000009)
	}
}
