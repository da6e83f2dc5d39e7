package protocol

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
)

func TestLiteralsAreReadAsTheyAreWritten(t *testing.T) {
	texts := `[7, -9223372036854775808, 7.0, 1e3, -0.5, "7", "", {"null": true}, {"blob": "00fF"}, {"blob": ""}]`
	var read []Literal
	if err := json.Unmarshal([]byte(texts), &read); err != nil {
		t.Fatal(err)
	}
	if *read[0].Integer != 7 || *read[1].Integer != math.MinInt64 {
		t.Errorf("%+v: expected whole numbers", read[:2])
	}
	for at, expected := range []float64{7, 1000, -0.5} {
		if real := read[2+at].Real; real == nil || *real != expected || read[2+at].Integer != nil {
			t.Errorf("%+v: expected the real number %v", read[2+at], expected)
		}
	}
	if *read[5].Text != "7" || *read[6].Text != "" {
		t.Errorf("%+v: expected texts", read[5:7])
	}
	if null := read[7]; null.Integer != nil || null.Real != nil || null.Text != nil || null.Blob != nil {
		t.Errorf("%+v: expected NULL", null)
	}
	if string(read[8].Blob) != "\x00\xff" || read[9].Blob == nil || len(read[9].Blob) > 0 {
		t.Errorf("%+v: expected blobs", read[8:])
	}
}

func TestWhatIsNoValueToBindIsRefusedWithWhatWasExpected(t *testing.T) {
	const literal = "expected a number of 64 bits, a text, {\"null\": true} or {\"blob\": \"00ff\"}"
	for text, expected := range map[string]string{
		`{"one_of": [true], "at": 0}`:                         "value true: " + literal,
		`{"one_of": [null], "at": 0}`:                         "value null: " + literal,
		`{"one_of": [[1]], "at": 0}`:                          "value [1]: " + literal,
		`{"one_of": [9223372036854775808], "at": 0}`:          "value 9223372036854775808: " + literal,
		`{"one_of": [{"null": false}], "at": 0}`:              literal,
		`{"one_of": [{"null": true, "blob": "00"}], "at": 0}`: literal,
		`{"one_of": [{"blob": "0"}], "at": 0}`:                literal,
		`{"one_of": [{}], "at": 0}`:                           literal,
		`{"one_of": [], "at": 0}`:                             "expected at least one value in one_of, and an expression at",
		`{"one_of": [1]}`:                                     "expected at least one value in one_of, and an expression at",
		`{"format": "{key:8}"}`:                               "expected an expression key with format",
		`{"format": "{key:8}", "key": "i", "kept": "last"}`:   "expected exactly one of real, words, digits, text, repeat, one_of",
		`{"column": 1}`:                                       "one_of, format and kept",
		`{"kept": "last", "column": -1}`:                      "column",
	} {
		var parameter Parameter
		if err := json.Unmarshal([]byte(text), &parameter); err == nil || !strings.Contains(err.Error(), expected) {
			t.Errorf("%s: `%v`, expected `%s`", text, err, expected)
		}
	}
}

func TestADrawIsAnExpressionOrHasGroups(t *testing.T) {
	var draws map[string]Draw
	text := `{"a": 7, "b": ["*", "i", 2], "c": {"popular": [{"records": 1, "weight": 50}, {"records": 9, "weight": 0}]}}`
	if err := json.Unmarshal([]byte(text), &draws); err != nil {
		t.Fatal(err)
	}
	a, b, c := draws["a"], draws["b"], draws["c"]
	variables := []Variable{{Name: "i", Value: 4}}
	if a.Below.Value(variables) != 7 || b.Below.Value(variables) != 8 || a.Popular != nil || b.Popular != nil {
		t.Errorf("%+v, %+v: expected 7 and 8", a, b)
	}
	if len(c.Popular) != 2 || c.Popular[1] != (Popularity{Records: 9}) {
		t.Errorf("%+v: expected two groups", c)
	}
	for _, wrong := range []string{`{}`, `{"popular": []}`, `{"popular": [{"records": 1, "weight": 0}]}`, `{"popular": 1}`} {
		var draw Draw
		if err := json.Unmarshal([]byte(wrong), &draw); err == nil || !strings.Contains(err.Error(), "expected an expression, or {\"popular\"") {
			t.Errorf("%s: `%v`, expected what was expected", wrong, err)
		}
	}
}

func TestATestHasWritingThreadsIfAStepOfAnActorIsMoreThanARead(t *testing.T) {
	const read = `{"read": "r"}`
	inside := func(step string) []string {
		return []string{
			step, `{"repeat": 2, "steps": [` + read + `, ` + step + `]}`, `{"transaction": [` + read + `, ` + step + `]}`,
			`{"mix": [{"weight": 1, "steps": []}, {"weight": 1, "steps": [{"repeat": 1, "steps": [` + step + `]}]}]}`,
		}
	}
	others := []string{
		`{"write": "w"}`, `{"run": "w"}`, `{"create_table": "t"}`, `{"create_index": "i"}`, `{"drop_table": "t"}`,
		`{"copy_database": {"schema": [], "tables": []}}`,
	}
	for _, innermost := range append(others, read) {
		for _, step := range inside(innermost) {
			var test SQLTest
			text := `{"steps": [], "actors": [{"steps": [` + read + `]}, {"steps": [` + read + `, ` + step + `]}]}`
			if err := json.Unmarshal([]byte(text), &test); err != nil {
				t.Fatal(err)
			}
			if found, expected := test.HasWritingThreads(), innermost != read; found != expected {
				t.Errorf("%s: threads write: %v, expected %v", step, found, expected)
			}
		}
	}
	alone := SQLTest{Steps: []Step{{Write: "w"}}}
	if alone.HasWritingThreads() || alone.VerifiesContent() {
		t.Error("a test of one thread has no writing threads, and verifies no content")
	}
	alone.VerifySchema = []string{"t"}
	if !alone.VerifiesContent() {
		t.Error("a schema is content")
	}
}
