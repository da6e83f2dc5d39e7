package protocol

import (
	"encoding/json"
	"fmt"
)

// SQLSuite is a suite of SQL statements.
type SQLSuite struct {
	Name string `json:"name"`
	// Start is a database file that every fresh database starts from; nil means that it starts empty.
	Start *string `json:"start"`
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
	// RowsWalked is roughly the number of rows that all statements together walk past without an index.
	RowsWalked   uint64   `json:"rows_walked"`
	Verify       []string `json:"verify"`
	VerifySchema []string `json:"verify_schema"`
}

// SQLActor is a group of threads that do the same steps.
type SQLActor struct {
	Name    string `json:"name"`
	Threads int    `json:"threads"`
	Steps   []Step `json:"steps"`
}

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

	// Draw and Bind belong to Write and Read, Objects to Read.
	Draw    map[string]Expression `json:"draw"`
	Bind    []Parameter           `json:"bind"`
	Objects []Object              `json:"objects"`
	// Direct describes what a statement asks for, for engines without SQL.
	Direct json.RawMessage `json:"direct"`
	// As, From and Steps belong to Repeat.
	As    string      `json:"as"`
	From  *Expression `json:"from"`
	Steps []Step      `json:"steps"`
	// Begin belongs to Transaction.
	Begin string `json:"begin"`
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

// Parameter is a computed value. Exactly one of the fields Integer to Repeat states how it is computed.
type Parameter struct {
	Integer *Expression
	Real    *Expression `json:"real"`
	Words   *Expression `json:"words"`
	Digits  *Expression `json:"digits"`
	Text    *string     `json:"text"`
	Repeat  *string     `json:"repeat"`

	// Per belongs to Real, Times to Repeat, Width to Digits, Prefix and Suffix to Words and Digits.
	Per    float64    `json:"per"`
	Times  Expression `json:"times"`
	Width  int        `json:"width"`
	Prefix string     `json:"prefix"`
	Suffix string     `json:"suffix"`
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
	for _, is := range []bool{parameter.Real != nil, parameter.Words != nil, parameter.Digits != nil, parameter.Text != nil, parameter.Repeat != nil} {
		if is {
			set++
		}
	}
	if set != 1 {
		return fmt.Errorf("parameter %s: expected exactly one of real, words, digits, text and repeat", text)
	}
	return nil
}
