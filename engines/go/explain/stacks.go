package explain

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
)

// mostStacks is the largest number of stacks that a test may have.
const mostStacks = 1_000

// module is the path of this module.
const module = "github.com/dbdyno/dbdyno/engines/go/"

// outermost are functions that call the harness, and harness are its packages.
var (
	outermost = []string{"runtime.goexit", "runtime.main", "main.main", "sync.(*WaitGroup).Go.func1"}
	harness   = []string{module + "engine.", module + "harness.", module + "kv.", module + "protocol.", module + "workload."}
)

// stacksOf returns the stacks of a CPU profile that were sampled in windows, with their numbers of samples: functions
// from the outermost, separated by semicolons.
func stacksOf(written []byte) map[string]uint64 {
	read, err := profile.Parse(bytes.NewReader(written))
	if err != nil {
		return nil
	}
	stacks := map[string]uint64{}
	for _, sample := range read.Sample {
		functions := functionsOf(sample)
		if slices.Contains(sample.Label[label], inWindow) && len(functions) > 0 {
			stacks[strings.Join(functions, ";")] += uint64(sample.Value[0])
		}
	}
	limit(stacks, mostStacks)
	return stacks
}

// functionsOf returns the functions of a sample from the outermost, without those of the harness that called the
// engine.
func functionsOf(sample *profile.Sample) []string {
	var names []string
	for _, location := range slices.Backward(sample.Location) {
		for _, line := range slices.Backward(location.Line) {
			if line.Function != nil {
				names = append(names, line.Function.Name)
			}
		}
	}
	isOfEngine := func(name string) bool { return !isHarness(name) }
	if from := slices.IndexFunc(names, isOfEngine); from >= 0 {
		names = names[from:]
	} else {
		names = names[max(len(names)-1, 0):]
	}
	for at, name := range names {
		names[at] = short(name)
	}
	return names
}

func isHarness(name string) bool {
	return slices.Contains(outermost, name) ||
		slices.ContainsFunc(harness, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// short returns a function's name without type arguments and without the path that leads to its package.
func short(name string) string {
	from, to := strings.Index(name, "["), strings.LastIndex(name, "]")
	if from >= 0 && from < to {
		name = name[:from] + "[...]" + name[to+1:]
	}
	return name[strings.LastIndex(name, "/")+1:]
}

// limit leaves at most this many stacks. The samples of the rarest go to their callers.
func limit(stacks map[string]uint64, most int) {
	rarestFirst := func(a, b string) int { return cmp.Or(cmp.Compare(stacks[a], stacks[b]), cmp.Compare(a, b)) }
	for len(stacks) > most {
		for _, rare := range slices.SortedFunc(maps.Keys(stacks), rarestFirst)[:len(stacks)-most] {
			samples := stacks[rare]
			delete(stacks, rare)
			if at := strings.LastIndex(rare, ";"); at >= 0 {
				stacks[rare[:at]] += samples
			}
		}
	}
}
