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

// action is the next thing to do: a node, or the begin or the commit of one that is a transaction.
type action struct {
	node *node
	part part
	// endsOperation reports whether an operation ends with this action. An operation includes a begin before it and
	// a commit after it.
	endsOperation bool
	// from and to delimit the values of its statement in the block.
	from, to int
	// variables are set if the answers are checked afterwards.
	variables []protocol.Variable
}

// part is what an action does of its node: all of it, or the begin or the commit of a transaction.
type part uint8

const (
	allOf part = iota
	beginOf
	commitOf
)

// mayEndBlock reports whether a block may end with an action.
func (action *action) mayEndBlock() bool { return action.endsOperation || action.part == commitOf }

// block holds actions that are ready to be done.
type block struct {
	actions []action
	values  []driver.Value
	// bytes are those of the generated texts and blobs. texts are the positions of the values that they belong to,
	// with their ranges in bytes.
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
	// transaction is the node of the transaction that ends with this level; nil means none.
	transaction *node
	// again is how many more times the nodes are repeated. Each repetition increments the variable at the index
	// place.
	again    uint64
	place    int
	isRepeat bool
}

func newScript(program *program, random *workload.SplitMix64) *script {
	return &script{stack: []level{{nodes: program.nodes}}, random: random}
}

// beThread tells the expressions of the script the number of the thread that does it.
func (script *script) beThread(thread int) {
	number := protocol.Variable{Name: protocol.ThreadVariable, Value: int64(thread)}
	script.variables = append(script.variables, number)
}

// fill puts the next actions into a block. The block stays empty if all are done. A block ends with an operation,
// and never between a begin and its first operation or between an operation and its commit. If isWhole is true, it
// never ends inside a transaction, however long that is.
func (script *script) fill(block *block, isWhole bool) {
	block.actions, block.values = block.actions[:0], block.values[:0]
	block.bytes, block.texts = block.bytes[:0], block.texts[:0]
	script.settle()
	for !script.isOver() {
		mayEnd := block.isFull() && !(isWhole && script.isInTransaction())
		if mayEnd && block.actions[len(block.actions)-1].mayEndBlock() {
			break
		}
		action := script.next(block)
		script.settle()
		switch action.part {
		case allOf:
			script.isPending = script.commitIsNext()
			action.endsOperation = !script.isPending
		case commitOf:
			action.endsOperation, script.isPending = script.isPending, false
		}
		block.actions = append(block.actions, action)
	}
	block.settle()
}

// settle gives texts and blobs their bytes, which stay where they are from now on.
func (block *block) settle() {
	for _, span := range block.texts {
		block.values[span.value].Data = driver.AsString(block.bytes[span.from:span.to])
	}
}

func (block *block) isFull() bool {
	return len(block.actions) >= blockOperations || len(block.bytes)+len(block.values)*32 >= blockBytes
}

// isOver reports whether all actions are in blocks. It is known only after settle.
func (script *script) isOver() bool { return len(script.stack) == 0 }

// commitIsNext reports whether the next action is a commit. It is known only after settle.
func (script *script) commitIsNext() bool {
	if script.isOver() {
		return false
	}
	level := &script.stack[len(script.stack)-1]
	return level.next == len(level.nodes)
}

// isInTransaction reports whether the commit of a transaction is still to come.
func (script *script) isInTransaction() bool {
	return slices.ContainsFunc(script.stack, func(level level) bool { return level.transaction != nil })
}

// settle walks on to the next action, but does not take it: over the ends of loops, and into loops and the drawn
// entries of mixes. After that it is known what comes next, even if loops and entries have no actions.
func (script *script) settle() {
	for len(script.stack) > 0 {
		inner := &script.stack[len(script.stack)-1]
		if inner.next == len(inner.nodes) {
			if inner.transaction != nil {
				return
			}
			script.leave(inner)
			continue
		}
		node := &inner.nodes[inner.next]
		switch {
		case node.repeat != nil:
			inner.next++
			script.enter(node)
		case node.mix != nil:
			inner.next++
			script.push(level{nodes: node.mix.draw(script.random)})
		default:
			return
		}
	}
}

// leave begins a level's nodes again, or goes on after them.
func (script *script) leave(level *level) {
	if level.again > 0 {
		level.again--
		level.next = 0
		script.variables[level.place].Value++
		return
	}
	if level.isRepeat {
		script.variables = script.variables[:level.place]
	}
	script.stack = script.stack[:len(script.stack)-1]
}

// next returns the action at which settle stopped.
func (script *script) next(block *block) action {
	at := len(script.stack) - 1
	inner := &script.stack[at]
	if inner.next == len(inner.nodes) {
		ended := inner.transaction
		script.stack = script.stack[:at]
		return action{node: ended, part: commitOf}
	}
	node := &inner.nodes[inner.next]
	inner.next++
	switch {
	case node.begin != nil:
		script.push(level{nodes: node.nodes, transaction: node})
		return action{node: node, part: beginOf}
	case node.statement != nil:
		return script.drawn(node, block)
	}
	return action{node: node}
}

func (script *script) push(inner level) { script.stack = append(script.stack, inner) }

func (script *script) enter(node *node) {
	if node.repeat.count == 0 {
		return
	}
	place, start := len(script.variables), node.repeat.from.Value(script.variables)
	script.variables = append(script.variables, protocol.Variable{Name: node.repeat.variable, Value: start})
	script.push(level{nodes: node.nodes, again: node.repeat.count - 1, place: place, isRepeat: true})
}

// drawn draws a statement's random numbers in the order of their names, then computes its values.
func (script *script) drawn(node *node, block *block) action {
	statement, outer, from := node.statement, len(script.variables), len(block.values)
	for at := range statement.draws {
		draw := &statement.draws[at]
		drawn := draw.number(script.variables, script.random)
		script.variables = append(script.variables, protocol.Variable{Name: draw.name, Value: drawn})
	}
	for at := range statement.bind {
		block.add(&statement.bind[at], script.variables, script.random)
	}
	made := action{node: node, from: from, to: len(block.values)}
	script.variables = script.variables[:outer]
	if len(statement.objects) > 0 {
		made.variables = slices.Clone(script.variables)
	}
	return made
}
