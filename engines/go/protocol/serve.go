package protocol

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// Program is an engine, as functions.
type Program struct {
	// Description without what only the library knows.
	Description Description
	// Examine opens the library and adds what it is; nil: the description has all. A run does not need it.
	Examine func(*Description) error
	// Run does every test of a job.
	Run func(*Worker, *Job) error
	// Commits commits one write after another until it is killed; Recover counts them. Both may be nil.
	Commits, Recover func(*Worker, *Job) error
	// Probe says what the files are that options name; nil: there are no such options.
	Probe func(options map[string]string) (*Probed, error)
}

// Failure is an error that says in which test, and what became of the database.
type Failure struct {
	// Test is the number of the test; 0: it was in none.
	Test uint64
	// Broken: the database cannot be used any more.
	Broken bool
	Err    error
}

func (failure *Failure) Error() string { return failure.Err.Error() }

// Unwrap is the error itself.
func (failure *Failure) Unwrap() error { return failure.Err }

// Main is the main function of an engine's program. The measuring thread is the one that called it: it should be
// called in main, which then has the process's first thread to itself.
func Main(program Program) {
	runtime.LockOSThread()
	os.Exit(serve(program, os.Args[1:]))
}

// serve returns the exit code: 0 done, 1 the run failed and said so in an event, 2 there is no job.
func serve(program Program, arguments []string) int {
	command := ""
	if len(arguments) > 0 {
		command = arguments[0]
	}
	work := program.Run
	switch command {
	case "describe":
		return describe(program)
	case "run":
	case "commits":
		work = program.Commits
	case "recover":
		work = program.Recover
	case "probe":
		return probe(program)
	default:
		return refuse(fmt.Errorf("command `%s`: expected describe, run, probe, commits or recover", command))
	}
	output, err := privateStdout()
	if err != nil {
		return refuse(fmt.Errorf("taking stdout for the protocol: %w", err))
	}
	stdin := bufio.NewReader(os.Stdin)
	job, err := readJob(stdin)
	if err != nil {
		return refuse(err)
	}
	notFresh := checkFresh(job.Folder)
	worker := startWorker(output, stdin, job, notFresh == nil)
	if command != "run" {
		// The kill test goes on in the folder of a worker before.
		notFresh = nil
	}
	code := 0
	if err := perform(program, work, worker, job, notFresh); err != nil {
		worker.fail(err)
		code = 1
	}
	// The process ends by this return, or else by who ends it already.
	worker.ending.Lock()
	return code
}

// Do does a job in this process and shows each event to a function, without reports of progress: for tests of an engine.
func Do(program Program, job *Job, tell func(event any)) error {
	return perform(program, program.Run, &Worker{tell: tell}, job, checkFresh(job.Folder))
}

func describe(program Program) int {
	description := program.Description
	description.Protocol = Version
	if program.Examine != nil {
		if err := program.Examine(&description); err != nil {
			return refuse(err)
		}
	}
	return answer(description)
}

func probe(program Program) int {
	if program.Probe == nil {
		return refuse(errors.New("this engine has no options that name files"))
	}
	var options map[string]string
	line, err := readLine(bufio.NewReader(os.Stdin))
	if err == nil {
		err = json.Unmarshal(line, &options)
	}
	if err != nil {
		return refuse(fmt.Errorf("the options on stdin: expected one object of texts: %w", err))
	}
	probed, err := program.Probe(options)
	if err != nil {
		return refuse(err)
	}
	return answer(probed)
}

// answer prints the one object that a command gives.
func answer(object any) int {
	text, err := json.Marshal(object)
	if err == nil {
		_, err = fmt.Printf("%s\n", text)
	}
	if err != nil {
		return refuse(err)
	}
	return 0
}

func perform(program Program, work func(*Worker, *Job) error, worker *Worker, job *Job, notFresh error) error {
	if notFresh != nil {
		return notFresh
	}
	description := &program.Description
	if job.Engine == description.Harness && job.Engine != "" {
		description = &Description{Name: job.Engine}
	}
	if job.Engine != description.Name {
		return fmt.Errorf("the job is for engine `%s`; this is `%s`", job.Engine, description.Name)
	}
	if err := description.check(job.Options); err != nil {
		return err
	}
	if job.Cache != "" && job.Cache != "warm" && job.Cache != "cold" {
		return fmt.Errorf("cache `%s` of the job: expected warm or cold", job.Cache)
	}
	if work == nil {
		return fmt.Errorf("engine `%s` has no kill test", description.Name)
	}
	if job.CPU != nil {
		if err := pin(*job.CPU); err != nil {
			return fmt.Errorf("pinning to CPU %d: %w", *job.CPU, err)
		}
	}
	return work(worker, job)
}

// pin has the calling thread run on one CPU. Threads that Go starts for itself are not begun by a thread that is
// locked to a goroutine, and so are not pinned.
func pin(cpu int) error {
	var set unix.CPUSet
	set.Set(cpu)
	if !set.IsSet(cpu) {
		return errors.New("there is no such CPU")
	}
	return unix.SchedSetaffinity(0, &set)
}

// privateStdout moves the protocol to a copy of stdout, and has stdout lead to the log: libraries print.
func privateStdout() (*os.File, error) {
	private, err := unix.FcntlInt(uintptr(unix.Stdout), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, err
	}
	if err := unix.Dup3(unix.Stderr, unix.Stdout, 0); err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(private), "protocol"), nil
}

// readJob reads the first line. Its version counts before all else.
func readJob(stdin *bufio.Reader) (*Job, error) {
	line, err := readLine(stdin)
	if err != nil {
		return nil, fmt.Errorf("reading the job from stdin: %w", err)
	}
	var head struct {
		Protocol int `json:"protocol"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return nil, fmt.Errorf("the job on stdin: %w", err)
	}
	if head.Protocol < 1 || head.Protocol > Version {
		return nil, fmt.Errorf("the job speaks protocol %d, this worker speaks 1 to %d", head.Protocol, Version)
	}
	job := new(Job)
	if err := json.Unmarshal(line, job); err != nil {
		return nil, fmt.Errorf("the job on stdin: %w", err)
	}
	if job.Folder == "" {
		return nil, errors.New("the job on stdin: expected a folder")
	}
	return job, nil
}

func readLine(stdin *bufio.Reader) ([]byte, error) {
	var line []byte
	for len(line) < LongestLine {
		piece, err := stdin.ReadSlice('\n')
		line = append(line, piece...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			if errors.Is(err, io.EOF) && len(line) > 0 {
				err = nil
			}
			return line, err
		}
	}
	return nil, fmt.Errorf("a line is longer than %d bytes", LongestLine)
}

// checkFresh sees to it that a run has its folder to itself.
func checkFresh(folder string) error {
	found, err := os.Lstat(folder)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if found.IsDir() {
		if entries, err := os.ReadDir(folder); err == nil && len(entries) == 0 {
			return nil
		}
	}
	return fmt.Errorf("%s is there already: expected a folder of the run's own, empty or not made yet; it is left as it is", folder)
}

func refuse(err error) int {
	fmt.Fprintf(os.Stderr, "error: %v\n", err)
	return 2
}
