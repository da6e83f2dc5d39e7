package engine

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dbdyno/dbdyno/engines/go/driver"
	"github.com/dbdyno/dbdyno/engines/go/kv"
	"github.com/dbdyno/dbdyno/engines/go/protocol"
)

// kvStore returns a store on the driver's key-value tables, with the statements that a suite provides.
func (run *run) kvStore() kv.Store {
	return kv.Store{
		MainFile: mainFile, Nothing: run.driver.Name == nullName,
		Open: func(open kv.Open) (kv.Database, error) {
			conn, err := run.openIn(open.Folder)
			if err != nil {
				return nil, err
			}
			for _, sql := range open.Schema {
				if err := conn.Batch(sql); err != nil {
					_ = conn.Close()
					return nil, fmt.Errorf("%s: %w", sql, err)
				}
			}
			return &kvDatabase{run: run, folder: open.Folder, conn: conn}, nil
		},
	}
}

// kvDatabase is an open database.
type kvDatabase struct {
	run    *run
	folder string
	conn   driver.Conn
}

func (database *kvDatabase) Opened() (protocol.Opened, error) {
	return database.run.opened(database.conn)
}

func (database *kvDatabase) Close() error { return database.conn.Close() }
func (database *kvDatabase) Check() error { return check(database.conn) }

func (database *kvDatabase) IsDefined() (bool, error) {
	defined, err := driver.First(database.conn, "SELECT CASE count(*) WHEN 0 THEN 'none' ELSE 'some' END FROM sqlite_master")
	return defined.Data == "some", err
}

// Compact makes the file smaller. In WAL mode VACUUM writes the smaller database to the log, and only a checkpoint
// makes the file smaller.
func (database *kvDatabase) Compact() error {
	if err := database.conn.Batch("VACUUM"); err != nil {
		return err
	}
	return driver.Each(database.conn, "PRAGMA wal_checkpoint(TRUNCATE)", []driver.Kind{driver.Integer}, func(driver.Row) {})
}

func (database *kvDatabase) Session(statements *protocol.KvStatements) (kv.Session, error) {
	return database.run.newKvSession(database.conn, statements)
}

// Thread opens a separate connection for the thread.
func (database *kvDatabase) Thread(statements *protocol.KvStatements) (kv.Session, error) {
	conn, err := database.run.openIn(database.folder)
	if err != nil {
		return nil, busy(err)
	}
	session, err := database.run.newKvSession(conn, statements)
	if err != nil {
		return nil, errors.Join(busy(err), conn.Close())
	}
	session.own = conn
	return session, nil
}

// busy marks an error that occurred because another connection was in the way.
func busy(err error) error {
	if err == nil || !isBusy(err) {
		return err
	}
	return fmt.Errorf("%w: %w", kv.ErrBusy, err)
}

// isBusy reports whether an error occurred because another connection was in the way. Only SQLite's own message is
// common to all drivers.
func isBusy(err error) bool {
	text := err.Error()
	for _, said := range []string{"database is locked", "database table is locked", "SQLITE_BUSY", "SQLITE_LOCKED"} {
		if strings.Contains(text, said) {
			return true
		}
	}
	return false
}

// kvSession holds the statements of a test.
type kvSession struct {
	conn driver.Conn
	// own is closed with the session. It is nil if the connection is the database's.
	own driver.Conn
	// held reports whether reads are in an explicit transaction.
	held                                    bool
	beginRead, beginWrite, commit, rollback driver.Stmt
	get, put, delete, exists, scan, ranged  driver.Stmt
	statements                              []driver.Stmt
	// isOpen reports whether a transaction was begun and must be ended.
	isOpen bool

	// The visitors are created once, so that no operation has to create one.
	found                   bool
	visitValue              func([]byte)
	visitRow                func(key, value []byte)
	showValue, see, showRow func(driver.Row) bool
	values                  [2]driver.Value
}

func (run *run) newKvSession(conn driver.Conn, sql *protocol.KvStatements) (*kvSession, error) {
	session := &kvSession{conn: conn, held: run.settings["read_transaction"] == "held"}
	begin, err := run.settings.begin("engine")
	if err != nil {
		return nil, err
	}
	for _, one := range []struct {
		stmt *driver.Stmt
		sql  string
	}{
		{&session.beginRead, "BEGIN DEFERRED"}, {&session.beginWrite, begin}, {&session.commit, "COMMIT"},
		{&session.rollback, "ROLLBACK"}, {&session.get, sql.Get}, {&session.put, sql.Put}, {&session.delete, sql.Delete},
		{&session.exists, sql.Exists}, {&session.scan, sql.Scan}, {&session.ranged, sql.Range},
	} {
		if one.sql == "" {
			// The suite does not have this statement.
			continue
		}
		if *one.stmt, err = run.settings.statement(conn, one.sql); err != nil {
			return nil, errors.Join(err, session.Close())
		}
		session.statements = append(session.statements, *one.stmt)
	}
	session.showValue = func(row driver.Row) bool {
		session.found = true
		session.visitValue(row.Blob(0))
		return false
	}
	session.see = func(driver.Row) bool {
		session.found = true
		return false
	}
	session.showRow = func(row driver.Row) bool {
		session.visitRow(row.Blob(0), row.Blob(1))
		return true
	}
	return session, nil
}

// exec runs a statement without values.
func exec(stmt driver.Stmt) error {
	_, err := stmt.Exec(nil)
	return err
}

func (session *kvSession) Begin(transaction kv.Transaction) error {
	begin := session.beginWrite
	switch {
	case transaction == kv.Reading && !session.held:
		// Each statement is a transaction of its own.
		return nil
	case transaction != kv.Writing:
		begin = session.beginRead
	}
	if err := exec(begin); err != nil {
		return busy(err)
	}
	session.isOpen = true
	return nil
}

func (session *kvSession) Commit() error {
	if !session.isOpen {
		return nil
	}
	if err := exec(session.commit); err != nil {
		return busy(err)
	}
	session.isOpen = false
	return nil
}

// Rollback ignores its own error, so that the error that led to it is reported.
func (session *kvSession) Rollback() {
	if session.isOpen {
		_ = exec(session.rollback)
		session.isOpen = false
	}
}

func (session *kvSession) key(key []byte) []driver.Value {
	session.values[0] = driver.BlobValue(key)
	return session.values[:1]
}

func (session *kvSession) Get(key []byte, visit func([]byte)) (bool, error) {
	session.found, session.visitValue = false, visit
	err := session.get.Query(session.key(key), nil, session.showValue)
	if err != nil {
		return false, busy(err)
	}
	return session.found, nil
}

func (session *kvSession) Exists(key []byte) (bool, error) {
	session.found = false
	if err := session.exists.Query(session.key(key), nil, session.see); err != nil {
		return false, busy(err)
	}
	return session.found, nil
}

func (session *kvSession) Put(key, value []byte) error {
	session.values[0], session.values[1] = driver.BlobValue(key), driver.BlobValue(value)
	if _, err := session.put.Exec(session.values[:2]); err != nil {
		return busy(err)
	}
	return nil
}

func (session *kvSession) Delete(key []byte) (bool, error) {
	changed, err := session.delete.Exec(session.key(key))
	if err != nil {
		return false, busy(err)
	}
	return changed > 0, nil
}

func (session *kvSession) Scan(visit func(key, value []byte)) error {
	session.visitRow = visit
	return busy(session.scan.Query(nil, nil, session.showRow))
}

func (session *kvSession) Range(from []byte, most uint64, visit func(key, value []byte)) error {
	if session.ranged == nil {
		return errors.New("the suite has no statement `range`")
	}
	session.visitRow = visit
	session.values[0], session.values[1] = driver.BlobValue(from), driver.IntegerValue(int64(min(most, 1<<62)))
	return busy(session.ranged.Query(session.values[:2], nil, session.showRow))
}

// Readings returns the results of a passive checkpoint, which moves as much of the log into the database as other
// connections allow. Without a log, two of the results are -1 and are left out.
func (session *kvSession) Readings() (map[string]uint64, error) {
	readings := map[string]uint64{}
	names := [...]string{"checkpoint_busy", "log_frames", "checkpointed_frames"}
	kinds := []driver.Kind{driver.Integer, driver.Integer, driver.Integer}
	err := driver.Each(session.conn, "PRAGMA wal_checkpoint(PASSIVE)", kinds, func(row driver.Row) {
		for column, name := range names {
			if number := row.Int64(column); number >= 0 {
				readings[name] = uint64(number)
			}
		}
	})
	return readings, busy(err)
}

func (session *kvSession) Close() error {
	var err error
	for _, stmt := range session.statements {
		err = errors.Join(err, stmt.Close())
	}
	if session.own != nil {
		err = errors.Join(err, session.own.Close())
	}
	return err
}
