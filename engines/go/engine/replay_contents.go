package engine

import (
	"math"
	"slices"
	"strings"

	"github.com/dbdyno/dbdyno/engines/go/driver"
	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// plan returns how the engine finds the rows of the first statement of a name that reads or writes.
func (replay *replay) plan(conn driver.Conn, name int) []string {
	is := func(statement replayStatement) bool { return statement.name == name && statement.takesValues() }
	at := slices.IndexFunc(replay.statements, is)
	if at < 0 {
		return nil
	}
	statement := &replay.statements[at]
	return planOf(conn, statement.sql, make([]driver.Value, statement.parameters))
}

// allTables lists the tables with the statements that created them, without those of SQLite itself.
const allTables = `SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY name`

// tableContents returns what each table holds, in the order of the names. It leaves out the tables in which virtual
// tables keep their data.
func tableContents(conn driver.Conn) ([]protocol.TableContent, error) {
	var names, owners []string
	err := driver.Each(conn, allTables, []driver.Kind{driver.Text, driver.Text}, func(row driver.Row) {
		const virtual = "CREATE VIRTUAL"
		name, sql := row.Text(0), row.Text(1)
		names = append(names, name)
		if len(sql) >= len(virtual) && strings.EqualFold(sql[:len(virtual)], virtual) {
			owners = append(owners, name+"_")
		}
	})
	if err != nil {
		return nil, err
	}
	var contents []protocol.TableContent
	for _, name := range names {
		isOwned := func(owner string) bool { return strings.HasPrefix(name, owner) }
		if !slices.ContainsFunc(owners, isOwned) {
			contents = append(contents, tableContent(conn, name))
		}
	}
	return contents, nil
}

// tableContent returns what a table holds. It has no rows if it cannot be read, as a virtual table whose module is
// missing.
func tableContent(conn driver.Conn, table string) protocol.TableContent {
	var digest workload.Digest
	sql, kinds, err := readAll(conn, table)
	var rows, sum uint64
	if err == nil {
		rows, sum, err = sumOfRows(conn, sql, kinds)
	}
	if err != nil {
		rows = 0
		digest.Word(math.MaxUint64)
	} else {
		digest.Word(rows)
		digest.Word(sum)
	}
	return protocol.TableContent{Table: table, Rows: rows, Checksum: digest.String()}
}

// readAll returns a statement that reads the columns that * stands for, with their kinds for a Conn that needs them. A
// column behind a plus has no declared type. Some drivers convert the values of columns of some types, such as DATETIME
// and BOOLEAN, into values that SQLite does not store.
func readAll(conn driver.Conn, table string) (sql string, kinds []driver.Kind, err error) {
	const hidden = 1
	of := protocol.Table{Name: table}
	var columns []string
	asked := []driver.Kind{driver.Integer, driver.Text, driver.Text, driver.Integer, driver.Text, driver.Integer, driver.Integer}
	err = driver.Each(conn, "PRAGMA table_xinfo("+quoted(table)+")", asked, func(row driver.Row) {
		if row.Int64(6) != hidden {
			of.Columns = append(of.Columns, protocol.Column{Name: row.Text(1), Type: row.Text(2)})
			columns = append(columns, "+"+quoted(row.Text(1)))
		}
	})
	if _, needs := conn.(driver.NeedsKinds); needs {
		kinds = declared(&of)
	}
	return "SELECT " + strings.Join(columns, ", ") + " FROM " + quoted(table), kinds, err
}

// quoted returns a name as SQL has it.
func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
