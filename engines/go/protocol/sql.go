package protocol

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// SQLSuite is a suite of SQL statements.
type SQLSuite struct {
	Name string `json:"name"`
	// Start is a database file that every fresh database starts from; nil means that it starts empty.
	Start *string `json:"start"`
	// Recording is the folder with the files of a recording that tests replay; nil means that no test replays one.
	Recording *string `json:"recording"`
	// DataBytes is the most that rows take, in bytes, for engines that size a file in advance.
	DataBytes uint64    `json:"data_bytes"`
	Tables    []Table   `json:"tables"`
	Indexes   []Index   `json:"indexes"`
	Tests     []SQLTest `json:"tests"`
}

// Table is a table that a suite declares.
type Table struct {
	Name    string   `json:"name"`
	Columns []Column `json:"columns"`
}

// Column is a column of a Table.
type Column struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// Index is an index over one column.
type Index struct {
	Name   string `json:"name"`
	Table  string `json:"table"`
	Column string `json:"column"`
}

// SQLTest is one test of an SQLSuite.
type SQLTest struct {
	TestHead
	Prepare []Step     `json:"prepare"`
	Steps   []Step     `json:"steps"`
	Actors  []SQLActor `json:"actors"`
	// Replay is set if the test replays a recording. It then has neither steps nor actors.
	Replay *Replay `json:"replay"`
	// RowsWalked is roughly the number of rows that all statements together walk past without an index.
	RowsWalked   uint64   `json:"rows_walked"`
	Verify       []string `json:"verify"`
	VerifySchema []string `json:"verify_schema"`
}

// VerifiesContent reports whether the verification value has more in it than the answers: the contents or the schemas
// of tables.
func (test *SQLTest) VerifiesContent() bool {
	return test.Replay != nil || len(test.Verify) > 0 || len(test.VerifySchema) > 0
}

// HasWritingThreads reports whether several threads do the test, and any of them writes. Its answers depend on their
// order.
func (test *SQLTest) HasWritingThreads() bool {
	if test.Replay != nil {
		return test.Replay.Lanes > 1 && test.Replay.Writes > 0
	}
	return slices.ContainsFunc(test.Actors, func(actor SQLActor) bool { return anyWrites(actor.Steps) })
}

// SQLActor is a group of threads that do the same steps. If a step of any actor writes, a transaction that another
// thread blocks is rolled back and done again.
type SQLActor struct {
	Name    string `json:"name"`
	Threads int    `json:"threads"`
	// Steps may use ThreadVariable in their expressions.
	Steps []Step `json:"steps"`
}

// Replay is a recorded application. Each lane is a thread that does the transactions of its file in order. The files
// are in the folder that the suite names.
type Replay struct {
	Lanes int `json:"lanes"`
	// Transactions is the number of transactions of all lanes. Each is an operation.
	Transactions uint64 `json:"transactions"`
	// Writes is the number of those that write.
	Writes uint64 `json:"writes"`
	// Speed states when transactions are due, in percent of the recorded speed. 0 means that each begins when the
	// previous one of its lane has ended.
	Speed Expression `json:"speed"`
	// Order is the order of transactions in different lanes: concurrent, early or late. Empty means concurrent.
	Order string `json:"order"`
	// Statements have the names under which results are reported.
	Statements []ReplayedStatement `json:"statements"`
	// UnequalTables are tables whose content at the end is not part of the verification value.
	UnequalTables []string `json:"unequal_tables"`
}

// ReplayedStatement is the name of statements that differ only in their values.
type ReplayedStatement struct {
	Name string `json:"name"`
	// IsVerified reports whether the answers are part of the verification value.
	IsVerified bool `json:"is_verified"`
	// MayFail reports whether a failure is an answer, because some failed in the recording.
	MayFail bool `json:"may_fail"`
}

// ThreadVariable is the name of a thread's number, from 0 among those of its actor, in expressions of the actor's
// steps.
const ThreadVariable = "thread"

// Step is one step of a test. Exactly one of the fields that name an action is set.
type Step struct {
	CreateTable  string      `json:"create_table"`
	CreateIndex  string      `json:"create_index"`
	DropTable    string      `json:"drop_table"`
	CopyDatabase *CopySpec   `json:"copy_database"`
	Run          string      `json:"run"`
	Write        string      `json:"write"`
	Read         string      `json:"read"`
	Repeat       *Expression `json:"repeat"`
	Transaction  []Step      `json:"transaction"`
	// Mix does the steps of one entry, which is drawn by its weight each time.
	Mix []Choice `json:"mix"`

	// Name is the name that Write, Read, Run and Transaction have in the results; empty means none.
	Name string `json:"name"`
	// Draw and Bind belong to Write and Read, Objects and Keep to Read.
	Draw    map[string]Draw `json:"draw"`
	Bind    []Parameter     `json:"bind"`
	Objects []Object        `json:"objects"`
	// Keep is the name under which the first row of the answer is kept; empty means that none is kept.
	Keep string `json:"keep"`
	// Direct describes what a statement asks for, for engines without SQL.
	Direct json.RawMessage `json:"direct"`
	// As, From and Steps belong to Repeat.
	As    string      `json:"as"`
	From  *Expression `json:"from"`
	Steps []Step      `json:"steps"`
	// Begin belongs to Transaction: engine, deferred, immediate, exclusive or concurrent.
	Begin string `json:"begin"`
}

// Writes reports whether the step, or a step inside it, is more than a read.
func (step *Step) Writes() bool {
	switch {
	case step.Read != "":
		return false
	case step.Repeat != nil:
		return anyWrites(step.Steps)
	case step.Transaction != nil:
		return anyWrites(step.Transaction)
	case step.Mix != nil:
		return slices.ContainsFunc(step.Mix, func(choice Choice) bool { return anyWrites(choice.Steps) })
	}
	return true
}

func anyWrites(steps []Step) bool {
	return slices.ContainsFunc(steps, func(step Step) bool { return step.Writes() })
}

// CopySpec lists the schema and the tables that are copied into a fresh database.
type CopySpec struct {
	Schema []string `json:"schema"`
	Tables []string `json:"tables"`
}

// Object is a structure that the application builds from rows of an answer.
type Object struct {
	Name string `json:"name"`
	// Unique reports whether an object is built only from the first row of the answer with a given value in the
	// first column of the object.
	Unique bool        `json:"unique"`
	Count  Expression  `json:"count"`
	Values []Parameter `json:"values"`
}

// Choice is an entry of a mix.
type Choice struct {
	// Weight is the relative frequency with which the entry is drawn.
	Weight uint64 `json:"weight"`
	Steps  []Step `json:"steps"`
}

// Draw is how a random number is drawn.
type Draw struct {
	// Below is one more than the largest number. All numbers from 0 are drawn equally often.
	Below Expression
	// Popular are groups of equally popular numbers, which are drawn as keys are. If it is nil, Below applies.
	Popular []Popularity
}

// UnmarshalJSON reads an expression, or an object with groups of numbers.
func (draw *Draw) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] != '{' {
		return json.Unmarshal(text, &draw.Below)
	}
	groups, known := popularity(text)
	if !known {
		return fmt.Errorf("draw %s: expected an expression, or %s", text, popularityForm)
	}
	draw.Popular = groups
	return nil
}

// Literal is a value of SQL. At most one of the fields is set. If none is set, the value is NULL.
type Literal struct {
	Integer *int64
	Real    *float64
	Text    *string
	// Blob is not nil if it is set, even if it is empty.
	Blob []byte
}

// UnmarshalJSON reads a number, a text, {"null": true}, or {"blob": HEXADECIMAL}.
func (literal *Literal) UnmarshalJSON(text []byte) error {
	var err error
	switch {
	case len(text) > 0 && text[0] == '{':
		err = literal.unmarshalObject(text)
	case len(text) > 0 && text[0] == '"':
		err = json.Unmarshal(text, &literal.Text)
	case bytes.ContainsAny(text, ".eE"):
		err = json.Unmarshal(text, &literal.Real)
	default:
		err = json.Unmarshal(text, &literal.Integer)
	}
	if err != nil || string(text) == "null" {
		return fmt.Errorf("value %s: expected a number of 64 bits, a text, {\"null\": true} or {\"blob\": \"00ff\"}", text)
	}
	return nil
}

func (literal *Literal) unmarshalObject(text []byte) error {
	var object struct {
		Null bool    `json:"null"`
		Blob *string `json:"blob"`
	}
	if err := json.Unmarshal(text, &object); err != nil {
		return err
	}
	if object.Null != (object.Blob == nil) {
		return errors.New("expected either null or blob")
	}
	if object.Null {
		return nil
	}
	var err error
	literal.Blob, err = hex.DecodeString(*object.Blob)
	return err
}

// Parameter is a computed value. Exactly one of the fields Integer to Kept states how it is computed.
type Parameter struct {
	Integer *Expression
	Real    *Expression `json:"real"`
	Words   *Expression `json:"words"`
	Digits  *Expression `json:"digits"`
	Text    *string     `json:"text"`
	Repeat  *string     `json:"repeat"`
	OneOf   []Literal   `json:"one_of"`
	// Format is a format of keys and values, such as "key_{key:8}".
	Format *string `json:"format"`
	// Kept is the name of a kept row.
	Kept *string `json:"kept"`

	// Per belongs to Real, Times to Repeat, Width to Digits, Prefix and Suffix to Words and Digits.
	Per    float64    `json:"per"`
	Times  Expression `json:"times"`
	Width  int        `json:"width"`
	Prefix string     `json:"prefix"`
	Suffix string     `json:"suffix"`
	// At belongs to OneOf, Key and Blob to Format. Blob reports whether the value is a blob instead of a text.
	At   *Expression `json:"at"`
	Key  *Expression `json:"key"`
	Blob bool        `json:"blob"`
	// Column is a column of Kept, from 0.
	Column uint `json:"column"`
}

// UnmarshalJSON reads an integer expression or an object.
func (parameter *Parameter) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] != '{' {
		parameter.Integer = new(Expression)
		return json.Unmarshal(text, parameter.Integer)
	}
	type plain Parameter
	if err := json.Unmarshal(text, (*plain)(parameter)); err != nil {
		return err
	}
	set := 0
	for _, is := range []bool{
		parameter.Real != nil, parameter.Words != nil, parameter.Digits != nil, parameter.Text != nil,
		parameter.Repeat != nil, parameter.OneOf != nil, parameter.Format != nil, parameter.Kept != nil,
	} {
		if is {
			set++
		}
	}
	switch {
	case set != 1:
		return fmt.Errorf("parameter %s: expected exactly one of real, words, digits, text, repeat, one_of, format and kept", text)
	case parameter.OneOf != nil && (len(parameter.OneOf) == 0 || parameter.At == nil):
		return fmt.Errorf("parameter %s: expected at least one value in one_of, and an expression at", text)
	case parameter.Format != nil && parameter.Key == nil:
		return fmt.Errorf("parameter %s: expected an expression key with format", text)
	}
	return nil
}
