package engine

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"unicode/utf8"

	"github.com/dbdyno/dbdyno/engines/go/driver"
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
	wire, err := openWire(filepath.Join(folder, "statements"))
	if err != nil {
		return nil, err
	}
	defer wire.close()
	var statements []replayStatement
	var text []byte
	for range wire.length() {
		name, kind := wire.number(), wire.number()
		text = wire.appendBytes(text[:0])
		if wire.err == nil && (name >= uint64(names) || kind >= uint64(len(replayActions))) {
			wire.fail(errors.New("a statement has an unknown name or kind"))
		}
		wire.checkText(text)
		if wire.err != nil {
			return nil, wire.err
		}
		action := replayActions[kind]
		statement := replayStatement{name: int(name), action: action.action, begin: action.begin, sql: string(text)}
		if statement.takesValues() {
			statement.sql, statement.parameters = numbered(statement.sql)
		}
		statements = append(statements, statement)
	}
	return statements, wire.err
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
	*wireReader
	statements []replayStatement
}

func openLane(folder string, lane int, statements []replayStatement) (*laneReader, error) {
	wire, err := openWire(filepath.Join(folder, fmt.Sprintf("lane-%d", lane)))
	return &laneReader{wire, statements}, err
}

// next reads the next entry. A transaction is put into transaction.
func (reader *laneReader) next(transaction *replayTransaction) (laneEntry, error) {
	if reader.isOver() {
		return endOfLane, reader.err
	}
	switch entry := reader.number(); entry {
	case uint64(newConnection):
		return newConnection, nil
	case uint64(newTransaction):
		reader.transaction(transaction)
		return newTransaction, reader.err
	default:
		reader.fail(fmt.Errorf("an entry begins with %d: expected 1 or 2", entry))
		return endOfLane, reader.err
	}
}

func (reader *laneReader) transaction(into *replayTransaction) {
	into.place = replayPlace{
		atNs: reader.number(), after: reader.number(), turn: reader.number(), early: reader.number(), late: reader.number(),
	}
	into.calls, into.values = into.calls[:0], into.values[:0]
	into.bytes, into.texts = into.bytes[:0], into.texts[:0]
	for range reader.length() {
		reader.call(into)
		if reader.err != nil {
			return
		}
	}
	// From now on the bytes stay where they are.
	for _, span := range into.texts {
		into.values[span.value].Data = driver.AsString(into.bytes[span.from:span.to])
	}
}

func (reader *laneReader) call(into *replayTransaction) {
	number := reader.length()
	if reader.err == nil && number >= len(reader.statements) {
		reader.fail(fmt.Errorf("there is no statement %d", number))
	}
	// The number of 0, all rows, wraps around to the most that can be asked for.
	call := replayCall{statement: number, most: reader.number() - 1, from: len(into.values)}
	for range reader.length() {
		reader.value(into)
		if reader.err != nil {
			return
		}
	}
	if reader.err != nil {
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
	switch kind := reader.number(); kind {
	case 0:
	case 1:
		value = driver.IntegerValue(reader.signed())
	case 2:
		value = driver.RealValue(reader.float())
	case 3:
		value.Kind = driver.Text
		into.bytes = reader.appendBytes(into.bytes)
		reader.checkText(into.bytes[from:])
	case 4:
		value.Kind = driver.Blob
		into.bytes = reader.appendBytes(into.bytes)
	case 5:
		value.Kind = driver.Blob
		length := reader.length()
		into.bytes = slices.Grow(into.bytes, length)[:from+length]
		clear(into.bytes[from:])
	default:
		reader.fail(fmt.Errorf("a value has the kind %d: expected 0 to 5", kind))
	}
	if value.Kind == driver.Text || value.Kind == driver.Blob {
		into.texts = append(into.texts, span{len(into.values), from, len(into.bytes)})
	}
	into.values = append(into.values, value)
}

// mostBytes is the most bytes of a text or a blob: SQLite's own limit is 1,000,000,000.
const mostBytes = 1 << 30

// wireReader reads the numbers and bytes of a recording's file. Once it has failed, it reads zeros and empty bytes.
type wireReader struct {
	file *os.File
	*bufio.Reader
	// err is the first error, with the path of the file.
	err error
}

func openWire(path string) (*wireReader, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return &wireReader{file: file, Reader: bufio.NewReaderSize(file, 1<<16)}, nil
}

func (wire *wireReader) close() { _ = wire.file.Close() }

func (wire *wireReader) fail(err error) {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("the file ends early")
	}
	if wire.err == nil && err != nil {
		wire.err = fmt.Errorf("%s: %w", wire.file.Name(), err)
	}
}

// isOver reports whether nothing is left, or whether the file cannot be read.
func (wire *wireReader) isOver() bool {
	_, err := wire.Peek(1)
	if err != nil && err != io.EOF {
		wire.fail(err)
	}
	return err != nil
}

// number reads an unsigned number in LEB128.
func (wire *wireReader) number() uint64 {
	if wire.err != nil {
		return 0
	}
	number, err := binary.ReadUvarint(wire.Reader)
	wire.fail(err)
	return number
}

// signed reads the zigzag of a signed number.
func (wire *wireReader) signed() int64 {
	number := wire.number()
	return int64(number>>1) ^ -int64(number&1)
}

func (wire *wireReader) float() float64 {
	var bytes [8]byte
	wire.read(bytes[:])
	return math.Float64frombits(binary.LittleEndian.Uint64(bytes[:]))
}

// length reads a length, which is below a limit.
func (wire *wireReader) length() int {
	number := wire.number()
	if number > mostBytes {
		wire.fail(fmt.Errorf("a length is %d, above the limit of %d", number, mostBytes))
		return 0
	}
	return int(number)
}

// appendBytes appends bytes to others.
func (wire *wireReader) appendBytes(to []byte) []byte {
	length, from := wire.length(), len(to)
	to = slices.Grow(to, length)[:from+length]
	wire.read(to[from:])
	return to
}

func (wire *wireReader) read(into []byte) {
	if wire.err == nil {
		_, err := io.ReadFull(wire.Reader, into)
		wire.fail(err)
	}
}

func (wire *wireReader) checkText(text []byte) {
	if wire.err == nil && !utf8.Valid(text) {
		wire.fail(errors.New("a text is not UTF-8"))
	}
}
