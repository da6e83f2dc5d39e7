// Package kv runs dbdyno's key-value suites on a store. It draws the inputs, measures, digests the answers and works
// with several threads; a store provides the methods of Session. [Main] turns a store into a whole engine, a program
// that dbdyno measures:
//
//	func main() {
//		kv.Main(kv.Engine{
//			Description: protocol.Description{
//				Name: "mystore", About: "my store", Version: "1.0",
//				Tiers: []protocol.Tier{{Tier: 3, Reason: "every commit is synced"}},
//			},
//			Store: kv.Store{Open: func(open kv.Open) (kv.Database, error) { return openMine(open.Folder) }},
//		})
//	}
package kv

import (
	"errors"

	"github.com/dbdyno/dbdyno/engines/go/protocol"
)

// Store opens databases.
type Store struct {
	// MainFile is the name of the database's file in its folder. The other files count as logs, journals and locks.
	// If it is empty, all files count as the database.
	MainFile string
	// Open opens the database in a folder of its own.
	Open func(Open) (Database, error)
	// Nothing reports whether the store does nothing, so that the cost of this package itself can be measured. Its
	// answers are not checked.
	Nothing bool
	// described has the facts about the library that are known before a database is open; nil means none.
	described *protocol.Description
}

// Open has what a database is opened with.
type Open struct {
	// Folder exists. If the database is not Fresh, it has what the previous Database left in it.
	Folder string
	Fresh  bool
	// Options has a value for every option of the description.
	Options map[string]string
	// Schema is the SQL that creates the table of a fresh database, for stores that speak SQL.
	Schema []string
	// DataBytes is the most that keys and values take, in bytes, for stores that size a file in advance.
	DataBytes uint64
}

// Database is an open database.
type Database interface {
	// Opened identifies the library, if the description does not, and returns the options that can be read back,
	// with the values in force.
	Opened() (protocol.Opened, error)
	// Session prepares one test, which one goroutine runs. It is not timed. The statements are the test's, for
	// stores that speak SQL.
	Session(statements *protocol.KvStatements) (Session, error)
	Close() error
}

// Shared is a Database that several goroutines use at the same time, as the description's Threads states.
type Shared interface {
	Database
	// Thread is like Session, for one of several goroutines, which calls it. Anything it opens is closed with the
	// session. The database's own session is closed meanwhile.
	Thread(statements *protocol.KvStatements) (Session, error)
}

// Checker is a Database that can check its integrity, which is done after a crash.
type Checker interface {
	Check() error
}

// Definer is a Database in which a schema is defined. After a crash the schema may be missing.
type Definer interface {
	IsDefined() (bool, error)
}

// Compactor is a Database that makes itself as small as it can. The description's Compacts declares it.
type Compactor interface {
	Compact() error
}

// Transaction is a kind of transaction that a session begins.
type Transaction uint8

const (
	// Reading is for one read. A store whose reads need no transaction does nothing.
	Reading Transaction = iota
	// Snapshot is for reads that all see the same state.
	Snapshot
	// Writing is for writes, and reads between them.
	Writing
)

// Session is what one goroutine works with. Slices that are passed in or shown are valid until the call ends.
type Session interface {
	// Begin begins a transaction; Commit ends it, whatever its kind. Commit returns when the transaction is as safe
	// as the options ask for.
	Begin(Transaction) error
	Commit() error
	// Rollback ends a failed transaction and undoes its writes.
	Rollback()
	// Get passes the value of a key to visit. It reports whether the key exists.
	Get(key []byte, visit func(value []byte)) (bool, error)
	Exists(key []byte) (bool, error)
	Put(key, value []byte) error
	// Delete removes a key. It reports whether the key existed.
	Delete(key []byte) (bool, error)
	// Scan visits every row in key order.
	Scan(visit func(key, value []byte)) error
	// Range visits rows in key order, from the first key that is not below from, and at most this many.
	Range(from []byte, most uint64, visit func(key, value []byte)) error
	Close() error
}

// Remover is a Session that removes a key without checking whether it exists.
type Remover interface {
	Remove(key []byte) error
}

// Teller is a Session that reports figures of the store's state by name, about once a second during a followed test.
type Teller interface {
	Readings() (map[string]uint64, error)
}

// ErrBusy is wrapped in a session's errors if another transaction was in the way. The work of the transaction is
// rolled back and tried again.
var ErrBusy = errors.New("another transaction is in the way")

// Ability returns what this package supports of key-value suites, for a description.
func Ability() *protocol.KvAbility {
	ability := &protocol.KvAbility{Keys: keyOrders}
	for _, word := range words {
		ability.Operations = append(ability.Operations, word)
	}
	return ability
}
