package engine

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/dbdyno/dbdyno/engines/go/protocol"
)

const planned = `[
	{"repeat": 3, "as": "i", "from": 5, "steps": [
		{"transaction": [{"write": "INSERT INTO counters VALUES (?1, 0)", "bind": ["i"]}], "begin": "deferred"},
		{"read": "SELECT value FROM counters WHERE id = ?1", "bind": ["i"]}
	]},
	{"repeat": 0, "as": "i", "from": 0, "steps": [{"read": "SELECT 1 FROM counters"}]},
	{"mix": [
		{"weight": 1, "steps": [{"read": "SELECT value FROM counters WHERE id = ?1", "bind": [1]}]},
		{"weight": 1, "steps": [{"read": "SELECT value FROM counters WHERE value > ?1", "bind": ["r"], "draw": {"r": 9}}]}
	]},
	{"read": "SELECT id FROM counters ORDER BY value", "name": "in order"},
	{"run": "CREATE TABLE other(a)"}, {"write": "DELETE FROM other WHERE a = 1"}, {"run": "DROP TABLE other"}
]`

// expectedPlans are those of the statements without names.
var expectedPlans = []protocol.PlannedQuery{
	{Statement: "SELECT value FROM counters WHERE id = ?1", Plan: []string{"SEARCH counters USING INTEGER PRIMARY KEY (rowid=?)"}},
	{Statement: "SELECT value FROM counters WHERE value > ?1", Plan: []string{"SCAN counters"}},
}

func TestATestHasThePlansOfItsStatements(t *testing.T) {
	alone := strings.Replace(fmt.Sprintf(counters, `"verify": []`), `"steps": []`, `"steps": `+planned, 1)
	const actor = `"actors": [{"name": "one", "threads": 1, "steps": %s}]`
	for _, suite := range []string{alone, fmt.Sprintf(counters, fmt.Sprintf(actor, planned))} {
		done, err := doneOf(t, sqlite(plain), suite, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(done.Plans, expectedPlans) {
			t.Errorf("%v, expected %v", done.Plans, expectedPlans)
		}
		if named := done.Statements[0]; !reflect.DeepEqual(named.Plan, []string{"SCAN counters", "USE TEMP B-TREE FOR ORDER BY"}) {
			t.Errorf("%+v: expected a plan too", named)
		}
		unmeasured := strings.Replace(suite, `"measured": true`, `"measured": false`, 1)
		if done, err = doneOf(t, sqlite(plain), unmeasured, nil); err != nil || done.Plans != nil || done.Statements[0].Plan != nil {
			t.Errorf("%v, %v: expected no plans of what is not measured", done.Plans, err)
		}
	}
}

func TestATestHasNoMorePlansThanAreRead(t *testing.T) {
	var steps []string
	for number := range 2 * protocol.MostPlans {
		steps = append(steps, fmt.Sprintf(`{"read": "SELECT value + %d FROM counters"}`, number))
	}
	suite := strings.Replace(fmt.Sprintf(counters, `"verify": []`), `"steps": []`, `"steps": [`+strings.Join(steps, ", ")+`]`, 1)
	done, err := doneOf(t, sqlite(plain), suite, nil)
	if err != nil || len(done.Plans) != protocol.MostPlans || done.Plans[0].Statement != "SELECT value + 0 FROM counters" {
		t.Errorf("%v, %v: expected the first %d plans", done, err, protocol.MostPlans)
	}
}
