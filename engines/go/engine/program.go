package engine

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/dbdyno/dbdyno/engines/go/driver"
	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"github.com/dbdyno/dbdyno/engines/go/workload"
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
	mix   *mix
	// name is the number of the step's name in the program, from 1; 0 means that it has none.
	name int
}

// repeat repeats nodes.
type repeat struct {
	count    uint64
	variable string
	from     protocol.Expression
}

// mix does the nodes of one of its entries, which is drawn by weight.
type mix struct {
	entries []entry
	// weights is the sum of the weights.
	weights uint64
}

// entry is an entry of a mix.
type entry struct {
	// weights is the sum of the weights up to and including this entry.
	weights uint64
	nodes   []node
}

// statement is a statement that values are bound to.
type statement struct {
	sql   string
	slot  int
	reads bool
	// isMore reports whether the statement has a name, keeps a row, or may bind values of kept rows or blobs.
	isMore  bool
	draws   []draw
	bind    []input
	objects []protocol.Object
	// kinds are the kinds of the columns of an answer from which objects are built.
	kinds []driver.Kind
	// keep is the number of the row that is kept of the answer, from 1; 0 means none.
	keep int
	// kept are the values to bind that belong to kept rows.
	kept []keptValue
}

// draw is the name of a random number. It is drawn from popular, or below the value of an expression if popular is
// nil.
type draw struct {
	name    string
	below   protocol.Expression
	popular *workload.Popular
}

// program holds all steps of a test.
type program struct {
	nodes      []node
	statements int
	// names are the names of steps, in the order of their first appearance.
	names []name
	// kept are the names of kept rows.
	kept []string
}

// name is a name of steps.
type name struct {
	text string
	// answers reports whether one of the steps reads or writes, so that there are answers to verify.
	answers bool
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
	name, err := program.named(step)
	if err != nil {
		return node{}, err
	}
	switch {
	case step.Write != "" || step.Read != "":
		statement, err := program.statement(step)
		return node{statement: statement, name: name}, err
	case step.Repeat != nil:
		return program.repeat(suite, step)
	case step.Transaction != nil:
		nodes, err := program.compile(suite, step.Transaction)
		return node{begin: &step.Begin, nodes: nodes, name: name}, err
	case step.Mix != nil:
		return program.mix(suite, step.Mix)
	case step.CopyDatabase != nil:
		return node{deed: func(conn driver.Conn) (uint64, bool, error) {
			rows, err := copyDatabase(conn, step.CopyDatabase)
			return rows, true, err
		}}, nil
	}
	sql, err := definition(suite, step)
	return node{name: name, deed: func(conn driver.Conn) (uint64, bool, error) {
		if err := conn.Batch(sql); err != nil {
			return 0, false, fmt.Errorf("%s: %w", sql, err)
		}
		return 0, false, nil
	}}, err
}

// named returns the number of a step's name. It adds the name if it is new.
func (program *program) named(step *protocol.Step) (int, error) {
	if step.Name == "" {
		return 0, nil
	}
	answers := step.Write != "" || step.Read != ""
	if !answers && step.Run == "" && step.Transaction == nil {
		return 0, fmt.Errorf("name `%s` of a step: expected write, read, run or transaction with it", step.Name)
	}
	at := slices.IndexFunc(program.names, func(name name) bool { return name.text == step.Name })
	if at < 0 {
		at = len(program.names)
		program.names = append(program.names, name{text: step.Name})
	}
	program.names[at].answers = program.names[at].answers || answers
	return at + 1, nil
}

func (program *program) repeat(suite *protocol.SQLSuite, step *protocol.Step) (node, error) {
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
}

func (program *program) mix(suite *protocol.SQLSuite, choices []protocol.Choice) (node, error) {
	made := &mix{}
	for _, choice := range choices {
		nodes, err := program.compile(suite, choice.Steps)
		if err != nil {
			return node{}, err
		}
		made.weights += choice.Weight
		made.entries = append(made.entries, entry{made.weights, nodes})
	}
	if made.weights == 0 {
		return node{}, errors.New("a mix has nothing to draw: expected entries with a weight above 0")
	}
	return node{mix: made}, nil
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
		"drop_table, copy_database, write, read, run, repeat, transaction and mix")
}

func (program *program) statement(step *protocol.Step) (*statement, error) {
	made := &statement{
		sql: step.Write + step.Read, slot: program.statements, reads: step.Read != "", objects: step.Objects,
	}
	program.statements++
	for name, how := range step.Draw {
		made.draws = append(made.draws, newDraw(name, &how))
	}
	sort.Slice(made.draws, func(a, b int) bool { return made.draws[a].name < made.draws[b].name })
	if err := program.bind(made, step.Bind); err != nil {
		return nil, err
	}
	if step.Keep != "" {
		if !made.reads || len(step.Objects) > 0 {
			return nil, fmt.Errorf("keep `%s` of a step: expected it with read, and without objects", step.Keep)
		}
		made.keep = program.keptRow(step.Keep)
	}
	made.isMore = step.Name != "" || made.keep > 0 || slices.ContainsFunc(made.bind, input.isMore)
	return made, made.expectObjects()
}

func newDraw(name string, how *protocol.Draw) draw {
	made := draw{name: name, below: how.Below}
	if how.Popular != nil {
		popular := workload.NewPopular(how.Popular)
		made.popular = &popular
	}
	return made
}

// keptRow returns the number of the kept row with a name. It adds the name if it is new.
func (program *program) keptRow(name string) int {
	at := slices.Index(program.kept, name)
	if at < 0 {
		at = len(program.kept)
		program.kept = append(program.kept, name)
	}
	return at + 1
}

// expectObjects sets the kinds that the answer's columns must have for the objects of the statement.
func (statement *statement) expectObjects() error {
	for _, object := range statement.objects {
		if len(object.Values) == 0 || object.Unique && object.Values[0].Integer == nil {
			return fmt.Errorf("object `%s`: expected values, the first one a whole number if the object is unique", object.Name)
		}
		for _, value := range object.Values {
			if value.OneOf != nil || value.Format != nil || value.Kept != nil {
				return fmt.Errorf("object `%s`: expected values other than one_of, format and kept", object.Name)
			}
			statement.kinds = append(statement.kinds, kindOf(&value))
		}
	}
	return nil
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

// operations returns the number of operations, including those of loops. It returns false if the number depends on
// what mixes draw.
func (program *program) operations() (uint64, bool) { return operationsOf(program.nodes) }

func operationsOf(nodes []node) (uint64, bool) {
	sum := uint64(0)
	for at := range nodes {
		inside, known := nodes[at].operations()
		if !known {
			return 0, false
		}
		sum += inside
	}
	return sum, true
}

func (node *node) operations() (uint64, bool) {
	switch {
	case node.repeat != nil:
		inside, known := operationsOf(node.nodes)
		return node.repeat.count * inside, known
	case node.begin != nil:
		return operationsOf(node.nodes)
	case node.mix != nil:
		return node.mix.operations()
	}
	return 1, true
}

// operations returns the number of operations of each entry. It returns false if the entries differ.
func (mix *mix) operations() (uint64, bool) {
	first, known := operationsOf(mix.entries[0].nodes)
	for at := 1; at < len(mix.entries) && known; at++ {
		var other uint64
		other, known = operationsOf(mix.entries[at].nodes)
		known = known && other == first
	}
	return first, known
}
