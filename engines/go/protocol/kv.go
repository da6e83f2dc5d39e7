package protocol

// KvSuite is a suite of keys and values.
type KvSuite struct {
	Name string `json:"name"`
	// DataBytes is what keys and values take at most, for engines that size a file ahead.
	DataBytes uint64 `json:"data_bytes"`
	// Schema is the SQL that makes the table, for engines that speak it.
	Schema []string `json:"schema"`
	Tests  []KvTest `json:"tests"`
}

// KvTest is one test of a KvSuite. It has the fields of KvLoad where one thread does it, Actors where several do, or
// Compact.
type KvTest struct {
	TestHead
	// Records: keys are drawn from 0 to below it.
	Records uint64 `json:"records"`
	// Key is what a key looks like: "key_{key:8}".
	Key         string       `json:"key"`
	VerifyState bool         `json:"verify_state"`
	SQL         KvStatements `json:"sql"`

	KvLoad
	Operations uint64 `json:"operations"`
	// ClockEvery is how many operations are in one sample of the latencies.
	ClockEvery uint64 `json:"clock_every"`

	Actors []KvActor `json:"actors"`
	// TimeMs is when a test of Actors ends; nil: when those that have Operations have done them.
	TimeMs *uint64 `json:"time_ms"`
	// WarmUpMs come before it, and do not count.
	WarmUpMs uint64 `json:"warm_up_ms"`
	// Followed: a report of progress about each second has readings.
	Followed bool `json:"followed"`

	// Compact: the database is made as small as the engine can, as the one operation of the test.
	Compact bool `json:"compact"`
}

// KvLoad is what is done again and again.
type KvLoad struct {
	// Keys is how they are drawn: "ascending", "shuffled", "uniform", "zipfian" or "latest".
	Keys        string   `json:"keys"`
	Work        []KvWork `json:"work"`
	Transaction Scope    `json:"transaction"`
}

// KvWork is a kind of operation, and how often it is met.
type KvWork struct {
	Weight uint64 `json:"weight"`
	Op     string `json:"op"`
	// Value belongs to "put", "insert" and "modify".
	Value string `json:"value"`
	// Least and Most belong to "range", whose rows they are, and to "transfer", whose amount they are.
	Least uint64 `json:"least"`
	Most  uint64 `json:"most"`
	// Accounts belongs to "audit"; nil: all of them.
	Accounts *uint64 `json:"accounts"`
}

// KvActor is a group of threads that do the same.
type KvActor struct {
	Name string `json:"name"`
	// Threads may be 0: then it takes no part.
	Threads int `json:"threads"`
	KvLoad
	// Arrival says when operations are due; nil: each when the one before it is done.
	Arrival *Arrival `json:"arrival"`
	// Operations of all its threads together; nil: it goes on until the test ends.
	Operations *uint64 `json:"operations"`
	// During is when it takes part; nil: from the beginning to the end.
	During *During `json:"during"`
}

// Arrival says when operations are due that do not wait for each other.
type Arrival struct {
	// Rate is how many are due each second, of all threads of the actor together.
	Rate uint64 `json:"rate"`
	// Gaps between them are "even" or "poisson".
	Gaps string `json:"gaps"`
}

// During is a part of the time that a test is measured.
type During struct {
	FromMs  uint64 `json:"from_ms"`
	UntilMs uint64 `json:"until_ms"`
}

// KvStatements are the SQL of a test.
type KvStatements struct {
	Get    string `json:"get"`
	Put    string `json:"put"`
	Delete string `json:"delete"`
	Exists string `json:"exists"`
	Scan   string `json:"scan"`
	Range  string `json:"range"`
}
