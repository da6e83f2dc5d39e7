// Package driver has what the suites use of a Go driver for SQLite. Each driver is behind it with calls of its own.
package driver

import (
	"math"
	"unsafe"
)

// Kind is the storage class of a value.
type Kind uint8

// The storage classes of SQLite.
const (
	Null Kind = iota
	Integer
	Real
	Text
	Blob
)

// String is the name of a kind in messages.
func (kind Kind) String() string {
	return [...]string{"NULL", "a whole number", "a real number", "a text", "a blob"}[kind]
}

// Value is a value of SQL.
type Value struct {
	Kind Kind
	// Bits are a whole number, or the bits of a real one.
	Bits int64
	// Data are the bytes of a text or a blob.
	Data string
}

// Float is the value of a real number.
func (value *Value) Float() float64 { return math.Float64frombits(uint64(value.Bits)) }

// Bytes of a text or a blob, which must not be changed; they are never nil, which drivers take for NULL.
func (value *Value) Bytes() []byte {
	if len(value.Data) == 0 {
		return []byte{}
	}
	return unsafe.Slice(unsafe.StringData(value.Data), len(value.Data))
}

// IntegerValue, RealValue, TextValue and BlobValue make values.
func IntegerValue(number int64) Value { return Value{Kind: Integer, Bits: number} }

// RealValue is the value of a real number.
func RealValue(number float64) Value { return Value{Kind: Real, Bits: int64(math.Float64bits(number))} }

// TextValue is the value of a text.
func TextValue(text string) Value { return Value{Kind: Text, Data: text} }

// BlobValue is the value of bytes, which must not change as long as it is used.
func BlobValue(blob []byte) Value { return Value{Kind: Blob, Data: AsString(blob)} }

// AsString is a text that shares the memory of bytes, which must not change as long as it is used.
func AsString(bytes []byte) string { return unsafe.String(unsafe.SliceData(bytes), len(bytes)) }

// InMemory is the path of a database that is in memory alone.
const InMemory = ":memory:"

// Conn is an open database, for one goroutine at a time.
type Conn interface {
	// Batch runs one or more statements to their ends and drops their answers.
	Batch(sql string) error
	// Prepare parses one statement.
	Prepare(sql string) (Stmt, error)
	// Text is a statement that is given to the driver as text each time.
	Text(sql string) Stmt
	Close() error
}

// Stmt is a statement that can be run again and again.
type Stmt interface {
	// Exec runs it to its end; the number of rows inserted, changed or deleted.
	Exec(values []Value) (int64, error)
	// Query shows the rows to visit, until that returns false; it can then be run again. kinds are those that the
	// application expects of the columns; nil: it expects none and asks.
	Query(values []Value, kinds []Kind, visit func(Row) bool) error
	Close() error
}

// Row is a row of an answer, as long as it is being visited.
type Row interface {
	Columns() int
	// Kind of a column's value.
	Kind(column int) Kind
	// Int64, Float and Text are a column that the application takes for a number, a real number or a text: the driver
	// makes one of whatever it finds, and nothing of NULL.
	Int64(column int) int64
	Float(column int) float64
	Text(column int) string
	// Blob is the bytes of a column.
	Blob(column int) []byte
}

// ValueOf is a column of a row, whatever it is.
func ValueOf(row Row, column int) Value {
	switch kind := row.Kind(column); kind {
	case Integer:
		return IntegerValue(row.Int64(column))
	case Real:
		return RealValue(row.Float(column))
	case Text:
		return TextValue(row.Text(column))
	case Blob:
		return BlobValue(row.Blob(column))
	}
	return Value{}
}

// NeedsKinds is a Conn that has to be told the kinds of an answer's columns: without them a query is an error, and
// with them values come as those.
type NeedsKinds interface{ NeedsKinds() }

// First steps a statement to its end and gives the first column of its first row; NULL without a row. Where kinds are
// needed it comes as a text.
func First(conn Conn, sql string) (Value, error) {
	var first Value
	var kinds []Kind
	if _, needs := conn.(NeedsKinds); needs {
		kinds = []Kind{Text}
	}
	err := Each(conn, sql, kinds, func(row Row) {
		if first.Kind == Null {
			first = ValueOf(row, 0)
		}
	})
	return first, err
}

// Each runs a statement once, to its end.
func Each(conn Conn, sql string, kinds []Kind, visit func(Row)) error {
	stmt, err := conn.Prepare(sql)
	if err != nil {
		return err
	}
	err = stmt.Query(nil, kinds, func(row Row) bool {
		visit(row)
		return true
	})
	if closing := stmt.Close(); err == nil {
		err = closing
	}
	return err
}
