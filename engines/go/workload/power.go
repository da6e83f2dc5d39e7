package workload

import "math"

// double is a number as the sum of two float64 values: about 106 bits of it.
type double struct{ high, low float64 }

func sumOf(a, b float64) double {
	sum := a + b
	rest := sum - a
	return double{sum, (a - (sum - rest)) + (b - rest)}
}

func productOf(a, b float64) double {
	product := a * b
	return double{product, math.FMA(a, b, -product)}
}

func (a double) plus(b double) double {
	sum := sumOf(a.high, b.high)
	return sumOf(sum.high, sum.low+a.low+b.low)
}

func (a double) times(b double) double {
	product := productOf(a.high, b.high)
	return sumOf(product.high, product.low+float64(a.high*b.low)+float64(a.low*b.high))
}

func (a double) scaled(factor float64) double { return double{a.high * factor, a.low * factor} }

// logarithmOfTwo is ln 2.
var logarithmOfTwo = double{0.6931471805599453, 2.3190468138462996e-17}

const (
	// halvings is how often an argument is halved before its series is added up, and how often the result is squared
	// after.
	halvings = 8
	// terms is the number of terms of the series. The first omitted term is below 1e-31.
	terms = 9
)

// exponential returns e to the power of a number.
func exponential(of double) double {
	whole := math.Round(of.high / logarithmOfTwo.high)
	rest := of.plus(logarithmOfTwo.times(double{-whole, 0})).scaled(1.0 / (1 << halvings))
	// The series of e^rest - 1, from its last term on.
	sum := double{}
	for term := terms; term >= 1; term-- {
		sum = sum.plus(double{1, 0}).times(rest)
		sum = sum.times(inverses[term])
	}
	for range halvings {
		// (1 + s)^2 - 1.
		sum = sum.scaled(2).plus(sum.times(sum))
	}
	return sum.plus(double{1, 0}).scaled(math.Ldexp(1, int(whole)))
}

// inverses are the reciprocals of integers.
var inverses = func() (all [terms + 1]double) {
	for term := 1; term <= terms; term++ {
		number := float64(term)
		all[term].high = 1 / number
		all[term].low = math.FMA(-all[term].high, number, 1) / number
	}
	return all
}()

// power returns a number above 0 to the power of another. It rounds as C's library does: to the nearest value, from
// 106 bits. Go's own power function differs from it by some units in the last place. A number that is drawn with
// Go's function would sometimes differ from the number in other languages.
func power(base, exponent float64) float64 {
	// The logarithm, refined once: x e^-l - 1 is its error, and the square of the error still matters.
	first := math.Log(base)
	lacks := exponential(double{-first, 0}).times(double{base, 0}).plus(double{-1, 0})
	logarithm := double{first, 0}.plus(lacks).plus(lacks.times(lacks).scaled(-0.5))
	result := exponential(logarithm.times(double{exponent, 0}))
	return result.high + result.low
}
