package workload

// Turns are the turns that a test takes with those of other workers.
type Turns struct {
	// ns is the measured time of a turn, and due is the test's time when the current one is over.
	ns, due int64
	pass    func(operations, wallNs uint64)
}

// NewTurns returns turns of this many ns. pass lets the others work, and returns when it is this test's turn again. It
// receives what the test has done so far, and the time that this took.
func NewTurns(ns uint64, pass func(operations, wallNs uint64)) *Turns {
	return &Turns{ns: int64(ns), due: int64(ns), pass: pass}
}

// turn passes the turn if it is over, in a test that takes turns. It is called between two operations, at a time of the
// current window.
func (recorder *Recorder) turn(at int64) {
	turns := recorder.turns
	if recorder.wall+at-recorder.window < turns.due {
		return
	}
	closed, between := Now(), recorder.between
	recorder.close(closed)
	recorder.count()
	turns.pass(recorder.done, recorder.WallNs())
	recorder.Waited(uint64(Now() - closed))
	turns.due = recorder.wall + turns.ns
	recorder.open(closed)
	// In this time nothing was prepared.
	recorder.between = between
}
