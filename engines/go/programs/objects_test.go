package programs

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// joined is a suite of two users: the first has three articles, the second has none. Its tests are inserted at the
// %.
const joined = `{"kind": "sql", "name": "joined", "start": null, "data_bytes": 1000, "indexes": [], "tables": [
	{"name": "users", "columns": [{"name": "id", "type": "INTEGER PRIMARY KEY NOT NULL"}, {"name": "email", "type": "TEXT NOT NULL"}, {"name": "worth", "type": "REAL"}]},
	{"name": "articles", "columns": [{"name": "id", "type": "INTEGER PRIMARY KEY NOT NULL"}, {"name": "userId", "type": "INTEGER NOT NULL REFERENCES users(id)"}, {"name": "text", "type": "TEXT NOT NULL"}]}
], "tests": [%]}`

const filled = `{"create_table": "users"}, {"create_table": "articles"}, {"transaction": [
	{"repeat": 2, "as": "u", "from": 0, "steps": [{"write": "INSERT INTO users VALUES (?1, ?2, ?3)", "bind": ["u", {"digits": "u", "width": 4, "prefix": "user", "suffix": "@example.com"}, {"real": ["+", "u", 1], "per": 4}]}]},
	{"repeat": 3, "as": "a", "from": 1, "steps": [{"write": "INSERT INTO articles VALUES (?1, 0, ?2)", "bind": ["a", {"repeat": "ab", "times": ["*", 20000, "a"]}]}]}
], "begin": "immediate"}`

const readJoined = `{"read": "SELECT u.id, u.email, u.worth, a.id, a.text FROM users u LEFT JOIN articles a ON a.userId = u.id WHERE u.id >= ?1 ORDER BY u.id, a.id", "bind": [0], "objects": [
	{"name": "user", "unique": true, "count": 2, "values": ["n", {"digits": "n", "width": 4, "prefix": "user", "suffix": "@example.com"}, {"real": ["+", "n", 1], "per": 4}]},
	{"name": "article", "unique": true, "count": ["*", 3, "one"], "values": [["+", "n", 1], {"repeat": "ab", "times": ["*", 20000, ["+", "n", 1]]}]}
]}`

func sqlSuite(t *testing.T, tests ...string) object {
	t.Helper()
	var suite object
	decoder := json.NewDecoder(strings.NewReader(strings.Replace(joined, "%", strings.Join(tests, ","), 1)))
	decoder.UseNumber()
	if err := decoder.Decode(&suite); err != nil {
		t.Fatal(err)
	}
	return suite
}

func sqlTest(number, database, prepare, steps, rest string) string {
	return `{"number": ` + number + `, "name": "a test", "measured": true, "database": "` + database + `", "prepare": [` + prepare +
		`], "steps": [` + steps + `], "rows_walked": 0, "verify": [], "verify_schema": []` + rest + `}`
}

const loop = `{"repeat": 2, "as": "one", "from": 1, "steps": [` // The expected count is wrong in the second iteration.

// addJoined adds the digest of reading the objects.
func addJoined(digest *workload.Digest) {
	digest.Int64(0)
	digest.TextValue("user0000@example.com")
	digest.Float64(0.25)
	digest.Int64(1)
	digest.TextValue("user0001@example.com")
	digest.Float64(0.5)
	digest.Word(2)
	for article := range 3 {
		digest.Int64(int64(article + 1))
		digest.TextValue(strings.Repeat("ab", 20000*(article+1)))
	}
	digest.Word(3)
	digest.Word(4)
}

func TestRowsAreMadeIntoTheObjectsOfAnApplication(t *testing.T) {
	var once, twice workload.Digest
	addJoined(&once)
	once.Word(4)
	addJoined(&twice)
	addJoined(&twice)
	twice.Word(8)
	read := `{"repeat": 1, "as": "one", "from": 1, "steps": [` + readJoined + `]}`
	both := `{"transaction": [` + read + `,` + read + `], "begin": "engine"}`
	suite := sqlSuite(t, sqlTest("1", "main", filled, read, ""), sqlTest("2", "main", "", both, ""))
	for _, driver := range drivers {
		for _, statements := range []string{"prepared", "text"} {
			_, results := finished(t, driver, newJob(t, driver, suite, map[string]string{"statements": statements, "foreign_keys": "on"}))
			if found := results["1"]["verification"]; found != once.String() {
				t.Errorf("%s: %v, expected %s", driver, found, once)
			}
			if found := results["2"]["verification"]; found != twice.String() {
				t.Errorf("%s in a transaction: %v, expected %s", driver, found, twice)
			}
		}
	}
}

func TestObjectsThatAreNotAsTheyHaveToBeFailTheRun(t *testing.T) {
	for wrong, expected := range map[string]string{
		loop + readJoined + `]}`: "3 objects `article`, expected 6",
		`{"read": "SELECT id, email FROM users ORDER BY id DESC", "objects": [{"name": "user", "count": 2, "values": ["n", {"text": "x"}]}]}`:                            "object `user`, number 0, column 1: read 1, expected 0",
		`{"read": "SELECT id, email FROM users ORDER BY id", "objects": [{"name": "user", "count": 2, "values": ["n", {"text": "x"}]}]}`:                                 "object `user`, number 0, column 2: read \"user0000@example.com\", expected \"x\"",
		`{"read": "SELECT email FROM users", "objects": [{"name": "user", "count": 2, "values": ["n"]}]}`:                                                                "read a text, expected a whole number",
		`{"read": "SELECT id, email FROM users", "objects": [{"name": "user", "count": 2, "values": ["n"]}]}`:                                                            "the answer has 2 columns, expected 1",
		`{"read": "SELECT 0, a.id FROM users u LEFT JOIN articles a ON a.userId = u.id WHERE u.id = 1", "objects": [{"name": "article", "count": 1, "values": [0, 0]}]}`: "column 2: read NULL, expected a whole number",
		`{"read": "SELECT worth FROM users ORDER BY id", "objects": [{"name": "user", "count": 2, "values": [{"real": 1, "per": 4}]}]}`:                                  "number 1, column 1: read 0.5, expected 0.25",
	} {
		suite := sqlSuite(t, sqlTest("1", "main", filled, wrong, ""))
		for _, driver := range sorts {
			if message := failed(t, driver, newJob(t, driver, suite, nil)); !strings.Contains(message, expected) {
				t.Errorf("%s: `%s`, expected `%s`", driver, message, expected)
			}
		}
	}
}

func TestEachLabelIsADatabaseOfItsOwn(t *testing.T) {
	count := `{"read": "SELECT count(*) FROM sqlite_master"}`
	suite := sqlSuite(t, sqlTest("1", "one", filled, count, ""), sqlTest("2", "two", "", count, ""), sqlTest("3", "one", "", count, ""))
	for _, reopen := range []string{"on", "off"} {
		_, results := finished(t, "mattn", newJob(t, "mattn", suite, map[string]string{"reopen": reopen}))
		if results["1"]["verification"] != results["3"]["verification"] || results["1"]["verification"] == results["2"]["verification"] {
			t.Errorf("reopen=%s: %v", reopen, results)
		}
		if _, told := results["2"]["open_ns"]; !told || results["1"]["close_ns"] == nil {
			t.Error("another label is another database, which is closed before and opened after")
		}
	}
}

func TestActorsReadAtOnceWithHandlesOfTheirOwn(t *testing.T) {
	actors := `, "actors": [{"name": "reader", "threads": 3, "steps": [{"repeat": 2, "as": "one", "from": 1, "steps": [{"repeat": 1, "as": "one", "from": 1, "steps": [` + readJoined + `]}]}]},
		{"name": "counter", "threads": 1, "steps": [{"read": "SELECT count(*) FROM users"}]}, {"name": "nobody", "threads": 0, "steps": []}]`
	suite := sqlSuite(t, sqlTest("1", "main", filled, "", actors))
	suite["tests"].([]any)[0].(object)["verify"] = []string{"users"}
	var all, reader, counter, first, second workload.Digest
	addJoined(&reader)
	addJoined(&reader)
	reader.Word(8)
	for range 3 {
		all.Word(uint64(reader))
	}
	counter.Int64(2)
	counter.Word(1)
	counter.Word(1)
	all.Word(uint64(counter))
	first.Int64(0)
	first.TextValue("user0000@example.com")
	first.Float64(0.25)
	second.Int64(1)
	second.TextValue("user0001@example.com")
	second.Float64(0.5)
	all.Word(2)
	all.Word(uint64(first) + uint64(second))
	all.Word(3*8 + 1)
	for _, driver := range drivers {
		for _, locking := range []string{"normal", "exclusive"} {
			options := map[string]string{"locking_mode": locking, "journal_mode": "wal"}
			if locking == "exclusive" {
				options["journal_mode"] = "delete"
			}
			_, results := finished(t, driver, newJob(t, driver, suite, options))
			result := results["1"]
			if result["verification"] != all.String() {
				t.Errorf("%s, %s: %v, expected %s", driver, locking, result["verification"], all)
			}
			told := result["actors"].([]any)
			if len(told) != 2 || told[0].(object)["operations"] != json.Number("6") || told[0].(object)["rows"] != json.Number("24") {
				t.Errorf("%s: %v", driver, told)
			}
		}
	}
}
