package protocol

import (
	"encoding/json"
	"maps"
)

// Opened reports that the first database is open.
type Opened struct {
	Event   string   `json:"event"`
	Version string   `json:"version"`
	Build   []string `json:"build,omitempty"`
	Source  string   `json:"source,omitempty"`
	// InForce has the options that could be read back, with the values in force.
	InForce map[string]string `json:"in_force"`
	OpenNs  uint64            `json:"open_ns"`
	// Clock is the clock that times are read from: "monotonic".
	Clock string `json:"clock,omitempty"`
}

// TestStarted reports that a test begins.
type TestStarted struct {
	Event    string `json:"event"`
	Test     uint64 `json:"test"`
	Name     string `json:"name"`
	Measured bool   `json:"measured"`
	// Operations is the number of operations that the test will do; nil means unknown.
	Operations          *uint64 `json:"operations"`
	OperationsPerSample uint64  `json:"operations_per_sample"`
	// TimeMs is the duration of the test including its warm-up, if the test ends by time.
	TimeMs *uint64 `json:"time_ms,omitempty"`
	// Actors are the actors of a test of several threads.
	Actors []ActorHead `json:"actors,omitempty"`
}

// Turn reports that a slice of the current test is over. The timer stands still until a line arrives on stdin.
type Turn struct {
	Event string `json:"event"`
	Test  uint64 `json:"test"`
	// Operations and WallNs are the operations that the test has done so far, and the time that they took.
	Operations uint64 `json:"operations"`
	WallNs     uint64 `json:"wall_ns"`
}

// ActorHead describes an actor before it works.
type ActorHead struct {
	Name    string `json:"name"`
	Threads int    `json:"threads"`
	// Rate is the number of operations due each second. If it is nil, each operation begins when the previous one is
	// done.
	Rate *uint64 `json:"rate,omitempty"`
}

// Progress reports how far a test has come.
type Progress struct {
	Event      string  `json:"event"`
	Test       uint64  `json:"test"`
	Operations uint64  `json:"operations"`
	Total      *uint64 `json:"total"`
	ElapsedNs  uint64  `json:"elapsed_ns"`
	// Histogram has the latencies since the previous progress event, in base64; nil means none.
	Histogram *string         `json:"histogram"`
	Actors    []ActorProgress `json:"actors,omitempty"`
	// Statements are the named statements and work with the most time so far, at most MostStatements.
	Statements []StatementProgress `json:"statements,omitempty"`
	// Readings are figures of a followed test, about once a second.
	Readings map[string]uint64 `json:"readings,omitempty"`
}

// ActorProgress reports how far an actor has come.
type ActorProgress struct {
	Name       string `json:"name"`
	Operations uint64 `json:"operations"`
	// Busy is the number of times that another transaction was in the way.
	Busy uint64 `json:"busy"`
	// Backlog is the number of operations that are due but not begun; nil if operations have no due times.
	Backlog *uint64 `json:"backlog,omitempty"`
	// Held is the number of snapshots that the actor holds now; nil if it never holds any.
	Held *uint64 `json:"held,omitempty"`
	// Histogram has response times if operations have due times, otherwise service times; nil means none.
	Histogram *string `json:"histogram"`
}

// MostStatements is the largest number of statements in a progress event.
const MostStatements = 20

// StatementProgress reports how far a named statement or work has come.
type StatementProgress struct {
	Name       string `json:"name"`
	Operations uint64 `json:"operations"`
	// WallNs is their time in all threads together, in ns.
	WallNs uint64 `json:"wall_ns"`
}

// TestDone is the result of a test. The counters are written alongside its fields.
type TestDone struct {
	Event      string `json:"event"`
	Test       uint64 `json:"test"`
	Measured   bool   `json:"measured"`
	WallNs     uint64 `json:"wall_ns"`
	Operations uint64 `json:"operations"`
	Rows       uint64 `json:"rows"`
	// Verification is nil if there is nothing to check the answers against.
	Verification        *string     `json:"verification"`
	PeakRssBytes        uint64      `json:"peak_rss_bytes"`
	DatabaseBytes       uint64      `json:"database_bytes"`
	SideBytes           uint64      `json:"side_bytes"`
	OperationsPerSample uint64      `json:"operations_per_sample"`
	Histogram           string      `json:"histogram"`
	Actors              []ActorDone `json:"actors,omitempty"`
	// Statements are the results of the named steps of all threads together.
	Statements []StatementDone `json:"statements,omitempty"`
	// Contents are what the tables hold at the end of a replay whose order is not concurrent.
	Contents []TableContent `json:"contents,omitempty"`
	// Plans are those of statements without names.
	Plans []PlannedQuery `json:"plans,omitempty"`
	// Explained is what an explaining run found out about the test.
	Explained *ExplainedTest `json:"explained,omitempty"`
	Counters  Counters       `json:"-"`
}

// StatementDone is the result of all steps with the same name.
type StatementDone struct {
	Name   string `json:"name"`
	WallNs uint64 `json:"wall_ns"`
	// Operations is the number of times that such a step was done. Each is one sample of Histogram.
	Operations uint64 `json:"operations"`
	// Rows is the number of rows that the statements returned or changed.
	Rows      uint64 `json:"rows"`
	Histogram string `json:"histogram"`
	// Verification is nil if the steps have no answers that could be checked.
	Verification *string `json:"verification"`
	// Failures is the number of times that a replay expected a failure and got one. Failure is the engine's message of
	// the first of them.
	Failures uint64 `json:"failures,omitempty"`
	Failure  string `json:"failure,omitempty"`
	// Plan has the steps in which the engine finds the rows.
	Plan []string `json:"plan,omitempty"`
}

// MostPlans is the largest number of plans of a test.
const MostPlans = 16

// PlannedQuery is a statement with the steps in which the engine finds its rows.
type PlannedQuery struct {
	Statement string   `json:"statement"`
	Plan      []string `json:"plan"`
}

// ExplainedTest is what the time of a test's threads went to, as far as only an explaining run can tell.
type ExplainedTest struct {
	// Spent has the time of calls and waits by their kind: read, write, lock, fault, sync, sleep.
	Spent map[string]SpentTime `json:"spent"`
	// Stacks are sampled call stacks of threads on a CPU, with their numbers of samples: functions from the outermost,
	// separated by `;`.
	Stacks map[string]uint64 `json:"stacks,omitempty"`
}

// SpentTime is the time of a kind of calls and waits, of all threads together.
type SpentTime struct {
	// Calls is nil if they were not counted.
	Calls *uint64 `json:"calls,omitempty"`
	// CpuNs is a part of the test's time in user mode and in the kernel.
	CpuNs uint64 `json:"cpu_ns"`
	// WaitNs is a part of its other waiting.
	WaitNs uint64 `json:"wait_ns"`
}

// TableContent is what a table holds.
type TableContent struct {
	Table string `json:"table"`
	Rows  uint64 `json:"rows"`
	// Checksum does not depend on the order of the rows.
	Checksum string `json:"checksum"`
}

// Counters maps the names of figures to integers. An unknown figure is missing.
type Counters map[string]uint64

// ActorDone is the result of an actor. The counters are written alongside its fields.
type ActorDone struct {
	Name                string `json:"name"`
	Threads             int    `json:"threads"`
	WallNs              uint64 `json:"wall_ns"`
	Operations          uint64 `json:"operations"`
	Rows                uint64 `json:"rows"`
	OperationsPerSample uint64 `json:"operations_per_sample"`
	// Histogram has the service times, in base64.
	Histogram string `json:"histogram"`
	// Response has the response times, from the moment an operation was due; nil if operations have no due times.
	Response *string  `json:"response,omitempty"`
	Counters Counters `json:"-"`
}

// MarshalJSON writes the counters alongside the fields.
func (done TestDone) MarshalJSON() ([]byte, error) {
	type plain TestDone
	return beside(done.Counters, plain(done))
}

// MarshalJSON writes the counters alongside the fields.
func (done ActorDone) MarshalJSON() ([]byte, error) {
	type plain ActorDone
	return beside(done.Counters, plain(done))
}

func beside(counters Counters, fields any) ([]byte, error) {
	written, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	all := map[string]any{}
	for name, value := range counters {
		all[name] = value
	}
	var known map[string]json.RawMessage
	if err := json.Unmarshal(written, &known); err != nil {
		return nil, err
	}
	for name, value := range maps.All(known) {
		all[name] = value
	}
	return json.Marshal(all)
}

// done is the last event of a successful run.
type done struct {
	Event string `json:"event"`
}

// failed is the last event of a failed run.
type failed struct {
	Event          string  `json:"event"`
	Test           *uint64 `json:"test"`
	Message        string  `json:"message"`
	DatabaseUsable bool    `json:"database_usable"`
}

// counted is an event of the kill test.
type counted struct {
	Event   string `json:"event"`
	Commits uint64 `json:"commits"`
	// Thread is the number of the thread, from 0.
	Thread int `json:"thread,omitempty"`
}
