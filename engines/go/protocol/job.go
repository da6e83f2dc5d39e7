// Package protocol implements dbdyno's worker protocol, version 2: one JSON job on stdin, JSON Lines events on
// stdout. An engine written in Go describes itself, runs a job, and leaves the rest to Main. docs/worker-protocol.md
// specifies the protocol.
package protocol

import (
	"encoding/json"
	"fmt"
)

// Version is the version of the protocol that this package implements.
const Version = 2

// LongestLine is the length of the longest line that a worker reads, in bytes.
const LongestLine = 4 << 20

// leastProgressMs is the shortest time between two progress events, in ms.
const leastProgressMs = 50

// Job is the work that dbdyno asks a worker to do.
type Job struct {
	Protocol int    `json:"protocol"`
	RunID    string `json:"run_id"`
	Engine   string `json:"engine"`
	// Options has a value for every option of the description.
	Options map[string]string `json:"options"`
	Suite   Suite             `json:"suite"`
	// Size is the size of the suite, for messages.
	Size string `json:"size"`
	// Seed is the seed of all randomness.
	Seed uint64 `json:"seed"`
	// Folder belongs to the run alone. It does not exist yet, or it is empty.
	Folder string `json:"folder"`
	// CPU is the CPU to which the measuring thread is pinned; nil means no pinning.
	CPU *int `json:"cpu"`
	// Cache is "cold" or "warm"; empty means warm.
	Cache      string  `json:"cache"`
	ProgressMs uint64  `json:"progress_ms"`
	DeadlineMs *uint64 `json:"deadline_ms"`
	// Wait asks for a pause after `opened` and after each `test_done`, until a line arrives on stdin.
	Wait       bool `json:"wait"`
	KeepFolder bool `json:"keep_folder"`
	// Explain asks what the time of measured tests goes to, although finding out slows them down.
	Explain bool `json:"explain"`
	// Slices says in which tests the worker takes turns with others; nil means in none.
	Slices *SliceTerms `json:"slices"`
}

// SliceTerms are the terms on which the workers of a round take turns.
type SliceTerms struct {
	// Ns is the measured time of a slice. When it has passed, the worker stops its timer between two operations.
	Ns uint64 `json:"ns"`
	// Tests are the numbers of the tests that are cut into slices.
	Tests []uint64 `json:"tests"`
}

// StartsCold reports whether a test must start with nothing of its database in memory.
func (job *Job) StartsCold(measured bool) bool { return job.Cache == "cold" && measured }

// Suite is a suite of one of the two kinds.
type Suite struct {
	Kv  *KvSuite
	SQL *SQLSuite
}

// UnmarshalJSON reads a suite of the kind that its field `kind` names.
func (suite *Suite) UnmarshalJSON(text []byte) error {
	var head struct {
		Kind string `json:"kind"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return err
	}
	switch head.Kind {
	case "kv":
		suite.Kv = new(KvSuite)
		return json.Unmarshal(text, suite.Kv)
	case "sql":
		suite.SQL = new(SQLSuite)
		return json.Unmarshal(text, suite.SQL)
	}
	return fmt.Errorf("kind `%s` of a suite: expected kv or sql", head.Kind)
}

// TestHead has the fields that tests of every kind start with.
type TestHead struct {
	Number   uint64 `json:"number"`
	Name     string `json:"name"`
	Measured bool   `json:"measured"`
	// Database is the label of the database that the test runs on; empty means "main".
	Database string `json:"database"`
}

// Label returns the label of the test's database.
func (head *TestHead) Label() string {
	if head.Database == "" {
		return "main"
	}
	return head.Database
}

// Scope states which operations share a transaction.
type Scope struct {
	// Word is "read", "each", "one" or "batch".
	Word string
	// Batch is the number of operations in each transaction of a batch.
	Batch uint64
}

// UnmarshalJSON reads a word, or an object with a batch.
func (scope *Scope) UnmarshalJSON(text []byte) error {
	var batch struct {
		Batch uint64 `json:"batch"`
	}
	if err := json.Unmarshal(text, &scope.Word); err == nil {
		return nil
	}
	if err := json.Unmarshal(text, &batch); err != nil || batch.Batch == 0 {
		return fmt.Errorf("transaction %s: expected \"read\", \"each\", \"one\" or {\"batch\": N}", text)
	}
	scope.Word, scope.Batch = "batch", batch.Batch
	return nil
}
