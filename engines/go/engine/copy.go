package engine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dbdyno/dbdyno/engines/go/driver"
	"github.com/dbdyno/dbdyno/engines/go/protocol"
)

// notInherited are options that an attached database does not inherit from the database it is attached to, in the
// order in which they are set.
var notInherited = []string{"page_size", "cache_size", "locking_mode", "journal_mode", "synchronous"}

// copyDatabase copies tables through ATTACH into a fresh database next to this one, with the same options, all in
// one transaction. It returns the number of rows.
func copyDatabase(conn driver.Conn, spec *protocol.CopySpec) (uint64, error) {
	if _, nothing := conn.(*nullConn); nothing {
		return 0, nil
	}
	file, err := driver.First(conn, "SELECT file FROM pragma_database_list WHERE name = 'main'")
	if err != nil {
		return 0, err
	}
	if file.Data == "" {
		return 0, errors.New("the database has no folder to copy to")
	}
	folder := filepath.Join(filepath.Dir(filepath.Dir(file.Data)), "copy")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return 0, err
	}
	path := filepath.Join(folder, "copy.db")
	for _, end := range []string{"", "-wal", "-shm", "-journal"} {
		if err := os.Remove(path + end); err != nil && !errors.Is(err, os.ErrNotExist) {
			return 0, fmt.Errorf("removing the previous copy: %w", err)
		}
	}
	if _, err := once(conn, "ATTACH ?1 AS copy", driver.TextValue(path)); err != nil {
		return 0, err
	}
	rows, err := copyRows(conn, spec)
	if err != nil {
		return 0, err
	}
	return rows, conn.Batch("DETACH copy")
}

// once runs a statement once and returns the number of changed rows.
func once(conn driver.Conn, sql string, values ...driver.Value) (int64, error) {
	stmt, err := conn.Prepare(sql)
	if err != nil {
		return 0, err
	}
	changed, err := stmt.Exec(values)
	if closing := stmt.Close(); err == nil {
		err = closing
	}
	return changed, err
}

func copyRows(conn driver.Conn, spec *protocol.CopySpec) (uint64, error) {
	found, err := inForce(conn)
	if err != nil {
		return 0, err
	}
	for _, name := range notInherited {
		if err := set(conn, "copy."+name, found[name]); err != nil {
			return 0, err
		}
	}
	if err := conn.Batch("BEGIN"); err != nil {
		return 0, err
	}
	for _, sql := range spec.Schema {
		if err := conn.Batch(sql); err != nil {
			return 0, fmt.Errorf("%s: %w", sql, err)
		}
	}
	var rows uint64
	for _, table := range spec.Tables {
		changed, err := once(conn, fmt.Sprintf("INSERT INTO copy.%s SELECT * FROM main.%s", table, table))
		if err != nil {
			return 0, err
		}
		rows += uint64(changed)
	}
	return rows, conn.Batch("COMMIT")
}
