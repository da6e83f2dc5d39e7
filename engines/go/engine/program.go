package engine

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/dbdyno/dbdyno/engines/go/driver"
	"github.com/dbdyno/dbdyno/engines/go/protocol"
)

// node is a step with everything resolved that can be resolved in advance. The field that is set states which step
// it is.
type node struct {
	// deed does the same each time. counts reports whether it has a number of rows.
	deed func(driver.Conn) (rows uint64, counts bool, err error)
	// statement is a statement that values are bound to.
	statement *statement
	repeat    *repeat
	// begin is the kind of a transaction around nodes.
	begin *string
	nodes []node
}

// repeat repeats nodes.
type repeat struct {
	count    uint64
	variable string
	from     protocol.Expression
}

// statement is a statement that values are bound to.
type statement struct {
	sql     string
	slot    int
	reads   bool
	draws   []draw
	bind    []protocol.Parameter
	objects []protocol.Object
	// kinds are the kinds of the columns of an answer from which objects are built.
	kinds []driver.Kind
}

// draw is the name of a random number, which is drawn below the value of an expression.
type draw struct {
	name  string
	below protocol.Expression
}

// program holds all steps of a test.
type program struct {
	nodes      []node
	statements int
}

// compile resolves the names that steps use.
func compile(suite *protocol.SQLSuite, steps []protocol.Step) (*program, error) {
	program := &program{}
	nodes, err := program.compile(suite, steps)
	program.nodes = nodes
	return program, err
}

func (program *program) compile(suite *protocol.SQLSuite, steps []protocol.Step) ([]node, error) {
	nodes := make([]node, 0, len(steps))
	for at := range steps {
		node, err := program.node(suite, &steps[at])
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, node)
	}
	return nodes, nil
}

func (program *program) node(suite *protocol.SQLSuite, step *protocol.Step) (node, error) {
	switch {
	case step.Write != "" || step.Read != "":
		statement, err := program.statement(step)
		return node{statement: statement}, err
	case step.Repeat != nil:
		count, settled := step.Repeat.Count()
		if !settled {
			return node{}, errors.New("the count of a repeat is not a number")
		}
		again := &repeat{count: count, variable: step.As}
		if again.variable == "" {
			again.variable = "i"
		}
		if step.From != nil {
			again.from = *step.From
		}
		nodes, err := program.compile(suite, step.Steps)
		return node{repeat: again, nodes: nodes}, err
	case step.Transaction != nil:
		nodes, err := program.compile(suite, step.Transaction)
		return node{begin: &step.Begin, nodes: nodes}, err
	case step.CopyDatabase != nil:
		return node{deed: func(conn driver.Conn) (uint64, bool, error) {
			rows, err := copyDatabase(conn, step.CopyDatabase)
			return rows, true, err
		}}, nil
	}
	sql, err := definition(suite, step)
	return node{deed: func(conn driver.Conn) (uint64, bool, error) {
		if err := conn.Batch(sql); err != nil {
			return 0, false, fmt.Errorf("%s: %w", sql, err)
		}
		return 0, false, nil
	}}, err
}

// definition returns the SQL of a step that creates or drops something, or that only runs a statement.
func definition(suite *protocol.SQLSuite, step *protocol.Step) (string, error) {
	undeclared := func(what, name string) error {
		return fmt.Errorf("suite `%s` declares no %s `%s`", suite.Name, what, name)
	}
	switch {
	case step.Run != "":
		return step.Run, nil
	case step.CreateIndex != "":
		for _, index := range suite.Indexes {
			if index.Name == step.CreateIndex {
				return fmt.Sprintf("CREATE INDEX %s ON %s(%s)", index.Name, index.Table, index.Column), nil
			}
		}
		return "", undeclared("index", step.CreateIndex)
	case step.CreateTable != "" || step.DropTable != "":
		name := step.CreateTable + step.DropTable
		for _, table := range suite.Tables {
			if table.Name != name {
				continue
			}
			if step.DropTable != "" {
				return "DROP TABLE " + name, nil
			}
			columns := make([]string, 0, len(table.Columns))
			for _, column := range table.Columns {
				columns = append(columns, column.Name+" "+column.Type)
			}
			return fmt.Sprintf("CREATE TABLE %s(%s)", name, strings.Join(columns, ", ")), nil
		}
		return "", undeclared("table", name)
	}
	return "", errors.New("unknown step: expected one of create_table, create_index, " +
		"drop_table, copy_database, write, read, run, repeat and transaction")
}

func (program *program) statement(step *protocol.Step) (*statement, error) {
	made := &statement{
		sql: step.Write + step.Read, slot: program.statements, reads: step.Read != "",
		bind: step.Bind, objects: step.Objects,
	}
	program.statements++
	for name, below := range step.Draw {
		made.draws = append(made.draws, draw{name, below})
	}
	sort.Slice(made.draws, func(a, b int) bool { return made.draws[a].name < made.draws[b].name })
	for _, object := range step.Objects {
		if len(object.Values) == 0 || object.Unique && object.Values[0].Integer == nil {
			return nil, fmt.Errorf("object `%s`: expected values, the first one a whole number if the object is unique", object.Name)
		}
		for _, value := range object.Values {
			made.kinds = append(made.kinds, kindOf(&value))
		}
	}
	return made, nil
}

func kindOf(parameter *protocol.Parameter) driver.Kind {
	switch {
	case parameter.Integer != nil:
		return driver.Integer
	case parameter.Real != nil:
		return driver.Real
	}
	return driver.Text
}

// operations returns the number of operations, including those of loops.
func (program *program) operations() uint64 { return operationsOf(program.nodes) }

func operationsOf(nodes []node) uint64 {
	var sum uint64
	for at := range nodes {
		switch node := &nodes[at]; {
		case node.repeat != nil:
			sum += node.repeat.count * operationsOf(node.nodes)
		case node.begin != nil:
			sum += operationsOf(node.nodes)
		default:
			sum++
		}
	}
	return sum
}
