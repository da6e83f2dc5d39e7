package kv

import (
	"sync/atomic"

	"github.com/dbdyno/dbdyno/engines/go/protocol"
)

// Harness is the name under which a program of Main does nothing, to measure the cost of this package itself.
const Harness = "go-kv-null"

// nothing returns a store that does nothing: each write is dropped, and each read finds a row at once. A scan has as
// many rows as there were puts, but at least one.
func nothing() Store {
	return Store{Nothing: true, Open: func(Open) (Database, error) { return &nullDatabase{}, nil }}
}

type nullDatabase struct{ puts atomic.Int64 }

func (*nullDatabase) Opened() (protocol.Opened, error) { return protocol.Opened{}, nil }
func (*nullDatabase) Close() error                     { return nil }
func (*nullDatabase) Compact() error                   { return nil }
func (database *nullDatabase) Session(*protocol.KvStatements) (Session, error) {
	return &nullSession{database: database}, nil
}

func (database *nullDatabase) Thread(statements *protocol.KvStatements) (Session, error) {
	return database.Session(statements)
}

type nullSession struct {
	database *nullDatabase
	puts     int64
}

var (
	nullKey   = []byte("key_00000000")
	nullValue = []byte("value_00000000_with_some_additional_data_to_make_it_realistic")
)

func (*nullSession) Begin(Transaction) error     { return nil }
func (*nullSession) Commit() error               { return nil }
func (*nullSession) Rollback()                   {}
func (*nullSession) Exists([]byte) (bool, error) { return true, nil }
func (*nullSession) Delete([]byte) (bool, error) { return true, nil }

func (*nullSession) Get(_ []byte, visit func([]byte)) (bool, error) {
	visit(nullValue)
	return true, nil
}

func (session *nullSession) Put([]byte, []byte) error {
	session.puts++
	return nil
}

func (session *nullSession) Scan(visit func(key, value []byte)) error {
	for range max(session.database.puts.Load()+session.puts, 1) {
		visit(nullKey, nullValue)
	}
	return nil
}

func (*nullSession) Range(_ []byte, most uint64, visit func(key, value []byte)) error {
	for range most {
		visit(nullKey, nullValue)
	}
	return nil
}

func (session *nullSession) Close() error {
	session.database.puts.Add(session.puts)
	return nil
}
