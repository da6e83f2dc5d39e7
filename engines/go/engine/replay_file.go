package engine

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/dbdyno/dbdyno/engines/go/driver"
	"github.com/dbdyno/dbdyno/engines/go/wire"
)

// replayStatement is a statement that calls execute.
type replayStatement struct {
	// name is the place of its name among those of the suite.
	name   int
	action replayAction
	// begin is the kind of a transaction that the statement begins.
	begin string
	sql   string
	// parameters is the number of values that it takes.
	parameters int
}

// replayAction is how a statement is executed.
type replayAction uint8

const (
	// readAction: it is prepared, and its rows are read.
	readAction replayAction = iota
	// writeAction: it is prepared, and changes rows.
	writeAction
	// runAction: it is passed as text.
	runAction
	beginAction
	commitAction
	rollbackAction
)

// replayActions is indexed by the numbers of a list of statements.
var replayActions = [...]struct {
	action replayAction
	begin  string
}{
	{readAction, ""}, {writeAction, ""}, {runAction, ""},
	{beginAction, "engine"}, {beginAction, "deferred"}, {beginAction, "immediate"}, {beginAction, "exclusive"},
	{beginAction, "concurrent"}, {commitAction, ""}, {rollbackAction, ""},
}

// readStatements reads the list of statements of a recording. names is the number of names of the suite.
func readStatements(folder string, names int) ([]replayStatement, error) {
	file, err := wire.Open(filepath.Join(folder, "statements"))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var statements []replayStatement
	var text []byte
	for range file.Length() {
		name, kind := file.Number(), file.Number()
		text = file.AppendBytes(text[:0])
		if file.Err() == nil && (name >= uint64(names) || kind >= uint64(len(replayActions))) {
			file.Fail(errors.New("a statement has an unknown name or kind"))
		}
		file.CheckText(text)
		if err := file.Err(); err != nil {
			return nil, err
		}
		action := replayActions[kind]
		statement := replayStatement{name: int(name), action: action.action, begin: action.begin, sql: string(text)}
		if statement.takesValues() {
			statement.sql, statement.parameters = numbered(statement.sql)
		}
		statements = append(statements, statement)
	}
	return statements, file.Err()
}

// takesValues reports whether a statement is prepared, and values are bound to it.
func (statement *replayStatement) takesValues() bool { return statement.action <= writeAction }

// replayPlace is where a transaction is among the others.
type replayPlace struct {
	// atNs is when it began, in ns since the beginning of the recording.
	atNs uint64
	// after is the number of transactions that had written and ended before it began.
	after uint64
	// turn is its turn among those that write, from 1; 0 means that it only reads.
	turn uint64
	// early and late are its places in these orders, from 0.
	early, late uint64
}

// replayCall is a statement's execution.
type replayCall struct {
	statement int
	// most is the number of rows that it reads at most.
	most uint64
	// from and to delimit its values among those of the transaction.
	from, to int
}

// replayTransaction is a transaction with its calls. The memory of the previous one is used again.
type replayTransaction struct {
	place  replayPlace
	calls  []replayCall
	values []driver.Value
	// bytes are those of texts and blobs. texts are the positions of the values that they belong to, with their ranges
	// in bytes.
	bytes []byte
	texts []span
}

// laneEntry is what comes next in a lane: the number with which an entry begins, or the end.
type laneEntry uint8

const (
	endOfLane laneEntry = iota
	// newConnection: a connection is opened, and the one before it closed.
	newConnection
	// newTransaction: a transaction, which was read.
	newTransaction
)

// laneReader reads a lane's file, an entry at a time.
type laneReader struct {
	*wire.Reader
	statements []replayStatement
}

func openLane(folder string, lane int, statements []replayStatement) (*laneReader, error) {
	file, err := wire.Open(filepath.Join(folder, fmt.Sprintf("lane-%d", lane)))
	return &laneReader{file, statements}, err
}

// next reads the next entry. A transaction is put into transaction.
func (reader *laneReader) next(transaction *replayTransaction) (laneEntry, error) {
	if reader.IsOver() {
		return endOfLane, reader.Err()
	}
	switch entry := reader.Number(); entry {
	case uint64(newConnection):
		return newConnection, nil
	case uint64(newTransaction):
		reader.transaction(transaction)
		return newTransaction, reader.Err()
	default:
		reader.Fail(fmt.Errorf("an entry begins with %d: expected 1 or 2", entry))
		return endOfLane, reader.Err()
	}
}

func (reader *laneReader) transaction(into *replayTransaction) {
	into.place = replayPlace{
		atNs: reader.Number(), after: reader.Number(), turn: reader.Number(), early: reader.Number(), late: reader.Number(),
	}
	into.calls, into.values = into.calls[:0], into.values[:0]
	into.bytes, into.texts = into.bytes[:0], into.texts[:0]
	for range reader.Length() {
		reader.call(into)
		if reader.Err() != nil {
			return
		}
	}
	// From now on the bytes stay where they are.
	for _, span := range into.texts {
		into.values[span.value].Data = driver.AsString(into.bytes[span.from:span.to])
	}
}

func (reader *laneReader) call(into *replayTransaction) {
	number := reader.Length()
	if reader.Err() == nil && number >= len(reader.statements) {
		reader.Fail(fmt.Errorf("there is no statement %d", number))
	}
	// The number of 0, all rows, wraps around to the most that can be asked for.
	call := replayCall{statement: number, most: reader.Number() - 1, from: len(into.values)}
	for range reader.Length() {
		reader.value(into)
		if reader.Err() != nil {
			return
		}
	}
	if reader.Err() != nil {
		return
	}
	// SQLite takes NULL for values that are not bound, but some drivers insist on all values.
	for len(into.values)-call.from < reader.statements[number].parameters {
		into.values = append(into.values, driver.Value{})
	}
	call.to = len(into.values)
	into.calls = append(into.calls, call)
}

func (reader *laneReader) value(into *replayTransaction) {
	var value driver.Value
	from := len(into.bytes)
	switch kind := reader.Number(); kind {
	case 0:
	case 1:
		value = driver.IntegerValue(reader.Signed())
	case 2:
		value = driver.RealValue(reader.Float())
	case 3:
		value.Kind = driver.Text
		into.bytes = reader.AppendBytes(into.bytes)
		reader.CheckText(into.bytes[from:])
	case 4:
		value.Kind = driver.Blob
		into.bytes = reader.AppendBytes(into.bytes)
	case 5:
		value.Kind = driver.Blob
		length := reader.Length()
		into.bytes = slices.Grow(into.bytes, length)[:from+length]
		clear(into.bytes[from:])
	default:
		reader.Fail(fmt.Errorf("a value has the kind %d: expected 0 to 5", kind))
	}
	if value.Kind == driver.Text || value.Kind == driver.Blob {
		into.texts = append(into.texts, span{len(into.values), from, len(into.bytes)})
	}
	into.values = append(into.values, value)
}
