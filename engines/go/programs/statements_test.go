package programs

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// named is what the steps of one name are expected to answer.
type named struct {
	operations, rows, digests uint64
	// answers reports whether its steps have answers to verify.
	answers bool
}

func (named *named) verification() string {
	var digest workload.Digest
	digest.Word(named.digests)
	digest.Word(named.rows)
	return digest.String()
}

// expected is what a thread is expected to do. It draws by itself, and answers as SQLite does.
type expected struct {
	random           *workload.SplitMix64
	digest           workload.Digest
	rows, operations uint64
	names            map[string]*named
}

func newExpected(random *workload.SplitMix64) *expected {
	return &expected{random: random, names: map[string]*named{}}
}

func (expected *expected) of(name string) *named {
	if expected.names[name] == nil {
		expected.names[name] = &named{}
	}
	return expected.names[name]
}

// done adds an operation of a statement with its number of rows and its values.
func (expected *expected) done(name string, rows uint64, values ...any) {
	var own workload.Digest
	for _, digest := range []*workload.Digest{&own, &expected.digest} {
		for _, value := range values {
			addTo(digest, value)
		}
		digest.Word(rows)
	}
	expected.rows += rows
	expected.operations++
	if name != "" {
		named := expected.of(name)
		named.operations++
		named.answers = true
		named.rows += rows
		named.digests += uint64(own)
	}
}

func addTo(digest *workload.Digest, value any) {
	switch value := value.(type) {
	case nil:
		digest.Null()
	case int:
		digest.Int64(int64(value))
	case float64:
		digest.Float64(value)
	case string:
		digest.TextValue(value)
	case []byte:
		digest.Blob(string(value))
	}
}

// bytes draws random bytes as formats do.
func (expected *expected) bytes(count int) (bytes []byte) {
	for word := uint64(0); len(bytes) < count; word >>= 8 {
		if len(bytes)%8 == 0 {
			word = expected.random.Next()
		}
		bytes = append(bytes, byte(word))
	}
	return bytes
}

// check compares the results of names with what is expected. None of the times may be lost or counted twice.
func (expected *expected) check(t *testing.T, driver string, result object, order []string, isNull bool) {
	t.Helper()
	told := result["statements"].([]any)
	if len(told) != len(order) {
		t.Fatalf("%s: %v, expected results of %v", driver, told, order)
	}
	sum := uint64(0)
	for at, name := range order {
		found, of := told[at].(object), expected.of(name)
		if found["name"] != name || whole(t, found["operations"]) != of.operations {
			t.Errorf("%s: %v, expected %d operations of `%s`", driver, found, of.operations, name)
		}
		histogram, err := hdrhistogram.Decode([]byte(found["histogram"].(string)))
		if err != nil || uint64(histogram.TotalCount()) != of.operations {
			t.Errorf("%s, %s: %v, expected a histogram of %d samples", driver, name, err, of.operations)
		}
		sum += whole(t, found["wall_ns"])
		if isNull {
			if found["verification"] != nil {
				t.Errorf("%s: %v, expected no verification", driver, found)
			}
			continue
		}
		if whole(t, found["rows"]) != of.rows {
			t.Errorf("%s: %v, expected %d rows", driver, found, of.rows)
		}
		var verification any
		if of.answers {
			verification = of.verification()
		}
		if found["verification"] != verification {
			t.Errorf("%s, %s: %v, expected %v", driver, name, found["verification"], verification)
		}
	}
	if wall := whole(t, result["wall_ns"]); sum == 0 || sum > wall && result["actors"] == nil {
		t.Errorf("%s: the names took %d ns, the test %d ns", driver, sum, wall)
	}
}

func whole(t *testing.T, value any) uint64 {
	t.Helper()
	number, err := value.(json.Number).Int64()
	if err != nil {
		t.Fatal(err)
	}
	return uint64(number)
}

// begun runs a job of one test, and returns the event with which it began and its result.
func begun(t *testing.T, driver string, job object) (started, result object) {
	t.Helper()
	session := begin(t, driver, "run", job)
	started, result = session.until("test_started"), session.until("test_done")
	session.until("done")
	return started, result
}

const groups = `[{"records": 1, "weight": 50}, {"records": 9, "weight": 30}, {"records": 90, "weight": 20}]`

func newPopular(t *testing.T) workload.Popular {
	t.Helper()
	var popularity []protocol.Popularity
	if err := json.Unmarshal([]byte(groups), &popularity); err != nil {
		t.Fatal(err)
	}
	return workload.NewPopular(popularity)
}

// namedSteps has every kind of step and of value that has a name, draws or is drawn.
const namedSteps = `
	{"transaction": [{"repeat": 5, "as": "i", "steps": [
		{"write": "INSERT INTO articles(userId, text) VALUES (?1, ?2)", "name": "add", "draw": {"p": {"popular": ` + groups + `}},
		 "bind": ["p", {"format": "{key:03} {random:20}é", "key": "p"}]}
	]}], "begin": "immediate", "name": "adding"},
	{"repeat": 9, "as": "i", "steps": [
		{"read": "SELECT typeof(?1), ?1, typeof(?2), ?2", "name": "kinds", "bind": [
			{"one_of": [1, 2.5, "text", {"null": true}, {"blob": "00ff"}, "", {"blob": ""}], "at": ["-", "i", 9]},
			{"format": "{key:u8}{random:9}", "key": ["-", 0, "i"], "blob": true}
		]}
	]},
	{"read": "SELECT id, userId, text, x'00ff', 2.5, NULL FROM articles WHERE id > 7 ORDER BY id DESC", "keep": "newest"},
	{"read": "SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7", "bind": [
		{"kept": "newest"}, {"kept": "newest", "column": 1}, {"kept": "newest", "column": 2}, {"kept": "newest", "column": 3},
		{"kept": "newest", "column": 4}, {"kept": "newest", "column": 5}, {"kept": "newest", "column": 6}
	]},
	{"read": "SELECT ?1, 'x' UNION ALL SELECT 0, 'y'", "bind": [{"kept": "newest", "column": 2}], "keep": "newest", "name": "kept"},
	{"read": "SELECT ?1, ?2, ?3", "bind": [{"kept": "newest"}, {"kept": "newest", "column": 1}, {"kept": "prepared"}], "name": "kept"},
	{"read": "SELECT id FROM articles WHERE id = -1", "keep": "newest", "name": "none"},
	{"read": "SELECT ?1", "bind": [{"kept": "newest"}]},
	{"repeat": 40, "as": "i", "steps": [{"mix": [
		{"weight": 3, "steps": [{"read": "SELECT count(*) FROM articles", "name": "look"}]},
		{"weight": 1, "steps": [
			{"transaction": [
				{"write": "DELETE FROM articles WHERE id = (SELECT max(id) FROM articles) AND ?1 > 1", "draw": {"r": 4}, "bind": ["r"], "name": "remove"}
			], "name": "adding"},
			{"run": "UPDATE users SET worth = 1 WHERE id = 0", "name": "nothing"}
		]}
	]}]}`

// namesOfSteps are the names of namedSteps in the order of their first appearance.
var namesOfSteps = []string{"adding", "add", "kinds", "kept", "none", "look", "remove", "nothing"}

// doNamedSteps does what namedSteps does, with SQLite's rules written down here.
func (expected *expected) doNamedSteps(t *testing.T) {
	popular, articles := newPopular(t), 3
	var user int
	var text string
	for range 5 {
		user = int(popular.Record(expected.random))
		drawn := append(fmt.Appendf(nil, "%03d ", user), expected.bytes(20)...)
		drawn = append(drawn, "é"...)
		for at, letter := range drawn {
			if letter < ' ' || letter > '~' {
				drawn[at] = 'a' + letter%26
			}
		}
		text = string(drawn)
		expected.done("add", 1)
		articles++
	}
	expected.of("adding").operations++
	for i := range 9 {
		key := uint64(-i)
		blob := []byte{}
		for shift := 56; shift >= 0; shift -= 8 {
			blob = append(blob, byte(key>>shift))
		}
		blob = append(blob, expected.bytes(9)...)
		kinds := [...][2]any{
			{"integer", 1}, {"real", 2.5}, {"text", "text"}, {"null", nil}, {"blob", []byte{0, 255}}, {"text", ""}, {"blob", []byte{}},
		}
		// -9 modulo 7 is 5.
		kind := kinds[(i+5)%7]
		expected.done("kinds", 1, kind[0], kind[1], "blob", blob)
	}
	newest := []any{articles, user, text, []byte{0, 255}, 2.5, nil}
	expected.done("", 1, newest...)
	expected.done("", 1, append(newest, nil)...)
	expected.done("kept", 2, text, "x", 0, "y")
	expected.done("kept", 1, text, "x", nil)
	expected.done("none", 0)
	expected.done("", 1, nil)
	for range 40 {
		if expected.random.Below(4) < 3 {
			expected.done("look", 1, articles)
			continue
		}
		changed := 0
		if expected.random.Below(4) > 1 && articles > 0 {
			changed = 1
		}
		articles -= changed
		expected.done("remove", uint64(changed))
		expected.of("adding").operations++
		expected.of("nothing").operations++
		expected.operations++
	}
}

func TestNamedStepsHaveResultsOfTheirOwn(t *testing.T) {
	prepare := filled + `, {"read": "SELECT 1", "keep": "prepared", "name": "a name of the preparation"}`
	suite := sqlSuite(t, sqlTest("1", "main", prepare, namedSteps, ""))
	expected := newExpected(workload.Stream(1, 1))
	expected.doNamedSteps(t)
	digest := expected.digest
	digest.Word(expected.rows)
	for _, driver := range drivers {
		if driver == "crawshaw" {
			message := failed(t, driver, newJob(t, driver, suite, nil))
			if !strings.Contains(message, "engine `go-crawshaw` binds blobs as texts") {
				t.Errorf("%s: expected that it cannot bind blobs", message)
			}
			continue
		}
		for _, statements := range []string{"prepared", "text"} {
			started, result := begun(t, driver, newJob(t, driver, suite, map[string]string{"statements": statements}))
			if started["operations"] != nil {
				t.Errorf("%s: %v, expected no number of operations", driver, started)
			}
			if whole(t, result["operations"]) != expected.operations || whole(t, result["rows"]) != expected.rows || result["verification"] != digest.String() {
				t.Errorf("%s: %v, expected %d operations, %d rows, %s", driver, result, expected.operations, expected.rows, digest)
			}
			expected.check(t, driver, result, namesOfSteps, false)
		}
	}
	job := newJob(t, "mattn", suite, nil)
	job["engine"], job["options"] = "go-null", map[string]string{}
	_, result := begun(t, "mattn", job)
	expected.check(t, "go-null", result, namesOfSteps, true)
}

// Names change nothing but the results of names.
func TestAJobWithoutNamesHasTheSameAnswersAndNoResultsOfNames(t *testing.T) {
	unnamed := namedSteps
	for _, name := range namesOfSteps {
		unnamed = strings.ReplaceAll(unnamed, `, "name": "`+name+`"`, "")
	}
	results := map[string]object{}
	for _, steps := range []string{namedSteps, unnamed} {
		_, results[steps] = begun(t, "modernc", newJob(t, "modernc", sqlSuite(t, sqlTest("1", "main", filled, steps, "")), nil))
	}
	if results[unnamed]["statements"] != nil || results[namedSteps]["statements"] == nil {
		t.Error("expected results of names exactly if there are names")
	}
	for _, field := range []string{"operations", "rows", "verification"} {
		if results[unnamed][field] != results[namedSteps][field] {
			t.Errorf("%s is %v without names, %v with them", field, results[unnamed][field], results[namedSteps][field])
		}
	}
}

const drawingActors = `, "actors": [
	{"name": "reader", "threads": 3, "steps": [{"repeat": 300, "as": "i", "steps": [{"mix": [
		{"weight": 2, "steps": [{"read": "SELECT ?1", "draw": {"r": {"popular": ` + groups + `}}, "bind": ["r"], "name": "one", "keep": "last"}]},
		{"weight": 1, "steps": [{"transaction": [
			{"read": "SELECT ?1", "bind": [{"kept": "last"}], "name": "again"}, {"read": "SELECT id FROM users", "name": "one"}
		], "begin": "engine"}]}
	]}]}]},
	{"name": "nobody", "threads": 0, "steps": [{"read": "SELECT 1", "name": "of nobody"}]},
	{"name": "drawer", "threads": 2, "steps": [
		{"read": "SELECT ?1", "draw": {"r": 1000}, "bind": ["r"], "name": "other"},
		{"read": "SELECT u.id FROM users u", "name": "one", "objects": [{"name": "user", "unique": true, "count": 2, "values": ["n"]}]}
	]}
]`

func (expected *expected) read(t *testing.T) {
	popular := newPopular(t)
	var last any
	for range 300 {
		if expected.random.Below(3) < 2 {
			last = int(popular.Record(expected.random))
			expected.done("one", 1, last)
			continue
		}
		expected.done("again", 1, last)
		expected.done("one", 2, 0, 1)
	}
}

// drawAndFetch is done by each thread of the actor drawer. After the objects comes their number.
func (expected *expected) drawAndFetch() {
	expected.done("other", 1, int(expected.random.Below(1000)))
	var own workload.Digest
	for _, digest := range []*workload.Digest{&own, &expected.digest} {
		digest.Int64(0)
		digest.Int64(1)
		digest.Word(2)
		digest.Word(2)
	}
	expected.rows += 2
	expected.operations++
	one := expected.of("one")
	one.operations++
	one.answers = true
	one.rows += 2
	one.digests += uint64(own)
}

func TestEachThreadDrawsFromAStreamOfItsOwn(t *testing.T) {
	prepare := filled + `, {"write": "UPDATE users SET worth = ?1", "draw": {"r": 100}, "bind": ["r"]}`
	suite := sqlSuite(t, sqlTest("1", "main", prepare, "", drawingActors))
	random := workload.Stream(1, 1)
	random.Below(100)
	seed := random.Next()
	var digest workload.Digest
	together := newExpected(nil)
	for thread := range uint64(5) {
		one := newExpected(workload.Stream(seed, thread))
		if thread < 3 {
			one.read(t)
		} else {
			one.drawAndFetch()
		}
		one.digest.Word(one.rows)
		digest.Word(uint64(one.digest))
		together.rows += one.rows
		together.operations += one.operations
		for name, of := range maps.All(one.names) {
			all := together.of(name)
			all.operations, all.rows, all.digests = all.operations+of.operations, all.rows+of.rows, all.digests+of.digests
			all.answers = all.answers || of.answers
		}
	}
	digest.Word(together.rows)
	for _, driver := range drivers {
		started, result := begun(t, driver, newJob(t, driver, suite, map[string]string{"journal_mode": "wal"}))
		if started["operations"] != nil {
			t.Errorf("%s: %v, expected no number of operations", driver, started)
		}
		if whole(t, result["operations"]) != together.operations || result["verification"] != digest.String() {
			t.Errorf("%s: %v, expected %d operations, %s", driver, result, together.operations, digest)
		}
		together.check(t, driver, result, []string{"one", "again", "other"}, false)
	}
}
