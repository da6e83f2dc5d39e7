package workload

import "slices"

const (
	// stretch is how many consecutive samples are timed, if not all samples are.
	stretch = 16
	// mostStretches is the largest number of stretches in a group, of which one stretch is timed.
	mostStretches = 16
	// trialSamples is the number of samples that are timed before the share of later timed samples is decided.
	trialSamples = 32
	// readingShare is the part of the time that reading the clock may take: one part in this many.
	readingShare = 200
)

// sampling decides which samples are timed. Reading the clock takes tens of nanoseconds, and an operation may take
// only a few hundred. So the first samples are all timed, and their times decide once. If an operation is far slower
// than the clock, all samples are timed. If it is not, one stretch of samples in each group is timed, at a place
// that is drawn again for each group.
type sampling struct {
	// trial are the first samples, until they have decided; then it is nil.
	trial []int64
	// groups is the number of stretches in a group; 1 means that all samples are timed.
	groups int64
	// timed is the number of samples in the current stretch that have not ended; 0 between stretches. after is the
	// number of samples in the group after its stretch.
	timed, after int64
	places       *SplitMix64
}

func newSampling() sampling {
	return sampling{trial: make([]int64, 0, trialSamples), groups: 1, places: NewSplitMix64(0)}
}

// tries reports whether the first samples have not decided yet.
func (sampling *sampling) tries() bool { return sampling.trial != nil }

// try keeps one of the first samples. It reports whether it was the last of them.
func (sampling *sampling) try(took int64) bool {
	sampling.trial = append(sampling.trial, took)
	return len(sampling.trial) == trialSamples
}

// tried returns the first samples if they have not decided, and ends the trial.
func (sampling *sampling) tried() []int64 {
	trial := sampling.trial
	sampling.trial = nil
	return trial
}

// decide decides which later samples are timed. It appends the same share of the first samples as of later ones.
func (sampling *sampling) decide(samples []int64) []int64 {
	trial := sampling.tried()
	sorted := slices.Sorted(slices.Values(trial))
	typical := max(sorted[len(sorted)/2], 1)
	sampling.groups = min(max((readingNs()*readingShare+typical-1)/typical, 1), mostStretches)
	// This is the state at the end of a stretch with nothing after it.
	sampling.timed, sampling.after = 1, 0
	for at := int64(0); at < trialSamples; at += sampling.groups {
		samples = append(samples, trial[at])
	}
	return samples
}

// isTimed reports whether the sample that ends is timed.
func (sampling *sampling) isTimed() bool { return sampling.groups == 1 || sampling.timed > 0 }

// next returns the number of samples from this reading of the clock until the next one.
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

// readingNs returns the time that one reading of the clock takes, in ns.
func readingNs() int64 {
	const reads = 32
	began := Now()
	for range reads - 1 {
		Now()
	}
	return (Now() - began) / reads
}
