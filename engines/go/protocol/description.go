package protocol

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Description is what an engine says of itself.
type Description struct {
	Protocol int      `json:"protocol"`
	Name     string   `json:"name"`
	About    string   `json:"about"`
	Version  string   `json:"version"`
	Build    []string `json:"build,omitempty"`
	Source   string   `json:"source,omitempty"`
	// Backend is what is below the library, with its version, where that is another store than is usual there.
	Backend string `json:"backend,omitempty"`
	// Suites are the kinds that it runs: "kv", "sql".
	Suites    []string   `json:"suites"`
	Options   []Option   `json:"options,omitempty"`
	Tiers     []Tier     `json:"tiers,omitempty"`
	Conflicts []Conflict `json:"conflicts,omitempty"`
	// Implementations say whose code answers, where that is not the engine's alone.
	Implementations []Implementation `json:"implementations,omitempty"`
	// TablesAsData: tables and indexes come from the steps create_table, create_index and drop_table alone.
	TablesAsData bool `json:"tables_as_data,omitempty"`
	// Threads by kind of suite; of kinds without it tests of one thread are run.
	Threads map[string]Threads `json:"threads,omitempty"`
	// Ordered tells whether keys are read in their order; nil: they are.
	Ordered *bool `json:"ordered,omitempty"`
	// Kv is nil where it can do all that suites of keys and values ask for.
	Kv *KvAbility `json:"kv,omitempty"`
	// Compacts: it makes its database smaller when it is told to.
	Compacts bool `json:"compacts,omitempty"`
	// LongestKey is in bytes; 0: there is none.
	LongestKey uint64 `json:"longest_key,omitempty"`
	// Harness is the name under which Run does nothing, without options; empty: it always does what it is asked to.
	Harness string `json:"harness,omitempty"`
}

// Implementation is whose code answers suites of a kind under a condition.
type Implementation struct {
	Suite string              `json:"suite"`
	When  map[string][]string `json:"when,omitempty"`
	Name  string              `json:"name"`
}

// KvAbility is what an engine can do of suites of keys and values: dbdyno refuses tests that ask for more.
type KvAbility struct {
	Operations []string `json:"operations"`
	Keys       []string `json:"keys"`
}

// Option of an engine.
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
	// Fresh: a change needs a new database.
	Fresh  bool    `json:"fresh"`
	Tuning Tuning  `json:"tuning"`
	Memory *Memory `json:"memory,omitempty"`
}

// Memory is the option whose value `memory` sets, and in which unit.
type Memory struct {
	Unit   string `json:"unit"`
	Option string `json:"option"`
}

// Tuning is what dbdyno's search knows of an option.
type Tuning struct {
	// Values worth trying; nil: all choices, an empty list: none.
	Values    *[]string         `json:"values,omitempty"`
	Same      []Same            `json:"same,omitempty"`
	Most      *uint64           `json:"most,omitempty"`
	Risks     map[string]string `json:"risks,omitempty"`
	Statement *Statement        `json:"statement,omitempty"`
}

// Same names values that cannot differ under a condition; no values: none can.
type Same struct {
	Values []string            `json:"values,omitempty"`
	When   map[string][]string `json:"when,omitempty"`
	Suites []string            `json:"suites,omitempty"`
	Reason string              `json:"reason"`
}

// Statement sets an option in SQL.
type Statement struct {
	Place int    `json:"place"`
	Text  string `json:"text"`
}

// Tier says what a commit survives under a condition.
type Tier struct {
	When map[string][]string `json:"when,omitempty"`
	// Tier is 0 to 3, or Unknown.
	Tier   Survival `json:"tier"`
	Reason string   `json:"reason"`
}

// Survival is what a commit survives: 3 a power loss, 2 one but for the latest commits, 1 the program's crash, 0 nothing.
type Survival int

// Unknown is the Survival of which nobody can say.
const Unknown Survival = -1

// MarshalJSON writes a number, or null where it is unknown.
func (survival Survival) MarshalJSON() ([]byte, error) {
	if survival == Unknown {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, int64(survival), 10), nil
}

// Conflict is a combination that is refused.
type Conflict struct {
	When   map[string][]string `json:"when"`
	Reason string              `json:"reason"`
}

// Threads is what several threads may do at once.
type Threads struct {
	Writers             string `json:"writers"`
	ReadersBesideWriter bool   `json:"readers_beside_writer"`
}

// Probed is what a program says of the files that options name.
type Probed struct {
	Version string   `json:"version"`
	Build   []string `json:"build,omitempty"`
	Source  string   `json:"source,omitempty"`
	Backend string   `json:"backend,omitempty"`
	// Lacking are options that do nothing with these files, with the reasons.
	Lacking map[string]string `json:"lacking,omitempty"`
	// Tiers are in place of the description's; nil: those count.
	Tiers []Tier `json:"tiers,omitempty"`
}

// check returns an error where a job's options are not the description's: measuring something else in place of what
// was asked for would be a wrong figure.
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

// refuses returns what was expected in place of a value, or nothing if the option takes it.
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
