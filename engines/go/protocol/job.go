// Package protocol speaks dbdyno's worker protocol, version 2: one JSON job on stdin, JSON Lines events on stdout.
// An engine written in Go describes itself, runs a job, and leaves the rest to Main. The protocol is docs/engines.md.
package protocol

import (
	"encoding/json"
	"fmt"
)

// Version is the version of the protocol that is spoken here.
const Version = 2

// LongestLine is the longest line that is read, in bytes.
const LongestLine = 4 << 20

// leastProgressMs is the least time between two progress events.
const leastProgressMs = 50

// Job is what a worker is asked to do.
type Job struct {
	Protocol int    `json:"protocol"`
	RunID    string `json:"run_id"`
	Engine   string `json:"engine"`
	// Options has a value for every option of the description.
	Options map[string]string `json:"options"`
	Suite   Suite             `json:"suite"`
	// Size of the suite, for messages.
	Size string `json:"size"`
	// Seed of all randomness.
	Seed uint64 `json:"seed"`
	// Folder is the run's own; it is not there yet, or empty.
	Folder string `json:"folder"`
	// CPU to which the measuring thread is pinned; nil: to none.
	CPU *int `json:"cpu"`
	// Cache is "cold", "warm", or empty for warm.
	Cache      string  `json:"cache"`
	ProgressMs uint64  `json:"progress_ms"`
	DeadlineMs *uint64 `json:"deadline_ms"`
	// Wait asks for a pause after `opened` and after each `test_done`, until a line comes on stdin.
	Wait       bool `json:"wait"`
	KeepFolder bool `json:"keep_folder"`
}

// StartsCold tells whether a test is to find nothing of its database in memory.
func (job *Job) StartsCold(measured bool) bool { return job.Cache == "cold" && measured }

// Suite is one of the two kinds of suites.
type Suite struct {
	Kv  *KvSuite
	SQL *SQLSuite
}

// UnmarshalJSON reads a suite of the kind that it says it is.
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

// TestHead is what tests of every kind begin with.
type TestHead struct {
	Number   uint64 `json:"number"`
	Name     string `json:"name"`
	Measured bool   `json:"measured"`
	// Database is the label of the database that the test runs on; empty means "main".
	Database string `json:"database"`
}

// Label of the test's database.
func (head *TestHead) Label() string {
	if head.Database == "" {
		return "main"
	}
	return head.Database
}

// Scope says which operations share a transaction.
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
