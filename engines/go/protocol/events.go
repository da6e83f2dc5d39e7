package protocol

// Opened says that the first database is open.
type Opened struct {
	Event   string   `json:"event"`
	Version string   `json:"version"`
	Build   []string `json:"build"`
	Source  string   `json:"source,omitempty"`
	// InForce has the options that could be read back.
	InForce map[string]string `json:"in_force"`
	OpenNs  uint64            `json:"open_ns"`
	Clock   string            `json:"clock,omitempty"`
}

// TestStarted says that a test begins.
type TestStarted struct {
	Event               string      `json:"event"`
	Test                uint64      `json:"test"`
	Name                string      `json:"name"`
	Measured            bool        `json:"measured"`
	Operations          *uint64     `json:"operations"`
	OperationsPerSample uint64      `json:"operations_per_sample"`
	Actors              []ActorHead `json:"actors,omitempty"`
}

// ActorHead is what is known of an actor before it works.
type ActorHead struct {
	Name    string `json:"name"`
	Threads int    `json:"threads"`
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
}

// ActorProgress says how far an actor has come.
type ActorProgress struct {
	Name       string  `json:"name"`
	Operations uint64  `json:"operations"`
	Histogram  *string `json:"histogram"`
}

// TestDone is the result of a test. Counters are written beside its fields.
type TestDone struct {
	Test                uint64
	Measured            bool
	WallNs              uint64
	Operations          uint64
	Rows                uint64
	Verification        string
	PeakRssBytes        uint64
	DatabaseBytes       uint64
	SideBytes           uint64
	OperationsPerSample uint64
	Histogram           string
	Actors              []ActorDone
	Counters            Counters
}

// Counters are whole numbers by the names of the figures that they are. What is not known is not there.
type Counters map[string]uint64

// event is the result as an event.
func (done *TestDone) event() map[string]any {
	event := map[string]any{
		"event": "test_done", "test": done.Test, "measured": done.Measured, "wall_ns": done.WallNs,
		"operations": done.Operations, "rows": done.Rows, "verification": done.Verification,
		"peak_rss_bytes": done.PeakRssBytes, "database_bytes": done.DatabaseBytes, "side_bytes": done.SideBytes,
		"operations_per_sample": done.OperationsPerSample, "histogram": done.Histogram,
	}
	if len(done.Actors) > 0 {
		event["actors"] = done.Actors
	}
	for name, value := range done.Counters {
		event[name] = value
	}
	return event
}

// ActorDone is the result of an actor.
type ActorDone struct {
	Name                string `json:"name"`
	Threads             int    `json:"threads"`
	WallNs              uint64 `json:"wall_ns"`
	Operations          uint64 `json:"operations"`
	Rows                uint64 `json:"rows"`
	OperationsPerSample uint64 `json:"operations_per_sample"`
	// Histogram of service times, in base64.
	Histogram string `json:"histogram"`
}

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
}
