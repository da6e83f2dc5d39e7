package workload

// Operations in attempts may have to be done again. Their latencies are added when the attempt has succeeded. Each
// attempt begins with Attempt, its operations end with Hold, and it ends with Keep or Forget. In an attempt the timer
// never stands still.

// Attempt begins an attempt.
func (recorder *Recorder) Attempt() { recorder.attempt = recorder.split }

// Hold ends one operation of the attempt.
func (recorder *Recorder) Hold() { recorder.held = append(recorder.held, Now()) }

// Prolong makes the time until now a part of the operation that ended last, if it is of this attempt.
func (recorder *Recorder) Prolong() {
	if last := len(recorder.held) - 1; last >= 0 {
		recorder.held[last] = Now()
	}
}

// Forget ends an attempt whose operations do not count. Its time becomes a part of the next attempt: of its first
// operation and of its first action.
func (recorder *Recorder) Forget() {
	recorder.held = recorder.held[:0]
	recorder.split = recorder.attempt
}

// Keep ends an attempt whose operations count.
func (recorder *Recorder) Keep() {
	if len(recorder.held) == 0 {
		return
	}
	for _, ended := range recorder.held {
		recorder.samples = append(recorder.samples, ended-recorder.last+recorder.carried)
		recorder.last, recorder.carried = ended, 0
	}
	recorder.done += uint64(len(recorder.held))
	recorder.held = recorder.held[:0]
	if ended := recorder.last; len(recorder.samples) >= keptSamples || ended-recorder.counted > int64(showAfter) {
		// What was done since the operation ended is no operation's time.
		recorder.close(ended)
		recorder.count()
		recorder.open(ended)
	}
	if recorder.turns != nil {
		recorder.turn(Now())
	}
}
