package workload

import "slices"

const (
	// stretch is how many samples in a row are timed, where not all are.
	stretch = 16
	// mostStretches is how many stretches' samples a group has at most, of which one stretch is timed.
	mostStretches = 16
	// trialSamples are timed before it is decided how many of the others are.
	trialSamples = 32
	// readingShare is the part of the time that reading the clock may take: one in so many.
	readingShare = 200
)

// sampling decides which samples are timed. A clock is read in tens of nanoseconds, and an operation may be done in a
// few hundred. So the first samples are all timed, and what they took decides once: where an operation is far slower
// than the clock all are timed; where it is not, one stretch of samples in each group is, at a place that is drawn anew
// for each group.
type sampling struct {
	// trial are the first samples, until they have decided; nil: they have.
	trial []int64
	// groups is the number of stretches in a group; 1: all samples are timed.
	groups int64
	// timed are samples of the stretch under way that are still to end; 0: between stretches. after are samples of the
	// group that come after its stretch.
	timed, after int64
	places       *SplitMix64
}

func newSampling() sampling {
	return sampling{trial: make([]int64, 0, trialSamples), groups: 1, places: NewSplitMix64(0)}
}

// tries tells whether the first samples have not decided yet.
func (sampling *sampling) tries() bool { return sampling.trial != nil }

// try keeps one of the first samples; whether it was the last of them.
func (sampling *sampling) try(took int64) bool {
	sampling.trial = append(sampling.trial, took)
	return len(sampling.trial) == trialSamples
}

// tried gives the first samples where they did not decide.
func (sampling *sampling) tried() []int64 {
	trial := sampling.trial
	sampling.trial = nil
	return trial
}

// decide decides, and appends as many of the first samples as there are of later ones.
func (sampling *sampling) decide(samples []int64) []int64 {
	trial := sampling.tried()
	sorted := slices.Sorted(slices.Values(trial))
	typical := max(sorted[len(sorted)/2], 1)
	sampling.groups = min(max((readingNs()*readingShare+typical-1)/typical, 1), mostStretches)
	// As at the end of a stretch with nothing after it.
	sampling.timed, sampling.after = 1, 0
	for at := int64(0); at < trialSamples; at += sampling.groups {
		samples = append(samples, trial[at])
	}
	return samples
}

// isTimed tells whether the sample that ends is timed.
func (sampling *sampling) isTimed() bool { return sampling.groups == 1 || sampling.timed > 0 }

// next is how many samples there are from this look at the clock until the next one.
func (sampling *sampling) next() int64 {
	if sampling.groups == 1 {
		return 1
	}
	if sampling.timed > 1 {
		sampling.timed--
		return 1
	}
	if sampling.timed == 1 {
		sampling.timed = 0
		untimed := (sampling.groups - 1) * stretch
		before := int64(sampling.places.Below(uint64(untimed) + 1))
		gap := sampling.after + before
		sampling.after = untimed - before
		if gap > 0 {
			return gap
		}
	}
	sampling.timed = stretch
	return 1
}

// readingNs is what a read of the clock takes.
func readingNs() int64 {
	const reads = 32
	began := Now()
	for range reads - 1 {
		Now()
	}
	return (Now() - began) / reads
}
