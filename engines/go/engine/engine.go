// Package engine runs dbdyno's suites on a Go driver for SQLite.
package engine

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"

	"github.com/dbdyno/dbdyno/engines/go/driver"
	"github.com/dbdyno/dbdyno/engines/go/harness"
	"github.com/dbdyno/dbdyno/engines/go/kv"
	"github.com/dbdyno/dbdyno/engines/go/protocol"
)

// Driver is a Go driver for SQLite. A program links exactly one.
type Driver struct {
	// Name is the name of the engine.
	Name string
	// Module is the Go module of the driver.
	Module string
	// Licence is the SPDX expression of the licences of SQLite and of the driver.
	Licence string
	// How states in a few words how SQLite is called.
	How string
	// Caches reports whether the driver caches statements by their text.
	Caches bool
	// Elsewhere reports whether SQLite runs in a process of its own. Such an engine runs only suites of kind sql,
	// and what SQLite uses is not visible in this process.
	Elsewhere bool
	// BlobsAsTexts reports whether the driver binds blobs as texts. A suite of kind sql that binds blobs then fails. In
	// suites of kind kv all keys and values are such texts, so nothing differs.
	BlobsAsTexts bool
	// Open opens a file with no options of its own, and creates it if it does not exist.
	Open func(path string) (driver.Conn, error)
	// BeforeExamining is called before the library is opened only to be examined. It may be nil.
	BeforeExamining func()
}

// mainFile is the name of a database's file in its folder.
const mainFile = "sqlite.db"

// Main is the main function of a driver's program.
func Main(of Driver) { protocol.Main(programFor(of)) }

// programFor returns the program of a driver.
func programFor(of Driver) protocol.Program {
	return protocol.Program{
		Description: describe(of),
		Examine:     func(description *protocol.Description) error { return examine(of, description) },
		Run: func(worker *protocol.Worker, job *protocol.Job) error {
			of := of
			if job.Engine == nullName {
				of, job.Options = null, defaults()
			}
			run := newRun(of, worker, job)
			if job.Suite.Kv != nil {
				if of.Elsewhere {
					return fmt.Errorf("engine `%s` runs only suites of kind sql", of.Name)
				}
				return kv.Run(run.Run, run.kvStore())
			}
			return run.sqlSuite(job.Suite.SQL)
		},
		Commits: func(worker *protocol.Worker, job *protocol.Job) error {
			run := newRun(of, worker, job)
			return kv.Commits(run.Run, run.kvStore())
		},
		Recover: func(worker *protocol.Worker, job *protocol.Job) error {
			run := newRun(of, worker, job)
			return kv.Recover(run.Run, run.kvStore())
		},
	}
}

// run is a running job.
type run struct {
	*harness.Run
	driver   Driver
	settings settings
}

func newRun(of Driver, worker *protocol.Worker, job *protocol.Job) *run {
	return &run{Run: harness.New(worker, job, mainFile), driver: of, settings: job.Options}
}

// answers reports whether the engine answers at all.
func (run *run) answers() bool { return run.driver.Name != nullName }

// open opens a database with all options set.
func (run *run) open(label string) (driver.Conn, error) { return run.openIn(run.Folder(label)) }

func (run *run) openIn(folder string) (driver.Conn, error) {
	path := filepath.Join(folder, mainFile)
	info, err := os.Stat(path)
	filled := err == nil && info.Size() > 0
	conn, err := run.driver.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	if err := run.settings.apply(conn, filled); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return conn, nil
}

// opened returns the event that describes an open database.
func (run *run) opened(conn driver.Conn) (protocol.Opened, error) {
	if !run.answers() {
		return protocol.Opened{}, nil
	}
	library, err := libraryOf(conn)
	if err != nil {
		return protocol.Opened{}, err
	}
	inForce, err := inForce(conn)
	return protocol.Opened{Version: library.version, Build: library.build, Source: library.source, InForce: inForce}, err
}

// seen are the counters that are known if SQLite runs in another process.
var seen = []string{"open_ns", "settle_ns", "close_ns", "resident_bytes", "start_bytes", "opened_resident_bytes"}

// tell reports the result of a test.
func (run *run) tell(done *protocol.TestDone, phases *harness.Phases) {
	if run.driver.Elsewhere {
		// The resource usage of this process is not that of SQLite.
		isUnknown := func(name string, _ uint64) bool { return !slices.Contains(seen, name) }
		maps.DeleteFunc(done.Counters, isUnknown)
		phases.Keep(seen)
		done.Explained = nil
	}
	run.Tell(done, phases)
}

// library identifies the SQLite of a driver.
type library struct {
	version, source string
	build           []string
}

func libraryOf(conn driver.Conn) (library, error) {
	version, err := driver.First(conn, "SELECT sqlite_version()")
	if err != nil {
		return library{}, err
	}
	source, err := driver.First(conn, "SELECT sqlite_source_id()")
	if err != nil {
		return library{}, err
	}
	found := library{version: version.Data, source: source.Data, build: modules()}
	err = driver.Each(conn, "PRAGMA compile_options", []driver.Kind{driver.Text}, func(row driver.Row) {
		found.build = append(found.build, row.Text(0))
	})
	return found, err
}

// modules returns the version of Go, the build flags that make a program slower or faster, and the versions of all
// modules that the program is linked with.
func modules() []string {
	info, found := debug.ReadBuildInfo()
	if !found {
		return nil
	}
	return builtWith(info)
}

func builtWith(info *debug.BuildInfo) []string {
	list := []string{info.GoVersion}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "-gcflags", "-race", "-msan", "-asan", "-tags", "GOAMD64", "CGO_CFLAGS":
			if setting.Value != "" {
				list = append(list, setting.Key+"="+setting.Value)
			}
		}
	}
	for _, module := range info.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		list = append(list, module.Path+" "+module.Version)
	}
	return list
}
