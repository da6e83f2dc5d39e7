package programs

import (
	"encoding/json"
	"os"
	"testing"
)

// model is the answers of a suite that was reimplemented in Python: rows and verification by test.
type model struct {
	Answers map[string][2]any
}

func models(t *testing.T, suite string) model {
	t.Helper()
	text, err := os.ReadFile("../../../tests/tables/" + suite + "/answers.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []model
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	// The first model has the size and the seed of testdata.
	return all[0]
}

func TestEveryDriverAnswersAsTheModelsDo(t *testing.T) {
	sweeps := []map[string]string{
		{},
		{
			"statements": "text", "read_transaction": "held", "reopen": "off", "journal_mode": "wal", "page_size": "1024",
			"cache_size": "-500", "locking_mode": "exclusive", "temp_store": "memory", "wal_autocheckpoint": "100",
			"auto_vacuum": "full", "transaction": "immediate", "foreign_keys": "on", "busy_timeout": "100",
		},
	}
	for _, driver := range drivers {
		t.Run(driver, func(t *testing.T) {
			t.Parallel()
			for at, options := range sweeps {
				for _, suite := range []string{"kv", "lumosql"} {
					if suite == "lumosql" && at > 0 && driver != "bvinc" {
						// The suite takes seconds, and all drivers share the code of the options.
						continue
					}
					opened, results := finished(t, driver, stored(t, driver, suite, options))
					for option, value := range options {
						if found, told := opened["in_force"].(object)[option]; told && found != value {
							t.Errorf("%s is %v, expected %s", option, found, value)
						}
					}
					for test, answer := range models(t, suite).Answers {
						rows := results[test]["rows"].(json.Number).String()
						if expected := answer[0].(float64); rows != json.Number(jsonNumber(expected)).String() {
							t.Errorf("%s %s: %s rows, expected %v", suite, test, rows, expected)
						}
						if found := results[test]["verification"]; found != answer[1] {
							t.Errorf("%s %s: %v, expected %v", suite, test, found, answer[1])
						}
					}
				}
			}
		})
	}
}

func jsonNumber(number float64) string {
	text, _ := json.Marshal(number)
	return string(text)
}

func TestCopiesThroughAttachAreTheSameOnEveryDriver(t *testing.T) {
	var expected map[string]object
	for _, driver := range drivers {
		job := stored(t, driver, "pragma", map[string]string{"journal_mode": "wal"})
		// These are an insert and a test with copies.
		tests := job["suite"].(object)["tests"].([]any)
		job["suite"].(object)["tests"] = []any{tests[0], tests[5]}
		_, results := finished(t, driver, job)
		if expected == nil {
			expected = results
		}
		for test, result := range results {
			if result["verification"] != expected[test]["verification"] || result["verification"] == nil {
				t.Errorf("%s, test %s: %v, expected %v", driver, test, result["verification"], expected[test]["verification"])
			}
		}
	}
}

func TestADriverSaysWhichLibraryItHas(t *testing.T) {
	versions := map[string]string{
		"mattn": "3.51.3", "modernc": "3.51.3", "glebarez": "3.51.3", "ncruces": "3.51.3", "zombiezen": "3.51.3",
		"crawshaw": "3.32.2", "eaton": "3.46.0", "bvinc": "3.28.0",
	}
	for _, driver := range drivers {
		description := described(t, driver)
		if description["version"] != versions[driver] {
			t.Errorf("%s: %v, expected %s", driver, description["version"], versions[driver])
		}
	}
}

func TestStatementsThatAnswerWithRowsAreSteppedToTheirEnds(t *testing.T) {
	// Each step of this PRAGMA releases one page.
	prepare := filled + `, {"run": "DELETE FROM articles"}`
	steps := `{"run": "PRAGMA incremental_vacuum(20)"}, {"read": "PRAGMA freelist_count"}`
	suite := sqlSuite(t, sqlTest("1", "main", prepare, steps, ""))
	var expected any
	for _, driver := range drivers {
		_, results := finished(t, driver, newJob(t, driver, suite, map[string]string{"auto_vacuum": "incremental", "page_size": "4096"}))
		if expected == nil {
			expected = results["1"]["verification"]
		}
		if results["1"]["verification"] != expected || results["1"]["rows"] != json.Number("1") {
			t.Errorf("%s: %v, expected %v", driver, results["1"]["verification"], expected)
		}
	}
}
