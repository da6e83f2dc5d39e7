package workload_test

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// answers are the answers of tests/tables/shared/make.py, which engines in every language must give.
type answers struct {
	Splitmix64 []struct {
		Seed uint64   `json:",string"`
		Next []string `json:"next"`
	}
	Streams []struct {
		Seed   uint64 `json:",string"`
		Number uint64
		Bounds []string
		Below  []string
	}
	Digests []struct {
		Fields []string
		Digest string
	}
	Values []struct {
		Values []json.RawMessage
		Digest string
	}
	Words []struct {
		Number int64 `json:",string"`
		Words  string
	}
	Digits []struct {
		Number int64 `json:",string"`
		Width  int
		Digits string
	}
	Expressions []struct {
		Tree  protocol.Expression
		Value int64 `json:",string"`
	}
	Variables map[string]int64
	Formats   []struct {
		Format   string
		Key, Op  uint64
		Seed     uint64
		Rendered string
	}
	Shuffles []struct {
		Count uint64
		Seed  string
		Order []uint64
	}
	Histogram struct {
		Latencies []string
		Encoded   string
	}
}

func read(t *testing.T) (known answers) {
	t.Helper()
	text, err := os.ReadFile("../../../tests/tables/shared/answers.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &known); err != nil {
		t.Fatal(err)
	}
	return known
}

func equal[T comparable](t *testing.T, found, expected T, what ...any) {
	t.Helper()
	if found != expected {
		t.Errorf("%v: %v, expected %v", what, found, expected)
	}
}

func number(t *testing.T, text string) uint64 {
	t.Helper()
	value, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func TestTheGeneratorDrawsWhatItDrawsInEveryLanguage(t *testing.T) {
	known := read(t)
	for _, drawn := range known.Splitmix64 {
		random := workload.NewSplitMix64(drawn.Seed)
		for at, next := range drawn.Next {
			equal(t, random.Next(), number(t, next), drawn.Seed, at)
		}
	}
	for _, stream := range known.Streams {
		random := workload.Stream(stream.Seed, stream.Number)
		for at, bound := range stream.Bounds {
			equal(t, random.Below(number(t, bound)), number(t, stream.Below[at]), stream.Seed, stream.Number, bound)
		}
	}
}

func TestDigestsAreThoseOfEveryLanguage(t *testing.T) {
	known := read(t)
	for _, of := range known.Digests {
		var digest workload.Digest
		for _, field := range of.Fields {
			bytes, err := hex.DecodeString(field)
			if err != nil {
				t.Fatal(err)
			}
			digest.Bytes(bytes)
		}
		equal(t, digest.String(), of.Digest, of.Fields)
	}
	for _, of := range known.Values {
		var digest workload.Digest
		for _, value := range of.Values {
			add(t, &digest, string(value))
		}
		equal(t, digest.String(), of.Digest, of.Values)
	}
}

// add adds a JSON value to a digest.
func add(t *testing.T, digest *workload.Digest, value string) {
	var text string
	var blob struct{ Blob string }
	switch {
	case value == "null":
		digest.Null()
	case json.Unmarshal([]byte(value), &text) == nil:
		digest.TextValue(text)
	case strings.HasPrefix(value, "{"):
		if err := json.Unmarshal([]byte(value), &blob); err != nil {
			t.Fatal(err)
		}
		bytes, err := hex.DecodeString(blob.Blob)
		if err != nil {
			t.Fatal(err)
		}
		digest.Blob(string(bytes))
	case strings.ContainsAny(value, ".e"):
		real, err := strconv.ParseFloat(value, 64)
		if err != nil {
			t.Fatal(err)
		}
		digest.Float64(real)
	default:
		whole, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		digest.Int64(whole)
	}
}

func TestNumbersAreWrittenAsInEveryLanguage(t *testing.T) {
	known := read(t)
	for _, of := range known.Words {
		equal(t, string(workload.AppendWords([]byte("x"), of.Number)), "x"+of.Words, of.Number)
	}
	for _, of := range known.Digits {
		equal(t, string(workload.AppendDigits(nil, of.Number, of.Width)), of.Digits, of.Number, of.Width)
	}
	for _, of := range known.Formats {
		template, err := workload.NewTemplate(of.Format)
		if err != nil {
			t.Fatal(err)
		}
		rendered := template.Append(nil, of.Key, of.Op, workload.NewSplitMix64(of.Seed))
		equal(t, hex.EncodeToString(rendered), of.Rendered, of.Format, of.Key, of.Op)
	}
}

func TestOrdersAreThoseOfEveryLanguage(t *testing.T) {
	for _, of := range read(t).Shuffles {
		shuffle := workload.NewShuffle(of.Count, number(t, of.Seed))
		for place, expected := range of.Order {
			equal(t, shuffle.Number(uint64(place)), expected, of.Count, place)
		}
	}
}

func TestFormatsThatAreNotKnownAreRefused(t *testing.T) {
	for _, format := range []string{"{nobody}", "{key", "a}b", "{key:u9}", "{key:u0}", "{random}", "{random:u3}", "{random:2-1}", "{random:1-}", "{key:1-2}", "{key:0}", "{random:1/}", "{random:1*0}", "{random:1,101%}", "{random:,5%}", "{uuid4:u8}", "{uuid5}", "{uuid7:}"} {
		if _, err := workload.NewTemplate(format); err == nil {
			t.Errorf("%s was taken", format)
		}
	}
}

func TestExpressionsHaveTheValuesOfEveryLanguage(t *testing.T) {
	known := read(t)
	var variables []protocol.Variable
	for name, value := range known.Variables {
		variables = append(variables, protocol.Variable{Name: name, Value: value - 1}, protocol.Variable{Name: name, Value: value})
	}
	for at, of := range known.Expressions {
		equal(t, of.Tree.Value(variables), of.Value, "expression", at)
	}
	var tree protocol.Expression
	for _, wrong := range []string{`["^", 1, 2]`, `["+", 1]`, `["n", 1, 2]`, `1.5`, `{}`} {
		if err := json.Unmarshal([]byte(wrong), &tree); err == nil {
			t.Errorf("%s was taken", wrong)
		}
	}
}

func TestHistogramsAreReadAndWrittenAsInEveryLanguage(t *testing.T) {
	known := read(t).Histogram
	decoded, err := hdrhistogram.Decode([]byte(known.Encoded))
	if err != nil {
		t.Fatal(err)
	}
	expected := hdrhistogram.New(1, workload.HighestNs, 3)
	for _, latency := range known.Latencies {
		if err := expected.RecordValue(int64(number(t, latency))); err != nil {
			t.Fatal(err)
		}
	}
	if !decoded.Equals(expected) {
		t.Error("a histogram that was made in another language is read otherwise")
	}
}
