package programs

import (
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// writers add to a number that they first read, so that they get in each other's way.
const writers = `, "actors": [
	{"name": "writer", "threads": 3, "steps": [{"repeat": 40, "as": "i", "steps": [
		{"transaction": [
			{"read": "SELECT worth FROM users WHERE id = 0", "keep": "now", "name": "read"},
			{"write": "UPDATE users SET worth = ?1 + 1 WHERE id = 0", "bind": [{"kept": "now"}], "name": "write"}
		], "begin": "deferred", "name": "together"},
		{"write": "UPDATE users SET worth = worth + 1 WHERE id = ?1", "bind": [["/", ["+", "thread", 1], 3]], "name": "alone"}
	]}]},
	{"name": "reader", "threads": 1, "steps": [{"repeat": 30, "steps": [{"read": "SELECT worth FROM users"}]}]}
]`

func TestWritersDoAgainWhatAnotherOneBlocks(t *testing.T) {
	suite := sqlSuite(t, sqlTest("1", "main", filled, "", writers))
	suite["tests"].([]any)[0].(object)["verify"] = []string{"users"}
	var first, second, content workload.Digest
	// The first user gets 120 together, and 40 from each of two threads alone. The third thread adds to the other.
	first.Int64(0)
	first.TextValue("user0000@example.com")
	first.Float64(200.25)
	second.Int64(1)
	second.TextValue("user0001@example.com")
	second.Float64(40.5)
	content.Word(2)
	content.Word(uint64(first) + uint64(second))
	content.Word(0)
	conflicts := map[string]uint64{}
	for _, driver := range drivers {
		for journal, statements := range map[string]string{"wal": "prepared", "delete": "text"} {
			options := map[string]string{"busy_timeout": "0", "journal_mode": journal, "statements": statements}
			started, result := begun(t, driver, newJob(t, driver, suite, options))
			if whole(t, started["operations"]) != 390 || whole(t, result["operations"]) != 390 {
				t.Errorf("%s: %v, %v: expected 390 operations", driver, started, result)
			}
			if result["verification"] != content.String() || whole(t, result["rows"]) != 420 {
				t.Errorf("%s, %s: %v, expected %s and 420 rows", driver, journal, result, content)
			}
			for _, name := range result["statements"].([]any) {
				of := name.(object)
				if of["verification"] != nil || whole(t, of["operations"]) != 120 {
					t.Errorf("%s: %v, expected 120 operations that are not verified", driver, of)
				}
			}
			for _, actor := range result["actors"].([]any) {
				of := actor.(object)
				histogram, err := hdrhistogram.Decode([]byte(of["histogram"].(string)))
				if err != nil || uint64(histogram.TotalCount()) != whole(t, of["operations"]) {
					t.Errorf("%s: %v, %v: expected a latency of each operation", driver, err, of)
				}
				if whole(t, of["busy"]) != whole(t, of["retries"]) {
					t.Errorf("%s: %v: expected that all that was blocked was done again", driver, of)
				}
				conflicts[driver] += whole(t, of["busy"])
			}
		}
		if conflicts[driver] == 0 {
			t.Errorf("%s: no thread was in another one's way", driver)
		}
	}
}
