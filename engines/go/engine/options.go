package engine

import (
	"fmt"

	"github.com/dbdyno/dbdyno/engines/go/protocol"
)

// options returns the options of the engine `sqlite`, under the same names, so that one preset serves both.
func options(of Driver) []protocol.Option {
	list := []protocol.Option{journalMode(), synchronous()}
	list = append(list, pages()...)
	list = append(list, locks()...)
	list = append(list, transactions(of)...)
	for at := range list {
		for place, pragma := range pragmas {
			if pragma.name == list[at].Name {
				text := fmt.Sprintf("PRAGMA %s = {value};", pragma.name)
				list[at].Tuning.Statement = &protocol.Statement{Place: place, Text: text}
			}
		}
	}
	return list
}

func choice(name, standard, help string, choices ...string) protocol.Option {
	return protocol.Option{Name: name, Type: "choice", Choices: choices, Default: standard, Help: help}
}

func whole(name, kind string, least, most int64, standard, help string, values ...string) protocol.Option {
	worthTrying := append([]string{}, values...)
	return protocol.Option{
		Name: name, Type: kind, Min: &least, Max: &most, Default: standard, Help: help,
		Tuning: protocol.Tuning{Values: &worthTrying},
	}
}

// untried makes the search leave an option alone.
func untried(option protocol.Option) protocol.Option {
	option.Tuning.Values = &[]string{}
	return option
}

// rollback are the journal modes without a write-ahead log.
var rollback = []string{"delete", "truncate", "persist", "memory", "off"}

func journalMode() protocol.Option {
	option := choice("journal_mode", "delete",
		"how a transaction is made atomic: a rollback journal, a write-ahead log, or not at all",
		"delete", "truncate", "persist", "memory", "wal", "off")
	option.Tuning.Risks = map[string]string{
		"wal":     "a -wal and a -shm file next to the database; no network file systems",
		"persist": "the journal file stays next to the database",
	}
	return option
}

func synchronous() protocol.Option {
	option := choice("synchronous", "full", "how often SQLite waits for the disk", "off", "normal", "full", "extra")
	rules := [][]protocol.Same{
		same("extra syncs the folder after a journal is deleted, and this journal mode deletes none",
			map[string][]string{"journal_mode": {"truncate", "persist", "memory", "wal", "off"}}, "full", "extra"),
		same("extra syncs the folder after a journal is deleted, and an exclusive lock keeps the journal",
			map[string][]string{"locking_mode": {"exclusive"}}, "full", "extra"),
		same("they differ in how a journal file or log is synced, and this journal mode has none",
			map[string][]string{"journal_mode": {"memory", "off"}}, "normal", "full", "extra"),
	}
	for _, rule := range rules {
		option.Tuning.Same = append(option.Tuning.Same, rule...)
	}
	return option
}

func pages() []protocol.Option {
	const mapped = "an I/O error while the map is read kills the program instead of being reported"
	size := choice("page_size", "4096", "bytes of a database page",
		"512", "1024", "2048", "4096", "8192", "16384", "32768", "65536")
	size.Fresh = true
	size.Tuning.Values = &[]string{"1024", "4096", "8192", "16384", "32768"}
	mmap := whole("mmap_size", "size", 0, 1<<46, "0", "bytes of the file that are read through a memory map",
		"0", "67108864", "1073741824")
	mmap.Tuning.Risks = map[string]string{"67108864": mapped, "1073741824": mapped}
	memory := whole("memory", "size", 1<<20, 1<<46, "own",
		"bytes of cache, one option for all engines: sets cache_size; own: cache_size applies")
	memory.Words = []string{"own"}
	memory.Memory = &protocol.Memory{Unit: "negative-kib", Option: "cache_size"}
	return []protocol.Option{
		size,
		whole("cache_size", "integer", -(1 << 30), 1<<30, "-2000", "page cache: pages when positive, KiB when negative",
			"-2000", "-8000", "-32000", "-128000"),
		mmap,
		memory,
	}
}

func locks() []protocol.Option {
	locking := choice("locking_mode", "normal", "whether file locks are released between transactions", "normal", "exclusive")
	locking.Tuning.Risks = map[string]string{"exclusive": "no other connection can use the database while this one has it"}
	checkpoint := whole("wal_autocheckpoint", "integer", 0, 1<<30, "1000",
		"pages in the log that start a checkpoint inside a commit; 0: never", "250", "1000", "4000", "16000")
	checkpoint.Tuning.Risks = map[string]string{"0": "the log grows until the program checkpoints it"}
	checkpoint.Tuning.Same = same("there is no log to checkpoint: journal_mode is not wal", map[string][]string{"journal_mode": rollback})
	vacuum := choice("auto_vacuum", "none", "whether free pages are given back to the file system", "none", "full", "incremental")
	vacuum.Fresh = true
	return []protocol.Option{
		locking,
		choice("temp_store", "default", "where temporary tables live", "default", "file", "memory"),
		checkpoint,
		vacuum,
		whole("busy_timeout", "integer", 0, 600_000, "5000",
			"how long a statement waits for another connection's lock before it fails as busy, ms"),
		untried(protocol.Option{
			Name: "foreign_keys", Type: "bool", Default: "off",
			Help: "whether SQLite enforces foreign keys (REFERENCES)",
		}),
	}
}

func transactions(of Driver) []protocol.Option {
	begin := choice("transaction", "deferred", "which BEGIN a write transaction uses", "deferred", "immediate", "exclusive")
	begin.Tuning.Same = same("BEGIN EXCLUSIVE is BEGIN IMMEDIATE in WAL mode",
		map[string][]string{"journal_mode": {"wal"}}, "immediate", "exclusive")
	begin.Tuning.Risks = map[string]string{"exclusive": "readers wait while a write transaction is open, unless in WAL mode"}

	help := "prepared once a test, or parsed again for each operation as a command-line script does"
	if of.Caches {
		help = "prepared once a test, or given to the driver as text for each operation: it keeps statements by their text and parses each once"
	}
	held := choice("read_transaction", "each", "one read transaction for each read, or one held over all reads of a test", "each", "held")
	held.Tuning.Same = same("read_transaction has an effect on suites of kind kv only", nil)
	held.Tuning.Same[0].Suites = []string{"sql"}
	held.Tuning.Risks = map[string]string{
		"held": "the program has to keep a read transaction open: it sees no newer commits, and the log cannot be reset",
	}
	reopen := untried(protocol.Option{
		Name: "reopen", Type: "bool", Default: "on",
		Help: "close the database and open it again before each test of a SQL suite, untimed",
	})
	reopen.Tuning.Same = same("reopen has an effect on suites of kind sql only", nil)
	reopen.Tuning.Same[0].Suites = []string{"kv"}
	return []protocol.Option{begin, untried(choice("statements", "prepared", help, "prepared", "text")), held, reopen}
}
