// Package kv runs dbdyno's suites of keys and values on a store: it draws the inputs, measures, digests the answers and
// works with several threads, and a store has the methods of Session. [Main] makes a whole engine of it, a program that
// dbdyno measures:
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
	// MainFile is the name of the database's file in its folder; the others are counted as logs, journals and locks.
	// Empty: all are the database.
	MainFile string
	// Open opens the database in a folder of its own.
	Open func(Open) (Database, error)
	// Nothing: it does nothing, so that what this package itself costs can be measured. Its answers are not checked.
	Nothing bool
	// described is what is known of the library before a database is open; nil: nothing is.
	described *protocol.Description
}

// Open is what a database is opened with.
type Open struct {
	// Folder is there, and has what the database before left in it, if it is not Fresh.
	Folder string
	Fresh  bool
	// Options has a value for every option of the description.
	Options map[string]string
	// Schema is the SQL that makes the table of a fresh database, for stores that speak it.
	Schema []string
	// DataBytes is what keys and values take at most, for stores that size a file ahead.
	DataBytes uint64
}

// Database is an open database.
type Database interface {
	// Opened says which library it is, where the description does not, and the options that can be read back, with the
	// values in force.
	Opened() (protocol.Opened, error)
	// Session gets ready for one test, which one goroutine does. It is not timed. The statements are the test's, for
	// stores that speak SQL.
	Session(statements *protocol.KvStatements) (Session, error)
	Close() error
}

// Shared is a Database that several goroutines work with at once, as the description's Threads say.
type Shared interface {
	Database
	// Thread is as Session, for one of several goroutines, in which it is called. What it opens is closed with the
	// session. The database's own session is closed meanwhile.
	Thread(statements *protocol.KvStatements) (Session, error)
}

// Checker is a Database that can tell whether it is sound: it is asked after a crash.
type Checker interface {
	Check() error
}

// Definer is a Database that a schema is defined in: a crash may leave it without.
type Definer interface {
	IsDefined() (bool, error)
}

// Compactor is a Database that makes itself as small as it can, when the description says that it compacts.
type Compactor interface {
	Compact() error
}

// Transaction is what a session begins.
type Transaction uint8

const (
	// Reading is for one read. A store whose reads need no transaction does nothing.
	Reading Transaction = iota
	// Snapshot is for reads that all see the same state.
	Snapshot
	// Writing is for writes, and reads between them.
	Writing
)

// Session is what one goroutine works with. Slices that are given or shown are good until the call ends.
type Session interface {
	// Begin begins a transaction; Commit ends it, whatever it was for. A commit returns when it is as safe as the
	// options ask for.
	Begin(Transaction) error
	Commit() error
	// Rollback ends a transaction that failed, and undoes what was written in it.
	Rollback()
	// Get shows the value of a key; whether it is there.
	Get(key []byte, visit func(value []byte)) (bool, error)
	Exists(key []byte) (bool, error)
	Put(key, value []byte) error
	// Delete removes a key; whether it was there.
	Delete(key []byte) (bool, error)
	// Scan shows every row in the order of the keys.
	Scan(visit func(key, value []byte)) error
	// Range shows rows in the order of their keys, from the first that is not below a key, and at most so many.
	Range(from []byte, most uint64, visit func(key, value []byte)) error
	Close() error
}

// Remover is a Session that removes a key without looking whether it is there.
type Remover interface {
	Remove(key []byte) error
}

// Teller is a Session that tells figures of the store's state by name, about each second of a test that is followed.
type Teller interface {
	Readings() (map[string]uint64, error)
}

// ErrBusy is in the errors of a session that another transaction was in the way of: what was done in the transaction is
// rolled back, and tried again.
var ErrBusy = errors.New("another transaction is in the way")

// Ability is what this package can do of suites of keys and values, for a description.
func Ability() *protocol.KvAbility {
	ability := &protocol.KvAbility{Keys: keyOrders}
	for _, word := range words {
		ability.Operations = append(ability.Operations, word)
	}
	return ability
}
