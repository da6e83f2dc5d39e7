package kv

import (
	"runtime"
	"time"

	"github.com/dbdyno/dbdyno/engines/go/workload"
)

const (
	// longestWait is the longest uninterrupted wait for an operation to be due.
	longestWait = 50 * time.Millisecond
	// sleepSlack is the overrun that a sleep seldom exceeds. The thread waits awake for the last part of this
	// length.
	sleepSlack = 200 * time.Microsecond
)

// dueTimes are the times at which the operations of one thread are due, in ns from the start.
type dueTimes interface {
	// nextNs returns when the next operation is due, and advance goes on to the one after it.
	nextNs() int64
	advance()
	// dueBefore returns how many of the remaining operations are due before a moment.
	dueBefore(ns int64) uint64
}

// recordedTimes are the times of recorded operations, at a percentage of the recorded speed.
type recordedTimes struct {
	inputs  *inputs
	percent uint64
}

func (times *recordedTimes) nextNs() int64 {
	return workload.AtSpeed(times.inputs.nextAtNs(), times.percent)
}

// advance does nothing: each operation that is taken makes the next one that of another time.
func (*recordedTimes) advance() {}

// dueBefore returns 0, because recorded operations are all done.
func (*recordedTimes) dueBefore(int64) uint64 { return 0 }

// dueTimes returns when the thread's operations are due.
func (member *member) dueTimes() dueTimes {
	if arrival := member.actor.Arrival; arrival != nil {
		return newArrivals(arrival, member.thread, member.actor.Threads, member.stream(1))
	}
	return &recordedTimes{member.inputs, *member.actor.Speed}
}

// whenDue begins operations when they are due, or as soon as there is time for those that are late.
func (member *member) whenDue() error {
	member.waitForTurn()
	quota := member.quota()
	times, isMeasured := member.dueTimes(), false
	member.begunNs = workload.Now()
	member.times.Restart()
	for member.operations < quota {
		phase, now := member.phase(), workload.Now()
		if phase == over {
			break
		}
		if phase == measured && !isMeasured {
			isMeasured, member.begunNs, times = true, member.measuredFrom(now), member.dueTimes()
			member.beginMeasuring()
			member.times.Restart()
			continue
		}
		if member.inputs.isUsedUp() {
			if err := member.prepare(); err != nil {
				return err
			}
			if member.inputs.isUsedUp() {
				break
			}
			member.betweenNs += uint64(workload.Now() - now)
			continue
		}
		due := member.begunNs + times.nextNs()
		if due > now {
			WaitUntil(min(due, now+int64(longestWait)), member.times.Sleep)
			continue
		}
		times.advance()
		input, before := member.inputs.take(), member.rows
		done, err := member.persist(input)
		if err != nil {
			return err
		}
		if done {
			ended := workload.Now()
			member.named.add(input.work, uint64(ended-now), member.rows-before)
			member.named.count()
			member.shown.service.Record(ended - now)
			member.shown.response.Record(ended - due)
		}
	}
	member.elapsedNs = workload.Now() - member.begunNs
	member.wallNs = uint64(member.elapsedNs)
	member.times.Leave()
	member.parts = member.times.End(member.wallNs)
	if member.operations < quota {
		member.backlog = times.dueBefore(member.elapsedNs)
	}
	return member.lookForNews(len(member.of.acknowledged))
}

// WaitUntil waits for a moment of the clock: asleep for most of the time, and awake for the rest.
func WaitUntil(moment int64, sleep func(time.Duration)) {
	if wait := time.Duration(moment-workload.Now()) - sleepSlack; wait > 0 {
		sleep(wait)
	}
	for workload.Now() < moment {
		runtime.Gosched()
	}
}
