package protocol

import (
	"encoding/json"
	"fmt"
)

// KvSuite is a key-value suite.
type KvSuite struct {
	Name string `json:"name"`
	// DataBytes is the most that keys and values take, in bytes, for engines that size a file in advance.
	DataBytes uint64 `json:"data_bytes"`
	// Schema is the SQL that creates the table, for engines that speak SQL.
	Schema []string `json:"schema"`
	// Recording is the folder with the operations of tests whose keys are recorded; nil means that no keys are.
	Recording *string  `json:"recording"`
	Tests     []KvTest `json:"tests"`
}

// KvTest is one test of a KvSuite. A test of one thread has the fields of KvLoad, a test of several threads has
// Actors, and a compaction test has Compact.
type KvTest struct {
	TestHead
	// Records is the exclusive upper bound of the keys, which are drawn from 0.
	Records uint64 `json:"records"`
	// Key is the format of a key, such as "key_{key:8}". Of recorded keys, it has only the length of the longest.
	Key         string       `json:"key"`
	VerifyState bool         `json:"verify_state"`
	SQL         KvStatements `json:"sql"`

	KvLoad
	Operations uint64 `json:"operations"`
	// ClockEvery is the number of operations in one latency sample.
	ClockEvery uint64 `json:"clock_every"`

	Actors []KvActor `json:"actors"`
	// TimeMs is the time after which a test of Actors ends. If it is nil, the test ends when the actors that have
	// Operations have done them.
	TimeMs *uint64 `json:"time_ms"`
	// WarmUpMs is the warm-up before TimeMs, in which the actors work and nothing is counted.
	WarmUpMs uint64 `json:"warm_up_ms"`
	// Followed reports whether a progress event about once a second has readings.
	Followed bool `json:"followed"`

	// Compact reports whether the test makes the database as small as the engine can, as its only operation.
	Compact bool `json:"compact"`
}

// KvLoad is the work that a thread repeats.
type KvLoad struct {
	Keys        Keys     `json:"keys"`
	Work        []KvWork `json:"work"`
	Transaction Scope    `json:"transaction"`
}

// Keys is how keys are drawn.
type Keys struct {
	// Order is "ascending", "shuffled", "uniform", "zipfian", "latest", "popular" or Recorded.
	Order string
	// Popular are the groups of equally popular records of the order "popular". Together they are all records.
	Popular []Popularity
}

// Recorded is the order of keys that a recording has, with the operations on them: each thread does what its file
// says. The same key is always in the same file.
const Recorded = "recorded"

// Popularity is a group of equally popular records.
type Popularity struct {
	Records uint64 `json:"records"`
	// Weight is the relative frequency with which one of the group is drawn.
	Weight uint64 `json:"weight"`
}

// UnmarshalJSON reads a word, or an object with groups of records.
func (keys *Keys) UnmarshalJSON(text []byte) error {
	if err := json.Unmarshal(text, &keys.Order); err == nil {
		return nil
	}
	groups, known := popularity(text)
	if !known {
		return fmt.Errorf("keys %s: expected a word, or %s", text, popularityForm)
	}
	keys.Order, keys.Popular = "popular", groups
	return nil
}

// popularityForm is what popularity reads, for messages.
const popularityForm = `{"popular": [{"records": 1, "weight": 50}, ...]} with a weight above 0`

// popularity reads groups of equally popular records. It returns false if none of them can be drawn.
func popularity(text []byte) (groups []Popularity, known bool) {
	var popular struct {
		Popular []Popularity `json:"popular"`
	}
	if json.Unmarshal(text, &popular) != nil {
		return nil, false
	}
	for _, group := range popular.Popular {
		known = known || group.Weight > 0
	}
	return popular.Popular, known
}

// Together returns the number of operations in each transaction, at least 1. A latency of an actor is that of a
// transaction.
func (load *KvLoad) Together() uint64 {
	if load.Transaction.Word == "batch" {
		return max(load.Transaction.Batch, 1)
	}
	return 1
}

// KvWork is a kind of operation with its relative frequency.
type KvWork struct {
	// Weight counts nothing if keys are recorded.
	Weight uint64 `json:"weight"`
	// Name is the name under which the results are reported, apart from those of other work; empty means that they
	// are not.
	Name string `json:"name"`
	Op   string `json:"op"`
	// Value belongs to "put", "insert" and "modify".
	Value string `json:"value"`
	// Least and Most belong to "range", as a number of rows, and to "transfer", as an amount.
	Least uint64 `json:"least"`
	Most  uint64 `json:"most"`
	// Accounts belongs to "audit"; nil means all accounts.
	Accounts *uint64 `json:"accounts"`
}

// KvActor is a group of threads that do the same work.
type KvActor struct {
	Name string `json:"name"`
	// Threads may be 0, in which case the actor takes no part.
	Threads int `json:"threads"`
	KvLoad
	// Arrival states when operations are due. If it is nil, each operation is due when the previous one is done.
	Arrival *Arrival `json:"arrival"`
	// Speed states when recorded operations are due, in percent of the recorded speed. If it is nil, each is due when
	// the previous one of its thread is done.
	Speed *uint64 `json:"speed"`
	// Operations is the number of operations of all threads of the actor together. If it is nil, the actor works
	// until the test ends.
	Operations *uint64 `json:"operations"`
	// During is the time in which the actor takes part; nil means from the beginning to the end.
	During *During `json:"during"`
}

// IsDue reports whether each operation is due at a time.
func (actor *KvActor) IsDue() bool { return actor.Arrival != nil || actor.Speed != nil }

// Arrival states when operations are due that do not wait for each other.
type Arrival struct {
	// Rate is the number of operations due each second, for all threads of the actor together.
	Rate uint64 `json:"rate"`
	// Gaps are the times between arrivals: "even" or "poisson".
	Gaps string `json:"gaps"`
}

// During is a part of the measured time of a test.
type During struct {
	FromMs  uint64 `json:"from_ms"`
	UntilMs uint64 `json:"until_ms"`
}

// KvStatements are the SQL statements of a test.
type KvStatements struct {
	Get    string `json:"get"`
	Put    string `json:"put"`
	Delete string `json:"delete"`
	Exists string `json:"exists"`
	Scan   string `json:"scan"`
	Range  string `json:"range"`
}
