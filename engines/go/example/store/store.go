// Package store is an example of a key-value store for an engine in Go. All rows are in memory. Each commit appends
// one record to a log: its length, its checksum and its changes. Replace it with your own store.
package store

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/dbdyno/dbdyno/engines/go/kv"
	"github.com/dbdyno/dbdyno/engines/go/protocol"
)

// Engine returns the store with its description.
func Engine() kv.Engine {
	return kv.Engine{
		Description: protocol.Description{
			Name: "goexample", About: "a map in memory and a log, in Go", Version: "1.0",
			Licence: "MIT OR Apache-2.0", Languages: []string{"go"},
			Options: []protocol.Option{{
				Name: "sync", Help: "what a commit waits for", Type: "choice", Choices: []string{"full", "off"}, Default: "full",
			}},
			Tiers: []protocol.Tier{
				{When: map[string][]string{"sync": {"off"}}, Tier: 1, Reason: "nothing waits for the disk: a crash of the system loses records"},
				{Tier: 3, Reason: "a commit waits until the disk has its record"},
			},
			Threads: map[string]protocol.Threads{"kv": {Writers: "many"}},
		},
		Store: kv.Store{Open: open},
	}
}

// database has all rows. A writer has exclusive access.
type database struct {
	sync.RWMutex
	rows map[string][]byte
	log  *os.File
	sync string
}

func open(open kv.Open) (kv.Database, error) {
	log, err := os.OpenFile(filepath.Join(open.Folder, "log"), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, err
	}
	database := &database{rows: map[string][]byte{}, log: log, sync: open.Options["sync"]}
	if err := database.replay(); err != nil {
		return nil, err
	}
	// The name of a new file must reach the disk too.
	folder, err := os.Open(open.Folder)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	return database, folder.Sync()
}

// headLength is the length of the head before a record's changes, in bytes: their length and their checksum.
const headLength = 8

// replay applies all commits of the log again. A record that is cut off belongs to a commit that never completed.
func (database *database) replay() error {
	old, err := io.ReadAll(database.log)
	if err != nil {
		return err
	}
	whole := 0
	for rest := old; len(rest) >= headLength; rest = old[whole:] {
		length, checksum := binary.LittleEndian.Uint32(rest), binary.LittleEndian.Uint32(rest[4:])
		if uint64(len(rest)) < headLength+uint64(length) {
			break
		}
		changes := rest[headLength : headLength+length]
		if crc32.ChecksumIEEE(changes) != checksum {
			break
		}
		database.apply(changes)
		whole += headLength + len(changes)
	}
	return database.log.Truncate(int64(whole))
}

// apply applies changes. Each change is its kind, the lengths of key and value, and both.
func (database *database) apply(changes []byte) {
	for len(changes) > 0 {
		removes, key, value := changes[0] == 1, binary.LittleEndian.Uint32(changes[1:]), binary.LittleEndian.Uint32(changes[5:])
		name, data := string(changes[9:9+key]), changes[9+key:9+key+value]
		if removes {
			delete(database.rows, name)
		} else {
			database.rows[name] = bytes.Clone(data)
		}
		changes = changes[9+key+value:]
	}
}

func (database *database) Opened() (protocol.Opened, error) {
	return protocol.Opened{InForce: map[string]string{"sync": database.sync}}, nil
}

func (database *database) Close() error { return database.log.Close() }

func (database *database) Session(*protocol.KvStatements) (kv.Session, error) {
	return &session{database: database, written: map[string][]byte{}}, nil
}

func (database *database) Thread(statements *protocol.KvStatements) (kv.Session, error) {
	return database.Session(statements)
}

// session is the session of one goroutine.
type session struct {
	database *database
	writes   bool
	// written is what the transaction has written so far; nil means removed. record has the same for the log.
	written map[string][]byte
	record  []byte
}

func (session *session) Begin(transaction kv.Transaction) error {
	if session.writes = transaction == kv.Writing; session.writes {
		session.database.Lock()
		session.record = append(session.record[:0], make([]byte, headLength)...)
	} else {
		session.database.RLock()
	}
	return nil
}

func (session *session) Commit() error {
	if changes := session.changes(); len(changes) > 0 {
		binary.LittleEndian.PutUint32(session.record, uint32(len(changes)))
		binary.LittleEndian.PutUint32(session.record[4:], crc32.ChecksumIEEE(changes))
		if _, err := session.database.log.Write(session.record); err != nil {
			return err
		}
		if session.database.sync == "full" {
			if err := session.database.log.Sync(); err != nil {
				return err
			}
		}
		session.database.apply(changes)
	}
	session.Rollback()
	return nil
}

func (session *session) changes() []byte {
	if !session.writes {
		return nil
	}
	return session.record[headLength:]
}

// Rollback ends the transaction. Uncommitted writes are in neither the log nor the map, so there is nothing to undo.
func (session *session) Rollback() {
	clear(session.written)
	if session.writes {
		session.database.Unlock()
	} else {
		session.database.RUnlock()
	}
	session.writes = false
}

// value returns the value of a key, as the transaction sees it.
func (session *session) value(key []byte) ([]byte, bool) {
	if value, written := session.written[string(key)]; written {
		return value, value != nil
	}
	value, found := session.database.rows[string(key)]
	return value, found
}

func (session *session) Get(key []byte, visit func(value []byte)) (bool, error) {
	value, found := session.value(key)
	if found {
		visit(value)
	}
	return found, nil
}

func (session *session) Exists(key []byte) (bool, error) {
	_, found := session.value(key)
	return found, nil
}

func (session *session) Put(key, value []byte) error {
	session.written[string(key)] = append([]byte{}, value...)
	session.change(0, key, value)
	return nil
}

func (session *session) Delete(key []byte) (bool, error) {
	_, found := session.value(key)
	session.written[string(key)] = nil
	session.change(1, key, nil)
	return found, nil
}

func (session *session) change(kind byte, key, value []byte) {
	session.record = append(session.record, kind)
	session.record = binary.LittleEndian.AppendUint32(session.record, uint32(len(key)))
	session.record = binary.LittleEndian.AppendUint32(session.record, uint32(len(value)))
	session.record = append(append(session.record, key...), value...)
}

func (session *session) Scan(visit func(key, value []byte)) error {
	return session.Range(nil, ^uint64(0), visit)
}

// Range sorts all keys first, because the map does not keep their order.
func (session *session) Range(from []byte, most uint64, visit func(key, value []byte)) error {
	names := slices.Collect(maps.Keys(session.database.rows))
	for name := range session.written {
		if _, too := session.database.rows[name]; !too {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	first, _ := slices.BinarySearch(names, string(from))
	for _, name := range names[first:] {
		if most == 0 {
			break
		}
		if value, found := session.value([]byte(name)); found {
			visit([]byte(name), value)
			most--
		}
	}
	return nil
}

func (session *session) Close() error { return nil }
