// Package driver defines the interface through which the suites use a Go driver for SQLite. Each driver implements
// it with calls of its own.
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

// String returns the name of a kind, for messages.
func (kind Kind) String() string {
	return [...]string{"NULL", "a whole number", "a real number", "a text", "a blob"}[kind]
}

// Value is a value of SQL.
type Value struct {
	Kind Kind
	// Bits is an integer, or the bits of a real number.
	Bits int64
	// Data are the bytes of a text or a blob.
	Data string
}

// Float returns the value of a real number.
func (value *Value) Float() float64 { return math.Float64frombits(uint64(value.Bits)) }

// Bytes returns the bytes of a text or a blob, which must not be changed. The result is never nil, because drivers
// treat nil as NULL.
func (value *Value) Bytes() []byte {
	if len(value.Data) == 0 {
		return []byte{}
	}
	return unsafe.Slice(unsafe.StringData(value.Data), len(value.Data))
}

// IntegerValue returns the Value of an integer.
func IntegerValue(number int64) Value { return Value{Kind: Integer, Bits: number} }

// RealValue returns the Value of a real number.
func RealValue(number float64) Value { return Value{Kind: Real, Bits: int64(math.Float64bits(number))} }

// TextValue returns the Value of a text.
func TextValue(text string) Value { return Value{Kind: Text, Data: text} }

// BlobValue returns the Value of bytes, which must not change while it is in use.
func BlobValue(blob []byte) Value { return Value{Kind: Blob, Data: AsString(blob)} }

// AsString returns a string that shares the memory of bytes, which must not change while it is in use.
func AsString(bytes []byte) string { return unsafe.String(unsafe.SliceData(bytes), len(bytes)) }

// InMemory is the path of a database that exists only in memory.
const InMemory = ":memory:"

// Conn is an open database, for one goroutine at a time.
type Conn interface {
	// Batch runs one or more statements to completion and discards their answers.
	Batch(sql string) error
	// Prepare parses one statement.
	Prepare(sql string) (Stmt, error)
	// Text returns a statement that is passed to the driver as text for each execution.
	Text(sql string) Stmt
	Close() error
}

// Stmt is a statement that can be run repeatedly.
type Stmt interface {
	// Exec runs the statement to completion and returns the number of rows inserted, changed or deleted.
	Exec(values []Value) (int64, error)
	// Query passes the rows to visit until visit returns false. The statement can then be run again. kinds are the
	// kinds that the application expects of the columns; nil means that it expects none and asks for them.
	Query(values []Value, kinds []Kind, visit func(Row) bool) error
	Close() error
}

// Row is a row of an answer. It is valid only while it is visited.
type Row interface {
	Columns() int
	// Kind returns the kind of a column's value.
	Kind(column int) Kind
	// Int64, Float and Text return a column that the application takes for an integer, a real number or a text. The
	// driver converts whatever it finds, and returns zero or an empty text for NULL.
	Int64(column int) int64
	Float(column int) float64
	Text(column int) string
	// Blob returns the bytes of a column.
	Blob(column int) []byte
}

// ValueOf returns the value of a column of a row, whatever its kind.
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

// NeedsKinds is a Conn that must know the kinds of an answer's columns. Without them a query is an error. With them
// values are returned as those kinds.
type NeedsKinds interface{ NeedsKinds() }

// First runs a statement to completion and returns the first column of its first row, or NULL if there is no row. If
// the Conn needs kinds, the value is returned as a text.
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

// Each runs a statement once, to completion, and passes each row to visit.
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
