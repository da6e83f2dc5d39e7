package engine

import (
	"fmt"
	"math"

	"github.com/dbdyno/dbdyno/engines/go/driver"
	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// field is a field of an application's structure.
type field struct {
	// bits is an integer, or the bits of a real number.
	bits int64
	text string
}

// objects are the structures of one kind, with their fields one after the other, as in a list of structures.
type objects struct {
	spec *protocol.Object
	// first is the index of their first column in the answer.
	first int
	kinds []driver.Kind
	// seen maps the keys of unique objects to the numbers of the objects.
	seen   map[int64]int
	fields []field
	count  int
	// strange describes the first unexpected field in words; empty means none.
	strange string
}

// collector builds objects from the rows of an answer, as an application does.
type collector struct {
	// statement is the statement that was answered; nil means none. name is the number of its step's name.
	statement *statement
	name      int
	variables []protocol.Variable
	kinds     []objects
	rows      uint64
	visit     func(driver.Row) bool
}

func (collector *collector) begin(action *action) {
	statement := action.node.statement
	collector.statement, collector.name = statement, action.node.name
	collector.variables, collector.rows = action.variables, 0
	collector.kinds = make([]objects, len(statement.objects))
	column := 0
	for at := range statement.objects {
		spec := &statement.objects[at]
		kind := &collector.kinds[at]
		kind.spec, kind.first, kind.kinds = spec, column, statement.kinds[column:column+len(spec.Values)]
		if spec.Unique {
			kind.seen = map[int64]int{}
		}
		column += len(spec.Values)
	}
}

// take adds a row of the answer to the objects.
func (collector *collector) take(row driver.Row) bool {
	if collector.rows == 0 {
		collector.look(row)
	}
	collector.rows++
	for at := range collector.kinds {
		collector.kinds[at].take(row)
	}
	return true
}

// look checks the kinds of the first row's columns. An application that knows its tables asks for a number where it
// expects one, and gets a number whatever the column holds.
func (collector *collector) look(row driver.Row) {
	if row.Columns() != len(collector.statement.kinds) {
		collector.kinds[0].strange = fmt.Sprintf("the answer has %d columns, expected %d", row.Columns(), len(collector.statement.kinds))
		return
	}
	for at := range collector.kinds {
		objects := &collector.kinds[at]
		for column, expected := range objects.kinds {
			if kind := row.Kind(objects.first + column); kind != expected && kind != driver.Null {
				objects.note(0, column, "%v, expected %v", kind, expected)
			}
		}
	}
}

func (objects *objects) note(number, column int, format string, values ...any) {
	if objects.strange == "" {
		objects.strange = fmt.Sprintf("object `%s`, number %d, column %d: read ", objects.spec.Name, number, column+1) +
			fmt.Sprintf(format, values...)
	}
}

func (objects *objects) take(row driver.Row) {
	first := 0
	if objects.seen != nil {
		key := row.Int64(objects.first)
		if key == 0 && row.Kind(objects.first) == driver.Null {
			return
		}
		if _, known := objects.seen[key]; known {
			return
		}
		objects.seen[key] = objects.count
		objects.fields = append(objects.fields, field{bits: key})
		first = 1
	}
	for column := first; column < len(objects.kinds); column++ {
		objects.fields = append(objects.fields, objects.read(row, column))
	}
	objects.count++
}

// read reads a column as the expected kind. It checks for NULL only if the value is zero or empty.
func (objects *objects) read(row driver.Row, column int) field {
	var made field
	at := objects.first + column
	switch objects.kinds[column] {
	case driver.Integer:
		made.bits = row.Int64(at)
	case driver.Real:
		made.bits = int64(math.Float64bits(row.Float(at)))
	default:
		made.text = row.Text(at)
	}
	if made.bits == 0 && made.text == "" && row.Kind(at) == driver.Null {
		objects.note(objects.count, column, "NULL, expected %v", objects.kinds[column])
	}
	return made
}

// verify compares the objects with what the statement states about them.
func (collector *collector) verify() error {
	for at := range collector.kinds {
		objects := &collector.kinds[at]
		wrong := objects.strange
		if wrong == "" {
			wrong = objects.wrong(collector.variables)
		}
		if wrong != "" {
			return fmt.Errorf("%s: %s", collector.statement.sql, wrong)
		}
	}
	return nil
}

// wrong returns a description of the first error in the objects, or an empty string.
func (objects *objects) wrong(variables []protocol.Variable) string {
	if expected := objects.spec.Count.Value(variables); int64(objects.count) != expected {
		return fmt.Sprintf("%d objects `%s`, expected %d", objects.count, objects.spec.Name, expected)
	}
	inner := append(append([]protocol.Variable{}, variables...), protocol.Variable{Name: "n"})
	number, width := &inner[len(inner)-1].Value, len(objects.kinds)
	var text []byte
	for ; *number < int64(objects.count); *number++ {
		for column := range width {
			found, parameter := &objects.fields[int(*number)*width+column], &objects.spec.Values[column]
			switch objects.kinds[column] {
			case driver.Integer:
				if expected := parameter.Integer.Value(inner); found.bits != expected {
					objects.note(int(*number), column, "%d, expected %d", found.bits, expected)
				}
			case driver.Real:
				if read, expected := math.Float64frombits(uint64(found.bits)), realOf(parameter, inner); read != expected {
					objects.note(int(*number), column, "%v, expected %v", read, expected)
				}
			default:
				if text = appendText(text[:0], parameter, inner); found.text != string(text) {
					objects.note(int(*number), column, "%s, expected %s", short(found.text), short(string(text)))
				}
			}
			if objects.strange != "" {
				return objects.strange
			}
		}
	}
	return ""
}

// short returns a text as messages show it.
func short(text string) string {
	const most = 80
	if len(text) <= most {
		return fmt.Sprintf("%q", text)
	}
	return fmt.Sprintf("%q... (%d bytes)", text[:most], len(text))
}

// addTo adds the objects of each kind in order to a digest, and after each kind the number of its objects.
func (collector *collector) addTo(digest *workload.Digest) {
	for at := range collector.kinds {
		objects := &collector.kinds[at]
		for place := range objects.fields {
			field := &objects.fields[place]
			switch objects.kinds[place%len(objects.kinds)] {
			case driver.Integer:
				digest.Int64(field.bits)
			case driver.Real:
				digest.Float64(math.Float64frombits(uint64(field.bits)))
			default:
				digest.TextValue(field.text)
			}
		}
		digest.Word(uint64(objects.count))
	}
}

func (collector *collector) letGo() { collector.statement, collector.kinds = nil, nil }
