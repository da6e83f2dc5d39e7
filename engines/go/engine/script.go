package engine

import (
	"slices"

	"github.com/dbdyno/dbdyno/engines/go/driver"
	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// Inputs are drawn in blocks of this many operations, or of fewer if they are long, so that a block stays in the
// processor's cache.
const (
	blockOperations = 256
	blockBytes      = 32 << 10
)

// action is the next thing to do: a begin, a commit, or a node.
type action struct {
	node  *node
	begin *string
	// from and to delimit the values of its statement in the block.
	from, to int
	// variables are set if the answers are checked afterwards.
	variables []protocol.Variable
	// endsOperation reports whether an operation ends with this action. An operation includes a begin before it and
	// a commit after it.
	endsOperation bool
}

// isCommit reports whether an action is neither a begin nor a node.
func (action *action) isCommit() bool { return action.node == nil && action.begin == nil }

// block holds actions that are ready to be done.
type block struct {
	actions []action
	values  []driver.Value
	// bytes are those of the generated texts. texts are the positions of the values that they belong to, with their
	// ranges in bytes.
	bytes []byte
	texts []span
}

type span struct{ value, from, to int }

// script is the position of a walk through a program.
type script struct {
	stack     []level
	variables []protocol.Variable
	random    *workload.SplitMix64
	// isPending reports whether an operation was done that has not ended, because its commit follows.
	isPending bool
}

// level is a list of nodes that is being walked through.
type level struct {
	nodes []node
	next  int
	// commits reports whether a transaction ends with this level.
	commits bool
	// again is how many more times the nodes are repeated. Each repetition increments the variable at the index
	// place.
	again    uint64
	place    int
	isRepeat bool
}

func newScript(program *program, random *workload.SplitMix64) *script {
	return &script{stack: []level{{nodes: program.nodes}}, random: random}
}

// fill puts the next actions into a block. The block stays empty if all are done. A block ends with an operation,
// and never between a begin and its first operation or between an operation and its commit.
func (script *script) fill(block *block) {
	block.actions, block.values = block.actions[:0], block.values[:0]
	block.bytes, block.texts = block.bytes[:0], block.texts[:0]
	for {
		full := len(block.actions) >= blockOperations || len(block.bytes)+len(block.values)*32 >= blockBytes
		if full {
			if last := &block.actions[len(block.actions)-1]; last.endsOperation || last.isCommit() {
				break
			}
		}
		action, more := script.next(block)
		if !more {
			break
		}
		switch {
		case action.node != nil:
			script.isPending = script.commitIsNext()
			action.endsOperation = !script.isPending
		case action.isCommit():
			action.endsOperation, script.isPending = script.isPending, false
		}
		block.actions = append(block.actions, action)
	}
	// From now on the bytes stay where they are.
	for _, span := range block.texts {
		block.values[span.value].Data = driver.AsString(block.bytes[span.from:span.to])
	}
}

func (script *script) next(block *block) (action, bool) {
	for len(script.stack) > 0 {
		level := &script.stack[len(script.stack)-1]
		if level.next == len(level.nodes) {
			if level.again > 0 {
				level.again--
				level.next = 0
				script.variables[level.place].Value++
				continue
			}
			if level.isRepeat {
				script.variables = script.variables[:level.place]
			}
			commits := level.commits
			script.stack = script.stack[:len(script.stack)-1]
			if commits {
				return action{}, true
			}
			continue
		}
		node := &level.nodes[level.next]
		level.next++
		switch {
		case node.repeat != nil:
			script.enter(node)
		case node.begin != nil:
			script.push(node.nodes, true)
			return action{begin: node.begin}, true
		case node.statement != nil:
			return script.drawn(node, block), true
		default:
			return action{node: node}, true
		}
	}
	return action{}, false
}

func (script *script) push(nodes []node, commits bool) {
	script.stack = append(script.stack, level{nodes: nodes, commits: commits})
}

func (script *script) enter(node *node) {
	if node.repeat.count == 0 {
		return
	}
	place, start := len(script.variables), node.repeat.from.Value(script.variables)
	script.variables = append(script.variables, protocol.Variable{Name: node.repeat.variable, Value: start})
	script.stack = append(script.stack, level{nodes: node.nodes, again: node.repeat.count - 1, place: place, isRepeat: true})
}

// drawn draws a statement's random numbers in the order of their names, then computes its values.
func (script *script) drawn(node *node, block *block) action {
	statement, outer, from := node.statement, len(script.variables), len(block.values)
	for at := range statement.draws {
		draw := &statement.draws[at]
		bound := uint64(max(draw.below.Value(script.variables), 0))
		drawn := int64(script.random.Below(bound))
		script.variables = append(script.variables, protocol.Variable{Name: draw.name, Value: drawn})
	}
	for at := range statement.bind {
		block.add(&statement.bind[at], script.variables)
	}
	made := action{node: node, from: from, to: len(block.values)}
	script.variables = script.variables[:outer]
	if len(statement.objects) > 0 {
		made.variables = slices.Clone(script.variables)
	}
	return made
}

// add appends the value of a parameter to the block.
func (block *block) add(parameter *protocol.Parameter, variables []protocol.Variable) {
	from := len(block.bytes)
	switch {
	case parameter.Integer != nil:
		block.values = append(block.values, driver.IntegerValue(parameter.Integer.Value(variables)))
		return
	case parameter.Real != nil:
		block.values = append(block.values, driver.RealValue(realOf(parameter, variables)))
		return
	case parameter.Text != nil:
		block.values = append(block.values, driver.TextValue(*parameter.Text))
		return
	}
	block.bytes = appendText(block.bytes, parameter, variables)
	block.texts = append(block.texts, span{len(block.values), from, len(block.bytes)})
	block.values = append(block.values, driver.Value{Kind: driver.Text})
}

func realOf(parameter *protocol.Parameter, variables []protocol.Variable) float64 {
	return float64(parameter.Real.Value(variables)) / parameter.Per
}

// appendText appends the value of a parameter that is a text.
func appendText(text []byte, parameter *protocol.Parameter, variables []protocol.Variable) []byte {
	switch {
	case parameter.Text != nil:
		return append(text, *parameter.Text...)
	case parameter.Repeat != nil:
		for range max(parameter.Times.Value(variables), 0) {
			text = append(text, *parameter.Repeat...)
		}
		return text
	}
	text = append(text, parameter.Prefix...)
	if parameter.Words != nil {
		text = workload.AppendWords(text, parameter.Words.Value(variables))
	} else {
		text = workload.AppendDigits(text, parameter.Digits.Value(variables), parameter.Width)
	}
	return append(text, parameter.Suffix...)
}

// commitIsNext reports whether the open transaction ends with the last action.
func (script *script) commitIsNext() bool {
	for at := len(script.stack) - 1; at >= 0; at-- {
		level := &script.stack[at]
		if level.next < len(level.nodes) || level.again > 0 {
			return false
		}
		if level.commits {
			return true
		}
	}
	return false
}
