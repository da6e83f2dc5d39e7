package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dbdyno/dbdyno/engines/go/driver"
	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

func programOf(text string) (*program, error) {
	var steps []protocol.Step
	if err := json.Unmarshal([]byte(text), &steps); err != nil {
		return nil, err
	}
	return compile(&protocol.SQLSuite{}, steps)
}

// walked returns the actions of steps in words, with a full stop where an operation ends.
func walked(t *testing.T, text string, random *workload.SplitMix64) []string {
	t.Helper()
	program, err := programOf(text)
	if err != nil {
		t.Fatal(err)
	}
	script, words := newScript(program, random), []string{}
	for block := (&block{}); ; {
		script.fill(block, false)
		if len(block.actions) == 0 {
			return words
		}
		for _, action := range block.actions {
			word := [...]string{beginOf: "begin", commitOf: "commit", allOf: ""}[action.part]
			if action.part == allOf {
				word = action.node.statement.sql
			}
			for _, value := range block.values[action.from:action.to] {
				word += " " + inWords(value)
			}
			if action.endsOperation {
				word += "."
			}
			words = append(words, word)
		}
	}
}

func TestABlockOfAttemptsNeverEndsInsideATransaction(t *testing.T) {
	program, err := programOf(`[{"repeat": 2, "steps": [
		{"transaction": [{"repeat": 1000, "steps": [{"write": "w"}]}]}, {"repeat": 300, "steps": [{"write": "x"}]}
	]}]`)
	if err != nil {
		t.Fatal(err)
	}
	for isWhole, expected := range map[bool][]int{
		true: {1_002, 256, 44 + 1_002, 256, 44}, false: {256, 256, 256, 256, 256, 256, 256, 256, 256, 256, 44},
	} {
		script := newScript(program, workload.NewSplitMix64(1))
		var sizes []int
		for block := (&block{}); ; {
			script.fill(block, isWhole)
			if len(block.actions) == 0 {
				break
			}
			sizes = append(sizes, len(block.actions))
		}
		if !slices.Equal(sizes, expected) {
			t.Errorf("whole: %v: blocks of %v actions, expected %v", isWhole, sizes, expected)
		}
	}
}

func inWords(value driver.Value) string {
	switch value.Kind {
	case driver.Integer:
		return fmt.Sprint(value.Bits)
	case driver.Real:
		return fmt.Sprintf("%g", value.Float())
	case driver.Null:
		return "NULL"
	}
	return fmt.Sprintf("%q", value.Data)
}

func TestAMixDrawsAnEntryEachTimeItIsReached(t *testing.T) {
	const seed, rounds = 5, 1_000
	steps := `[{"repeat": 1000, "as": "i", "steps": [
		{"write": "w", "draw": {"r": 10}, "bind": ["r"]},
		{"mix": [{"weight": 0, "steps": [{"write": "never"}]}, {"weight": 7, "steps": [{"write": "often", "bind": ["i"]}]},
		 {"weight": 1, "steps": [{"mix": [{"weight": 1, "steps": [{"write": "x"}, {"write": "y"}]}]}]}, {"weight": 2, "steps": []}]}
	]}]`
	var expected []string
	random := workload.NewSplitMix64(seed)
	for i := range rounds {
		expected = append(expected, fmt.Sprintf("w %d.", random.Below(10)))
		switch drawn := random.Below(10); {
		case drawn < 7:
			expected = append(expected, fmt.Sprintf("often %d.", i))
		case drawn < 8:
			// A mix of one entry draws too.
			random.Next()
			expected = append(expected, "x.", "y.")
		}
	}
	found := walked(t, steps, workload.NewSplitMix64(seed))
	if !slices.Equal(found, expected) {
		t.Errorf("%d actions are not the expected %d: %v", len(found), len(expected), found[:20])
	}
}

func TestACommitBelongsToTheLastOperationWhateverIsDrawnAfterIt(t *testing.T) {
	nothing := `{"mix": [{"weight": 1, "steps": []}]}, {"repeat": 0, "steps": [{"write": "never"}]}`
	steps := `[{"transaction": [{"write": "a"}, {"mix": [{"weight": 1, "steps": [{"write": "b"}, ` + nothing + `]}]}]}, ` +
		nothing + `, {"transaction": [` + nothing + `]}]`
	expected := []string{"begin", "a.", "b", "commit.", "begin", "commit"}
	if found := walked(t, steps, workload.NewSplitMix64(1)); !slices.Equal(found, expected) {
		t.Errorf("%q, expected %q", found, expected)
	}
}

func TestValuesAreDrawnInTheirOrder(t *testing.T) {
	steps := `[{"write": "w", "draw": {"b": ["+", "a", 1], "a": {"popular": [{"records": 1, "weight": 1}, {"records": 99, "weight": 1}]}},
		"bind": [{"format": "{key:3}é\n{op:2}", "key": "a"}, "b", {"format": "{random:9}", "key": 0, "blob": true}, {"kept": "x"},
		 {"format": "{random:30}", "key": 0}, {"one_of": [1, 2.5, "t", {"null": true}, {"blob": "00"}], "at": ["-", 0, "a"]}]}]`
	random := workload.NewSplitMix64(9)
	popular := workload.NewPopular([]protocol.Popularity{{Records: 1, Weight: 1}, {Records: 99, Weight: 1}})
	a := popular.Record(random)
	b := random.Below(a + 1)
	nine, thirty := randomBytes(random, 9), randomBytes(random, 30)
	for at, letter := range thirty {
		if letter < ' ' || letter > '~' {
			thirty[at] = 'a' + letter%26
		}
	}
	literal := [...]string{"1", "2.5", `"t"`, "NULL", `"\x00"`}[(5-a%5)%5]
	// é is the bytes 195 and 169, and a line's end is the byte 10.
	expected := fmt.Sprintf("w %q %d %q NULL %q %s.", fmt.Sprintf("%03dnnk00", a), b, nine, thirty, literal)
	if found := walked(t, steps, workload.NewSplitMix64(9)); !slices.Equal(found, []string{expected}) {
		t.Errorf("%s, expected %s", found, expected)
	}
}

func randomBytes(random *workload.SplitMix64, count int) (bytes []byte) {
	for word := uint64(0); len(bytes) < count; word >>= 8 {
		if len(bytes)%8 == 0 {
			word = random.Next()
		}
		bytes = append(bytes, byte(word))
	}
	return bytes
}

func TestTheNumberOfOperationsIsKnownIfAllEntriesOfMixesHaveTheSame(t *testing.T) {
	even := `{"mix": [{"weight": 1, "steps": [{"write": "a"}, {"read": "b"}]}, {"weight": 2, "steps": [{"repeat": 2, "steps": [{"run": "c"}]}]}]}`
	uneven := `{"mix": [{"weight": 1, "steps": []}, {"weight": 2, "steps": [{"run": "c"}]}]}`
	for steps, expected := range map[string]int{
		`[{"write": "w"}, ` + even + `]`:                               3,
		`[{"repeat": 10, "steps": [{"transaction": [` + even + `]}]}]`: 20,
		`[{"mix": [{"weight": 1, "steps": [` + even + `]}]}]`:          2,
		`[` + uneven + `]`: -1,
		`[{"repeat": 0, "steps": [{"transaction": [` + uneven + `]}]}]`:         -1,
		`[{"mix": [{"weight": 1, "steps": [` + uneven + `]}]}, {"write": "w"}]`: -1,
	} {
		program, err := programOf(steps)
		if err != nil {
			t.Fatal(err)
		}
		operations, known := program.operations()
		if known != (expected >= 0) || known && operations != uint64(expected) {
			t.Errorf("%s: %d operations (known: %v), expected %d", steps, operations, known, expected)
		}
	}
}

func TestNamesHaveTheOrderOfTheirFirstAppearance(t *testing.T) {
	program, err := programOf(`[{"repeat": 1, "steps": [{"transaction": [{"run": "r", "name": "c"}, {"write": "w", "name": "b"}], "name": "d"}]},
		{"mix": [{"weight": 1, "steps": [{"read": "r", "name": "a"}]}, {"weight": 0, "steps": [{"read": "r", "name": "d"}]}]}]`)
	if err != nil {
		t.Fatal(err)
	}
	expected := []name{{"d", true}, {"c", false}, {"b", true}, {"a", true}}
	if !slices.Equal(program.names, expected) {
		t.Errorf("%v, expected %v", program.names, expected)
	}
}

func TestStepsThatMeanNothingAreRefused(t *testing.T) {
	for steps, expected := range map[string]string{
		`[{"repeat": 1, "steps": [], "name": "n"}]`:                               "name `n` of a step: expected write, read, run or transaction",
		`[{"create_table": "t", "name": "n"}]`:                                    "name `n` of a step: expected write, read, run or transaction",
		`[{"write": "w", "keep": "k"}]`:                                           "keep `k` of a step: expected it with read, and without objects",
		`[{"read": "r", "keep": "k", "objects": [{"name": "o", "values": [1]}]}]`: "keep `k` of a step: expected it with read, and without objects",
		`[{"read": "r", "objects": [{"name": "o", "values": [{"kept": "k"}]}]}]`:  "object `o`: expected values other than one_of, format and kept",
		`[{"write": "w", "bind": [{"format": "{kee}", "key": 1}]}]`:               "w: format `{kee}`: expected text with {key}",
		`[{"mix": []}]`: "a mix has nothing to draw: expected entries with a weight above 0",
		`[{"mix": [{"weight": 0, "steps": []}]}]`:          "a mix has nothing to draw: expected entries with a weight above 0",
		`[{"mix": [{"weight": 1, "steps": [{}]}]}]`:        "repeat, transaction and mix",
		`[{"write": "w", "draw": {"a": {"popular": []}}}]`: "expected an expression, or {\"popular\"",
	} {
		if _, err := programOf(steps); err == nil || !strings.Contains(err.Error(), expected) {
			t.Errorf("%s: `%v`, expected `%s`", steps, err, expected)
		}
	}
}
