package protocol

import (
	"encoding/json"
	"maps"
)

// Opened says that the first database is open.
type Opened struct {
	Event   string   `json:"event"`
	Version string   `json:"version"`
	Build   []string `json:"build,omitempty"`
	Source  string   `json:"source,omitempty"`
	// InForce has the options that could be read back.
	InForce map[string]string `json:"in_force"`
	OpenNs  uint64            `json:"open_ns"`
	// Clock is what times are read from: "monotonic".
	Clock string `json:"clock,omitempty"`
}

// TestStarted says that a test begins.
type TestStarted struct {
	Event    string `json:"event"`
	Test     uint64 `json:"test"`
	Name     string `json:"name"`
	Measured bool   `json:"measured"`
	// Operations that it will do; nil: that is not known.
	Operations          *uint64 `json:"operations"`
	OperationsPerSample uint64  `json:"operations_per_sample"`
	// TimeMs is how long it will take with its warm-up, where it ends with the time.
	TimeMs *uint64 `json:"time_ms,omitempty"`
	// Actors are there where it has several threads.
	Actors []ActorHead `json:"actors,omitempty"`
}

// ActorHead is what is known of an actor before it works.
type ActorHead struct {
	Name    string `json:"name"`
	Threads int    `json:"threads"`
	// Rate is how many operations a second are due; nil: each begins when the one before it is done.
	Rate *uint64 `json:"rate,omitempty"`
}

// Progress says how far a test has come.
type Progress struct {
	Event      string  `json:"event"`
	Test       uint64  `json:"test"`
	Operations uint64  `json:"operations"`
	Total      *uint64 `json:"total"`
	ElapsedNs  uint64  `json:"elapsed_ns"`
	// Histogram of the latencies since the last progress, in base64; nil: there are none.
	Histogram *string         `json:"histogram"`
	Actors    []ActorProgress `json:"actors,omitempty"`
	// Readings are figures of a test that is followed, about each second.
	Readings map[string]uint64 `json:"readings,omitempty"`
}

// ActorProgress says how far an actor has come.
type ActorProgress struct {
	Name       string `json:"name"`
	Operations uint64 `json:"operations"`
	// Busy is how often another transaction was in the way.
	Busy uint64 `json:"busy"`
	// Backlog are operations that are due and not begun; nil: none are due at times.
	Backlog *uint64 `json:"backlog,omitempty"`
	// Held are snapshots that it holds; nil: it holds none at any time.
	Held *uint64 `json:"held,omitempty"`
	// Histogram of response times where operations are due at times, else of service times; nil: there are none.
	Histogram *string `json:"histogram"`
}

// TestDone is the result of a test. Counters are written beside its fields.
type TestDone struct {
	Event      string `json:"event"`
	Test       uint64 `json:"test"`
	Measured   bool   `json:"measured"`
	WallNs     uint64 `json:"wall_ns"`
	Operations uint64 `json:"operations"`
	Rows       uint64 `json:"rows"`
	// Verification is nil where there is nothing that the answers can be held against.
	Verification        *string     `json:"verification"`
	PeakRssBytes        uint64      `json:"peak_rss_bytes"`
	DatabaseBytes       uint64      `json:"database_bytes"`
	SideBytes           uint64      `json:"side_bytes"`
	OperationsPerSample uint64      `json:"operations_per_sample"`
	Histogram           string      `json:"histogram"`
	Actors              []ActorDone `json:"actors,omitempty"`
	Counters            Counters    `json:"-"`
}

// Counters are whole numbers by the names of the figures that they are. What is not known is not there.
type Counters map[string]uint64

// ActorDone is the result of an actor. Counters are written beside its fields.
type ActorDone struct {
	Name                string `json:"name"`
	Threads             int    `json:"threads"`
	WallNs              uint64 `json:"wall_ns"`
	Operations          uint64 `json:"operations"`
	Rows                uint64 `json:"rows"`
	OperationsPerSample uint64 `json:"operations_per_sample"`
	// Histogram of service times, in base64.
	Histogram string `json:"histogram"`
	// Response times, from the moment at which an operation was due; nil: there are no such moments.
	Response *string  `json:"response,omitempty"`
	Counters Counters `json:"-"`
}

// MarshalJSON writes the counters beside the fields.
func (done TestDone) MarshalJSON() ([]byte, error) {
	type plain TestDone
	return beside(done.Counters, plain(done))
}

// MarshalJSON writes the counters beside the fields.
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

// done is the last event of a run that did what it was asked to.
type done struct {
	Event string `json:"event"`
}

// failed is the last event of a run that did not.
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
	// Thread is which of several it is, from 0.
	Thread int `json:"thread,omitempty"`
}
