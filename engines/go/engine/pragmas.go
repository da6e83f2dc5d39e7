package engine

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dbdyno/dbdyno/engines/go/driver"
)

// settings are the options of a job, each with its value.
type settings map[string]string

// pragma is an option with the same name as its pragma. words are the words for 0, 1, 2 ... if the pragma is read
// back as a number.
type pragma struct {
	name  string
	words []string
}

// pragmas are in the order in which they must be set: busy_timeout before anything can be in the way, synchronous
// before anything is written, page_size and auto_vacuum before the file has a header, and locking_mode before the
// journal mode touches the file.
var pragmas = []pragma{
	{"busy_timeout", nil},
	{"synchronous", []string{"off", "normal", "full", "extra"}},
	{"page_size", nil},
	{"auto_vacuum", []string{"none", "full", "incremental"}},
	{"cache_size", nil},
	{"temp_store", []string{"default", "file", "memory"}},
	{"mmap_size", nil},
	{"locking_mode", nil},
	{"journal_mode", nil},
	{"wal_autocheckpoint", nil},
	{"foreign_keys", []string{"off", "on"}},
}

// rebuilt are the options that an existing file adopts only when it is rebuilt.
var rebuilt = []string{"page_size", "auto_vacuum"}

// apply sets every pragma. filled reports whether the file had content when it was opened.
func (settings settings) apply(conn driver.Conn, filled bool) error {
	for _, pragma := range pragmas {
		if err := set(conn, pragma.name, settings[pragma.name]); err != nil {
			return err
		}
		if pragma.name == "auto_vacuum" && filled {
			if err := settings.rebuild(conn); err != nil {
				return err
			}
		}
	}
	return nil
}

// rebuild rebuilds a file whose values of some options differ from those just set. This must happen before a
// write-ahead log is started, because the log fixes the page size.
func (settings settings) rebuild(conn driver.Conn) error {
	found, err := inForce(conn)
	if err != nil {
		return err
	}
	differs := false
	for _, name := range rebuilt {
		differs = differs || found[name] != settings[name]
	}
	if !differs {
		return nil
	}
	if err := set(conn, "journal_mode", "delete"); err != nil {
		return err
	}
	for _, name := range rebuilt {
		if err := set(conn, name, settings[name]); err != nil {
			return err
		}
	}
	return conn.Batch("VACUUM")
}

// set runs a pragma to completion; the value in force is read back later. The value is one of the description's
// choices or a number, never free text.
func set(conn driver.Conn, name, value string) error {
	_, err := driver.First(conn, fmt.Sprintf("PRAGMA %s = %s", name, value))
	if err != nil {
		return fmt.Errorf("PRAGMA %s = %s: %w", name, value, err)
	}
	return nil
}

// inForce reads back every pragma that the library supports, in the spelling of the options.
func inForce(conn driver.Conn) (map[string]string, error) {
	found := map[string]string{}
	for _, pragma := range pragmas {
		value, err := driver.First(conn, "PRAGMA "+pragma.name)
		if err != nil {
			return nil, fmt.Errorf("PRAGMA %s: %w", pragma.name, err)
		}
		if value.Kind == driver.Null && pragma.name == "mmap_size" {
			// SQLite without memory maps returns nothing.
			found[pragma.name] = "0"
		} else if value.Kind != driver.Null {
			found[pragma.name] = pragma.spell(value)
		}
	}
	return found, nil
}

func (pragma pragma) spell(value driver.Value) string {
	if number, err := strconv.ParseInt(value.Data, 10, 64); err == nil {
		// The number was returned as text.
		value = driver.IntegerValue(number)
	}
	switch value.Kind {
	case driver.Integer:
		if value.Bits >= 0 && value.Bits < int64(len(pragma.words)) {
			return pragma.words[value.Bits]
		}
		return strconv.FormatInt(value.Bits, 10)
	case driver.Real:
		return strconv.FormatFloat(math.Float64frombits(uint64(value.Bits)), 'g', -1, 64)
	}
	return strings.ToLower(value.Data)
}

// check runs SQLite's own integrity check of the file.
func check(conn driver.Conn) error {
	answer, err := driver.First(conn, "PRAGMA integrity_check")
	if err != nil {
		return err
	}
	if answer.Data != "ok" {
		return fmt.Errorf("PRAGMA integrity_check: %s", answer.Data)
	}
	return nil
}

// begin returns the BEGIN statement of a kind of transaction. If the kind is "engine" or empty, the option decides.
func (settings settings) begin(kind string) (string, error) {
	if kind == "" || kind == "engine" {
		kind = settings["transaction"]
	}
	switch kind {
	case "deferred", "immediate", "exclusive", "concurrent":
		return "BEGIN " + strings.ToUpper(kind), nil
	}
	const kinds = "engine, deferred, immediate, exclusive or concurrent"
	return "", fmt.Errorf("begin `%s` of a transaction: expected %s", kind, kinds)
}

// ready returns a statement in the form that the option `statements` asks for.
func (settings settings) ready(conn driver.Conn, sql string) (driver.Stmt, error) {
	if settings["statements"] == "text" {
		return conn.Text(sql), nil
	}
	return conn.Prepare(sql)
}

// statement returns the same. Its errors name the statement.
func (settings settings) statement(conn driver.Conn, sql string) (driver.Stmt, error) {
	stmt, err := settings.ready(conn, sql)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", sql, err)
	}
	return stmt, nil
}
