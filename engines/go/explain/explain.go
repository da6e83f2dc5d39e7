// Package explain finds out what the time of measured threads goes to. That slows them down, so only explaining runs do
// it.
package explain

import (
	"bytes"
	"runtime"
	"runtime/pprof"

	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// Explainer observes the measured threads of a test.
type Explainer struct {
	sampler *sampler
	// profile has the call stacks. isProfiled reports whether there are any.
	profile    bytes.Buffer
	isProfiled bool
	processors int
}

// Begin begins to observe. The threads enter their windows later.
func Begin() *Explainer {
	processors := runtime.GOMAXPROCS(0)
	// Without a processor of its own in Go's scheduler, the sampler would look only when a measured thread gives one up.
	runtime.GOMAXPROCS(processors + 1)
	explainer := &Explainer{sampler: startSampler(), processors: processors}
	explainer.isProfiled = pprof.StartCPUProfile(&explainer.profile) == nil
	return explainer
}

// Observe returns an observer of the calling thread, to which its goroutine is locked.
func (explainer *Explainer) Observe() workload.Observer { return explainer.sampler.watch() }

// End ends the observation. parts are those of all threads; nil if they are unknown.
func (explainer *Explainer) End(parts *workload.TimeParts) *protocol.ExplainedTest {
	waits := explainer.sampler.end()
	explained := &protocol.ExplainedTest{Spent: map[string]protocol.SpentTime{}}
	if parts != nil {
		explained.Spent = waits.divide(parts.Rest)
	}
	if explainer.isProfiled {
		pprof.StopCPUProfile()
		explained.Stacks = stacksOf(explainer.profile.Bytes())
	}
	runtime.GOMAXPROCS(explainer.processors)
	return explained
}
