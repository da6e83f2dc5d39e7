package protocol

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Description is an engine's description of itself.
type Description struct {
	Protocol int      `json:"protocol"`
	Name     string   `json:"name"`
	About    string   `json:"about"`
	Version  string   `json:"version"`
	Build    []string `json:"build,omitempty"`
	Source   string   `json:"source,omitempty"`
	// Backend is the store below the library, with its version, if it is not the usual store there.
	Backend string `json:"backend,omitempty"`
	// Licence is the SPDX expression of the licence of the library and of the driver that calls it. If it is empty, the
	// licence is unknown.
	Licence string `json:"licence,omitempty"`
	// Languages are the languages of programs that can use the library in the way that the engine does, in lower case:
	// "go". If there are none, they are unknown.
	Languages []string `json:"languages,omitempty"`
	// Suites are the kinds of suite that the engine runs: "kv", "sql".
	Suites    []string   `json:"suites"`
	Options   []Option   `json:"options,omitempty"`
	Tiers     []Tier     `json:"tiers,omitempty"`
	Conflicts []Conflict `json:"conflicts,omitempty"`
	// Implementations state whose code answers, if that is not the engine's code alone.
	Implementations []Implementation `json:"implementations,omitempty"`
	// TablesAsData reports whether the engine gets tables and indexes only from the steps create_table, create_index
	// and drop_table.
	TablesAsData bool `json:"tables_as_data,omitempty"`
	// SQLiteFiles reports whether the databases of the engine are files of SQLite, so that a suite of SQL may start
	// from one.
	SQLiteFiles bool `json:"sqlite_files,omitempty"`
	// Threads is keyed by the kind of suite. For a kind that is missing, dbdyno runs only tests of one thread.
	Threads map[string]Threads `json:"threads,omitempty"`
	// Replays are the kinds of suite whose recordings the engine replays.
	Replays []string `json:"replays,omitempty"`
	// Ordered reports whether the engine reads keys in order; nil means that it does.
	Ordered *bool `json:"ordered,omitempty"`
	// Kv is nil if the engine supports everything that key-value suites ask for.
	Kv *KvAbility `json:"kv,omitempty"`
	// Compacts reports whether the engine can make its database smaller on request.
	Compacts bool `json:"compacts,omitempty"`
	// LongestKey is the longest key that the engine accepts, in bytes; 0 means no limit.
	LongestKey uint64 `json:"longest_key,omitempty"`
	// Harness is the name under which Run does nothing and has no options. If it is empty, Run always does the work
	// of the job.
	Harness string `json:"harness,omitempty"`
	// Counters are what the engine counts itself and sends with the result of a test, as "counter:NAME": the meaning of
	// each, by name. A name that ends in _ns or _bytes has this unit.
	Counters map[string]string `json:"counters,omitempty"`
}

// Implementation names the code that answers suites of a kind under a condition.
type Implementation struct {
	Suite string              `json:"suite"`
	When  map[string][]string `json:"when,omitempty"`
	Name  string              `json:"name"`
}

// KvAbility is what an engine supports of key-value suites. dbdyno refuses tests that ask for more.
type KvAbility struct {
	Operations []string `json:"operations"`
	Keys       []string `json:"keys"`
}

// Option is an option of an engine.
type Option struct {
	Name string `json:"name"`
	// Type is "choice", "integer", "size", "bool" or "path".
	Type    string   `json:"type"`
	Choices []string `json:"choices,omitempty"`
	Min     *int64   `json:"min,omitempty"`
	Max     *int64   `json:"max,omitempty"`
	Words   []string `json:"words,omitempty"`
	Default string   `json:"default"`
	Help    string   `json:"help"`
	// Fresh reports whether a change needs a new database.
	Fresh  bool    `json:"fresh"`
	Tuning Tuning  `json:"tuning"`
	Memory *Memory `json:"memory,omitempty"`
}

// Memory names the option that `memory` sets, and the unit of its value.
type Memory struct {
	Unit   string `json:"unit"`
	Option string `json:"option"`
}

// Tuning is the information about an option that dbdyno's search uses.
type Tuning struct {
	// Values are the values worth trying. nil means all choices, an empty list means none.
	Values    *[]string         `json:"values,omitempty"`
	Same      []Same            `json:"same,omitempty"`
	Most      *uint64           `json:"most,omitempty"`
	Risks     map[string]string `json:"risks,omitempty"`
	Statement *Statement        `json:"statement,omitempty"`
	// Program has the code with which a program has a value, by value; "*" stands for any, with {value} in the code.
	Program map[string]string `json:"program,omitempty"`
}

// Same lists values of an option that cannot differ under a condition. Without values, no values of the option can
// differ.
type Same struct {
	Values []string            `json:"values,omitempty"`
	When   map[string][]string `json:"when,omitempty"`
	Suites []string            `json:"suites,omitempty"`
	Reason string              `json:"reason"`
}

// Statement is the SQL statement that sets an option.
type Statement struct {
	Place int    `json:"place"`
	Text  string `json:"text"`
}

// Tier states what a commit survives under a condition.
type Tier struct {
	When map[string][]string `json:"when,omitempty"`
	// Tier is 0 to 3, or Unknown.
	Tier   Survival `json:"tier"`
	Reason string   `json:"reason"`
}

// Survival is what a commit survives: 3 is a power loss, 2 is a power loss that may cost the latest commits, 1 is a
// crash of the program, 0 is nothing.
type Survival int

// Unknown means that what a commit survives is not known.
const Unknown Survival = -1

// MarshalJSON writes a number, or null if the survival is unknown.
func (survival Survival) MarshalJSON() ([]byte, error) {
	if survival == Unknown {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, int64(survival), 10), nil
}

// Conflict is a combination of option values that dbdyno refuses.
type Conflict struct {
	When   map[string][]string `json:"when"`
	Reason string              `json:"reason"`
}

// Threads states what several threads may do at the same time.
type Threads struct {
	Writers             string `json:"writers"`
	ReadersBesideWriter bool   `json:"readers_beside_writer"`
}

// Probed describes the files that options name, as the program found them.
type Probed struct {
	Version string   `json:"version"`
	Build   []string `json:"build,omitempty"`
	Source  string   `json:"source,omitempty"`
	Backend string   `json:"backend,omitempty"`
	// Lacking maps options that have no effect with these files to the reasons.
	Lacking map[string]string `json:"lacking,omitempty"`
	// Tiers replace the description's tiers; nil means that the description's tiers apply.
	Tiers []Tier `json:"tiers,omitempty"`
}

// check returns an error if a job's options do not match the description. Running with other options than the
// requested ones would produce wrong figures.
func (description *Description) check(options map[string]string) error {
	names := make([]string, 0, len(description.Options))
	for _, option := range description.Options {
		names = append(names, option.Name)
		value, given := options[option.Name]
		if !given && option.Memory == nil {
			return fmt.Errorf("the job has no option `%s`: expected every option of engine `%s`", option.Name, description.Name)
		}
		if expected := option.refuses(value); given && expected != "" {
			return fmt.Errorf("option `%s` of engine `%s` cannot be `%s`: expected %s", option.Name, description.Name, value, expected)
		}
	}
	asked := make([]string, 0, len(options))
	for name := range options {
		asked = append(asked, name)
	}
	sort.Strings(asked)
	for _, name := range asked {
		if !slices.Contains(names, name) {
			return fmt.Errorf("engine `%s` has no option `%s`: expected one of %s", description.Name, name, strings.Join(names, ", "))
		}
	}
	return nil
}

// refuses returns what was expected instead of a value, or an empty string if the option accepts the value.
func (option *Option) refuses(value string) string {
	switch option.Type {
	case "choice":
		if !slices.Contains(option.Choices, value) {
			return "one of " + strings.Join(option.Choices, ", ")
		}
	case "bool":
		if value != "on" && value != "off" {
			return "on or off"
		}
	case "path":
		return ""
	default:
		number, err := strconv.ParseInt(value, 10, 64)
		if !slices.Contains(option.Words, value) && (err != nil || number < *option.Min || number > *option.Max) {
			return fmt.Sprintf("a whole number from %d to %d", *option.Min, *option.Max)
		}
	}
	return ""
}
