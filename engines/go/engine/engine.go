// Package engine runs dbdyno's suites on a Go driver for SQLite.
package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/dbdyno/dbdyno/engines/go/driver"
	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// Driver is a Go driver for SQLite. A program links exactly one.
type Driver struct {
	// Name of the engine.
	Name string
	// Module of the driver.
	Module string
	// How SQLite is called, in a few words.
	How string
	// Caches: it keeps statements by their text.
	Caches bool
	// Elsewhere: SQLite is in a process of its own. Its suites are of kind sql alone, and what it uses is not seen here.
	Elsewhere bool
	// Open opens a file, creating it where there is none, with no options of its own.
	Open func(path string) (driver.Conn, error)
	// BeforeExamining is called before the library is only asked what it is; nil: nothing is.
	BeforeExamining func()
}

// mainFile is the name of a database's file in its folder.
const mainFile = "sqlite.db"

// Main is the main function of a driver's program.
func Main(of Driver) {
	protocol.Main(protocol.Program{
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
					return fmt.Errorf("engine `%s` runs suites of kind sql alone", of.Name)
				}
				return run.kvSuite(job.Suite.Kv)
			}
			return run.sqlSuite(job.Suite.SQL)
		},
		Commits: func(worker *protocol.Worker, job *protocol.Job) error { return newRun(of, worker, job).commits() },
		Recover: func(worker *protocol.Worker, job *protocol.Job) error { return newRun(of, worker, job).recover() },
	})
}

// run is a job under way.
type run struct {
	driver   Driver
	worker   *protocol.Worker
	job      *protocol.Job
	settings settings
	isOpened bool
	// floorRss is the resident memory before anything was opened, bytes.
	floorRss uint64
}

func newRun(of Driver, worker *protocol.Worker, job *protocol.Job) *run {
	return &run{driver: of, worker: worker, job: job, settings: job.Options, floorRss: workload.RssBytes()}
}

// folder of a database.
func (run *run) folder(label string) string { return filepath.Join(run.job.Folder, label) }

// make makes the folder of a database; whether it was not there.
func (run *run) make(label string) (bool, error) {
	folder := run.folder(label)
	if _, err := os.Stat(folder); err == nil {
		return false, nil
	}
	return true, os.MkdirAll(folder, 0o777)
}

// open opens a database with all options set.
func (run *run) open(label string) (driver.Conn, error) {
	path := filepath.Join(run.folder(label), mainFile)
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

// opened tells that the first database is open.
func (run *run) opened(conn driver.Conn, phases *phases) error {
	if run.isOpened {
		return nil
	}
	run.isOpened = true
	if run.driver.Name == nullName {
		run.worker.Opened(protocol.Opened{InForce: map[string]string{}, OpenNs: phases.counters["open_ns"], Clock: "monotonic"})
		return nil
	}
	library, err := libraryOf(conn)
	if err != nil {
		return err
	}
	inForce, err := inForce(conn)
	if err != nil {
		return err
	}
	run.worker.Opened(protocol.Opened{
		Version: library.version, Build: library.build, Source: library.source,
		InForce: inForce, OpenNs: phases.counters["open_ns"], Clock: "monotonic",
	})
	return nil
}

// library is which SQLite a driver has.
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

// modules are the version of Go, the flags of the build that make a program slower or faster, and the versions of every
// module that the program is linked with.
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

// phases are opening and closing a database, which no test's time has, as counters of the test.
type phases struct {
	counters protocol.Counters
	cold     *workload.ColdStart
}

// newPhases begins with a wait for threads of the engine that took no time: these drivers have none that work by
// themselves.
func newPhases() *phases {
	return &phases{counters: protocol.Counters{"settle_ns": 0, "settle_written_bytes": 0}}
}

// measure does one of them.
func (phases *phases) measure(name string, work func() error) error {
	before, begun := workload.ReadCounters(), time.Now()
	err := work()
	phases.counters[name+"_ns"] = uint64(time.Since(begun))
	used := workload.Since(workload.ReadCounters(), before)
	if written, found := used["written_bytes"]; found {
		phases.counters[name+"_written_bytes"] = written
	}
	if read, found := used["read_bytes"]; found && name == "open" {
		phases.counters["open_read_bytes"] = read
	}
	return err
}

// lookAfterOpening looks at what of a database that starts cold opening has brought into memory.
func (phases *phases) lookAfterOpening(folder string) error {
	if phases.cold == nil {
		return nil
	}
	return phases.cold.LookAfterOpening(folder)
}

// startCold drops what is in memory of a database that is closed.
func (phases *phases) startCold(folder string) error {
	if _, err := os.Stat(folder); err != nil {
		phases.cold = &workload.ColdStart{}
		return nil
	}
	start, err := workload.DropFromMemory(folder)
	phases.cold = &start
	return err
}

// addTo adds them to the counters of their test.
func (phases *phases) addTo(counters protocol.Counters) {
	for name, value := range phases.counters {
		counters[name] = value
	}
	if phases.cold != nil {
		phases.cold.AddTo(counters)
	}
}
