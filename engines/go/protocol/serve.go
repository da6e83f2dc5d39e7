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

// Program is an engine's program, as functions.
type Program struct {
	// Description has everything except what only the library knows.
	Description Description
	// Examine opens the library and adds what it reports. If it is nil, the description is complete. A run does not
	// need it.
	Examine func(*Description) error
	// Run runs every test of a job.
	Run func(*Worker, *Job) error
	// Commits commits one write after another until the process is killed. Recover counts the commits. Both may be
	// nil.
	Commits, Recover func(*Worker, *Job) error
	// Probe describes the files that options name. It is nil if there are no such options.
	Probe func(options map[string]string) (*Probed, error)
}

// Failure is an error with the test in which it occurred and the state of the database.
type Failure struct {
	// Test is the number of the test; 0 means that the error occurred outside of a test.
	Test uint64
	// Broken reports whether the database can no longer be used.
	Broken bool
	Err    error
}

func (failure *Failure) Error() string { return failure.Err.Error() }

// Unwrap returns the underlying error.
func (failure *Failure) Unwrap() error { return failure.Err }

// Main is the main function of an engine's program. The measuring thread is the thread that calls it. Call it in
// main, so that it has the first thread of the process to itself.
func Main(program Program) {
	runtime.LockOSThread()
	os.Exit(serve(program, os.Args[1:]))
}

// serve runs a command and returns the exit code: 0 if it is done, 1 if the run failed and an event reported it, 2
// if there is no job.
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
		// The kill test continues in the folder of a previous worker.
		notFresh = nil
	}
	code := 0
	if err := perform(program, work, worker, job, notFresh); err != nil {
		worker.fail(err)
		code = 1
	}
	// Either this return ends the process, or a goroutine that is already ending it does.
	worker.ending.Lock()
	return code
}

// Do runs a job in this process and passes each event to tell, without progress reports. It is for tests of an
// engine.
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

// answer prints the single JSON object that a command returns.
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

// pin pins the calling thread to one CPU. Threads that Go starts for itself are not started by a thread that is
// locked to a goroutine, and so are not pinned.
func pin(cpu int) error {
	var set unix.CPUSet
	set.Set(cpu)
	if !set.IsSet(cpu) {
		return errors.New("there is no such CPU")
	}
	return unix.SchedSetaffinity(0, &set)
}

// privateStdout moves the protocol to a copy of stdout and redirects stdout to the log, because libraries print.
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

// readJob reads the job from the first line of stdin. It checks the protocol version before anything else.
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

// checkFresh returns an error unless a run has its folder to itself.
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
	return fmt.Errorf("%s already exists: expected an empty or missing folder for this run alone; nothing was changed", folder)
}

func refuse(err error) int {
	fmt.Fprintf(os.Stderr, "error: %v\n", err)
	return 2
}
