package engine

import (
	"github.com/dbdyno/dbdyno/engines/go/driver"
	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// plans ask how the engine finds the rows of a test's statements, after the test.
type plans struct {
	conn driver.Conn
	// script has the variables of the steps around a statement.
	script *script
	// named are those of the first statement of each name.
	named map[string][]string
	// seen are the statements without names that were asked for, and unnamed are those that have plans.
	seen    map[string]bool
	unnamed []protocol.PlannedQuery
}

// addPlans adds the plans of the programs of a test. A statement whose tables the test has dropped has no plan, and
// neither has one that looks for no rows.
func (test *sqlTest) addPlans(done *protocol.TestDone, programs ...*program) {
	if !test.test.Measured || !test.run.answers() {
		return
	}
	plans := &plans{conn: test.conn, named: map[string][]string{}, seen: map[string]bool{}}
	for _, program := range programs {
		plans.script = newScript(program, nil)
		plans.script.beThread(0)
		plans.walk(program, program.nodes)
	}
	done.Plans = plans.unnamed
	for at := range done.Statements {
		done.Statements[at].Plan = plans.named[done.Statements[at].Name]
	}
}

// walk asks for the plans of the statements of nodes, in the first repetition of loops.
func (plans *plans) walk(program *program, nodes []node) {
	for at := range nodes {
		switch node := &nodes[at]; {
		case node.statement != nil:
			plans.add(program, node)
		case node.repeat != nil && node.repeat.count > 0:
			outer := plans.script.variables
			start := protocol.Variable{Name: node.repeat.variable, Value: node.repeat.from.Value(outer)}
			plans.script.variables = append(outer, start)
			plans.walk(program, node.nodes)
			plans.script.variables = outer
		case node.begin != nil:
			plans.walk(program, node.nodes)
		case node.mix != nil:
			for _, entry := range node.mix.entries {
				plans.walk(program, entry.nodes)
			}
		}
	}
}

// add asks for the plan of a statement, unless it is known.
func (plans *plans) add(program *program, node *node) {
	sql := node.statement.sql
	if node.name > 0 {
		name := program.names[node.name-1].text
		if _, known := plans.named[name]; !known {
			plans.named[name] = planOf(plans.conn, sql, plans.values(node))
		}
		return
	}
	if len(plans.unnamed) == protocol.MostPlans || plans.seen[sql] {
		return
	}
	plans.seen[sql] = true
	if plan := planOf(plans.conn, sql, plans.values(node)); len(plan) > 0 {
		plans.unnamed = append(plans.unnamed, protocol.PlannedQuery{Statement: sql, Plan: plan})
	}
}

// values returns values of a statement. They are the same in every run, because plans may depend on them.
func (plans *plans) values(node *node) []driver.Value {
	var block block
	plans.script.random = workload.NewSplitMix64(0)
	plans.script.drawn(node, &block)
	block.settle()
	return block.values
}

// planOf returns the steps in which the engine finds the rows of a statement with values. It returns nil if the engine
// has no plan, because it lacks the statement's tables.
func planOf(conn driver.Conn, sql string, values []driver.Value) []string {
	stmt, err := conn.Prepare("EXPLAIN QUERY PLAN " + sql)
	if err != nil {
		return nil
	}
	defer stmt.Close()
	var plan []string
	kinds := []driver.Kind{driver.Integer, driver.Integer, driver.Integer, driver.Text}
	err = stmt.Query(values, kinds, func(row driver.Row) bool {
		plan = append(plan, row.Text(3))
		return true
	})
	if err != nil {
		return nil
	}
	return plan
}
