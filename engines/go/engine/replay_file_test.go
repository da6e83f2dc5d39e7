package engine

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/dbdyno/dbdyno/engines/go/driver"
)

// encoded returns the bytes of a recording's file: a number is unsigned, an int64 signed, and a text has its length
// before it.
func encoded(parts ...any) (bytes []byte) {
	for _, part := range parts {
		switch part := part.(type) {
		case int:
			bytes = binary.AppendUvarint(bytes, uint64(part))
		case int64:
			bytes = binary.AppendVarint(bytes, part)
		case float64:
			bytes = binary.LittleEndian.AppendUint64(bytes, math.Float64bits(part))
		case string:
			bytes = append(binary.AppendUvarint(bytes, uint64(len(part))), part...)
		case []byte:
			bytes = append(bytes, part...)
		}
	}
	return bytes
}

// folderOf returns a folder with files.
func folderOf(t *testing.T, files map[string][]byte) string {
	t.Helper()
	folder := t.TempDir()
	for name, bytes := range files {
		if err := os.WriteFile(filepath.Join(folder, name), bytes, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func TestStatementsAreReadAsTheyAreWritten(t *testing.T) {
	bytes := []byte{
		4,
		0, 0, 8, 'S', 'E', 'L', 'E', 'C', 'T', ' ', '?',
		1, 1, 2, ':', 'a',
		1, 5, 0,
		0, 9, 0,
	}
	folder := folderOf(t, map[string][]byte{"statements": bytes})
	read, err := readStatements(folder, 2)
	expected := []replayStatement{
		{name: 0, action: readAction, sql: "SELECT ?", parameters: 1}, {name: 1, action: writeAction, sql: "?1", parameters: 1},
		{name: 1, action: beginAction, begin: "immediate"}, {name: 0, action: rollbackAction},
	}
	if err != nil || !reflect.DeepEqual(read, expected) {
		t.Errorf("%v, %+v: expected %+v", err, read, expected)
	}
	for text, bytes := range map[string][]byte{
		"unknown name or kind": encoded(1, 2, 0, "x"), "a statement has an unknown": encoded(1, 0, 10, "x"),
		"the file ends early": encoded(2, 0, 0, "x"), "not UTF-8": encoded(1, 0, 0, "\xff"),
	} {
		folder := folderOf(t, map[string][]byte{"statements": bytes})
		if _, err := readStatements(folder, 2); err == nil || !strings.Contains(err.Error(), text) ||
			!strings.Contains(err.Error(), "statements: ") {
			t.Errorf("`%v`, expected `%s` with the file", err, text)
		}
	}
}

func TestALaneIsReadAsItIsWritten(t *testing.T) {
	bytes := []byte{
		1,
		// The time is 300, and the other numbers are 2, 1, 127 and 128.
		2, 0xac, 0x02, 2, 1, 0x7f, 0x80, 0x01, 2,
		1, 1, 7,
		0,
		1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01,
		1, 1,
		2, 0, 0, 0, 0, 0, 0, 0xe0, 0xbf,
		3, 2, 0xc3, 0xa9,
		4, 2, 0, 255,
		4, 0,
		0, 0, 1,
		5, 3,
		2, 0, 0, 0, 1, 1, 1,
		0, 4, 0,
	}
	statements := []replayStatement{{parameters: 2}, {}}
	reader, err := openLane(folderOf(t, map[string][]byte{"lane-3": bytes}), 3, statements)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	var transaction replayTransaction
	next := func(expected laneEntry) {
		t.Helper()
		if entry, err := reader.next(&transaction); err != nil || entry != expected {
			t.Fatalf("%d, %v: expected %d", entry, err, expected)
		}
	}
	next(newConnection)
	next(newTransaction)
	if place := (replayPlace{atNs: 300, after: 2, turn: 1, early: 127, late: 128}); transaction.place != place {
		t.Errorf("%+v, expected %+v", transaction.place, place)
	}
	calls := []replayCall{{statement: 1, most: 0, from: 0, to: 7}, {statement: 0, most: math.MaxUint64, from: 7, to: 9}}
	if !reflect.DeepEqual(transaction.calls, calls) {
		t.Errorf("%+v, expected %+v", transaction.calls, calls)
	}
	values := []driver.Value{
		{}, driver.IntegerValue(math.MinInt64), driver.IntegerValue(-1), driver.RealValue(-0.5), driver.TextValue("é"),
		driver.BlobValue([]byte{0, 255}), driver.BlobValue(nil), driver.BlobValue(make([]byte, 3)), {},
	}
	if !reflect.DeepEqual(transaction.values, values) {
		t.Errorf("%+v, expected %+v", transaction.values, values)
	}
	memory := &transaction.bytes[:1][0]
	next(newTransaction)
	if len(transaction.calls) != 1 || transaction.calls[0].most != 3 || len(transaction.values) != 2 {
		t.Errorf("%+v: expected a call of three rows, whose values are NULL", transaction)
	}
	if &transaction.bytes[:1][0] != memory {
		t.Error("the memory of a transaction was not used again")
	}
	next(endOfLane)
}

func TestWhatIsNoLaneIsAnErrorWithItsFile(t *testing.T) {
	for text, bytes := range map[string][]byte{
		"an entry begins with 3: expected 1 or 2": {3},
		"there is no statement 9":                 {2, 0, 0, 0, 0, 0, 1, 9, 0, 0},
		"the file ends early":                     {2, 0, 0, 0},
		"a value has the kind 6":                  {2, 0, 0, 0, 0, 0, 1, 0, 0, 1, 6},
		"a text is not UTF-8":                     {2, 0, 0, 0, 0, 0, 1, 0, 0, 1, 3, 1, 255},
		"ends early":                              {2, 0, 0, 0, 0, 0, 1, 0, 0, 1, 2, 1},
		"above the limit":                         encoded(2, 0, 0, 0, 0, 0, 1, 0, 0, 1, 5, 1<<30+1),
		"overflows":                               {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80},
	} {
		reader, err := openLane(folderOf(t, map[string][]byte{"lane-0": bytes}), 0, make([]replayStatement, 2))
		if err != nil {
			t.Fatal(err)
		}
		_, err = reader.next(&replayTransaction{})
		if err == nil || !strings.Contains(err.Error(), text) || !strings.Contains(err.Error(), "lane-0: ") {
			t.Errorf("`%v`, expected `%s` with the file", err, text)
		}
		reader.Close()
	}
}

func TestNamedParametersGetTheirNumbers(t *testing.T) {
	for _, of := range []struct {
		sql, expected string
		parameters    int
	}{
		{"a = ?, b = ?", "a = ?, b = ?", 2},
		{"a = ?3, b = ?1", "a = ?3, b = ?1", 3},
		{"a = :a, b = @a, c = :a, d = ?", "a = ?1, b = ?2, c = ?1, d = ?", 3},
		{"a = ?, b = :b, c = ?7, d = $d", "a = ?, b = ?2, c = ?7, d = ?8", 8},
		{"':a' \":b\" [:c] `:d` x'?' 'it''s :e' -- :f\n/* :g */ :h", "':a' \":b\" [:c] `:d` x'?' 'it''s :e' -- :f\n/* :g */ ?1", 1},
		{"$a::b(c) + $d (1)", "?1 + ?2 (1)", 2},
		{"1e+5 0xE+? a$b é:é", "1e+5 0xE+? a$b é?2", 2},
		{"'open :a", "'open :a", 0},
		{"/* open :a", "/* open :a", 0},
		{"a : b @ ?99999999999999999999 ?40000", "a : b @ ?99999999999999999999 ?40000", 0},
		{"", "", 0},
	} {
		if text, parameters := numbered(of.sql); text != of.expected || parameters != of.parameters {
			t.Errorf("%s: `%s` with %d values, expected `%s` with %d", of.sql, text, parameters, of.expected, of.parameters)
		}
	}
}
