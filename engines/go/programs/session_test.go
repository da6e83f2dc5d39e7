package programs

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// drivers are the programs under test.
var drivers = []string{"mattn", "modernc", "glebarez", "ncruces", "zombiezen", "crawshaw", "eaton", "bvinc"}

// sorts has one driver for each way of calling drivers.
var sorts = []string{"mattn", "zombiezen", "bvinc"}

// built is the folder of the built programs.
var built string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		folder, err := os.MkdirTemp("", "dbdyno-go-engines")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(folder)
		arguments := []string{"build", "-o", folder}
		for _, driver := range drivers {
			arguments = append(arguments, "../cmd/dbdyno-engine-go-"+driver)
		}
		if said, err := exec.Command("go", arguments...).CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "%v: %s\n", err, said)
			return 1
		}
		built = folder
		return m.Run()
	}())
}

type object = map[string]any

func program(driver string) string { return filepath.Join(built, "dbdyno-engine-go-"+driver) }

// descriptions caches the descriptions of the programs.
var descriptions sync.Map

func described(t *testing.T, driver string) object {
	t.Helper()
	if known, found := descriptions.Load(driver); found {
		return known.(object)
	}
	said, err := exec.Command(program(driver), "describe").Output()
	if err != nil {
		t.Fatal(err)
	}
	var description object
	if err := json.Unmarshal(said, &description); err != nil {
		t.Fatal(err)
	}
	descriptions.Store(driver, description)
	return description
}

// newJob returns a job for a driver with its default options, except that nothing waits for the disk.
func newJob(t *testing.T, driver string, suite object, options map[string]string) object {
	t.Helper()
	all := map[string]string{}
	for _, option := range described(t, driver)["options"].([]any) {
		all[option.(object)["name"].(string)] = option.(object)["default"].(string)
	}
	delete(all, "memory")
	all["synchronous"] = "off"
	maps.Copy(all, options)
	return object{
		"protocol": 2, "run_id": "a run", "engine": "go-" + driver, "options": all, "suite": suite, "size": "1", "seed": 1,
		"folder": filepath.Join(t.TempDir(), "databases"), "cpu": nil, "progress_ms": 50, "deadline_ms": 100_000,
		"wait": false, "keep_folder": false,
	}
}

// stored returns a job from testdata.
func stored(t *testing.T, driver, name string, options map[string]string) object {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var kept object
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&kept); err != nil {
		t.Fatal(err)
	}
	job := newJob(t, driver, kept["suite"].(object), options)
	job["seed"] = kept["seed"]
	return job
}

// session is a running program.
type session struct {
	t       *testing.T
	command *exec.Cmd
	stdin   io.WriteCloser
	events  *bufio.Scanner
	log     *bytes.Buffer
}

func begin(t *testing.T, driver, command string, job object) *session {
	t.Helper()
	session := &session{t: t, command: exec.Command(program(driver), command), log: new(bytes.Buffer)}
	session.command.Stderr = session.log
	stdin, err := session.command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := session.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := session.command.Start(); err != nil {
		t.Fatal(err)
	}
	session.stdin, session.events = stdin, bufio.NewScanner(stdout)
	session.events.Buffer(nil, 4<<20)
	line, err := json.Marshal(job)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stdin.Write(append(line, '\n')); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = session.command.Process.Kill()
		_ = session.command.Wait()
	})
	return session
}

// next returns the next event, or nil if there is none.
func (session *session) next() object {
	session.t.Helper()
	if !session.events.Scan() {
		return nil
	}
	var event object
	decoder := json.NewDecoder(bytes.NewReader(session.events.Bytes()))
	decoder.UseNumber()
	if err := decoder.Decode(&event); err != nil {
		session.t.Fatalf("%v: %s", err, session.events.Bytes())
	}
	return event
}

// until returns the next event with a name.
func (session *session) until(name string) object {
	session.t.Helper()
	for event := session.next(); event != nil; event = session.next() {
		if event["event"] == name {
			return event
		}
		if event["event"] == "failed" {
			session.t.Fatalf("%v", event)
		}
	}
	session.t.Fatalf("expected `%s`: %s", name, session.log)
	return nil
}

// end waits until the program has ended and returns its exit code.
func (session *session) end() int {
	for session.events.Scan() {
	}
	_ = session.command.Wait()
	return session.command.ProcessState.ExitCode()
}

// finished runs a job to completion and returns the results by the numbers of their tests.
func finished(t *testing.T, driver string, job object) (opened object, results map[string]object) {
	t.Helper()
	session := begin(t, driver, "run", job)
	opened = session.until("opened")
	results = map[string]object{}
	for event := session.next(); event != nil; event = session.next() {
		switch event["event"] {
		case "test_done":
			results[event["test"].(json.Number).String()] = event
		case "failed":
			t.Fatalf("%s: %v", driver, event)
		}
	}
	if code := session.end(); code != 0 {
		t.Fatalf("%s: exit code %d: %s", driver, code, session.log)
	}
	return opened, results
}

// failed runs a job that fails and returns the message.
func failed(t *testing.T, driver string, job object) string {
	t.Helper()
	session := begin(t, driver, "run", job)
	for event := session.next(); event != nil; event = session.next() {
		if event["event"] == "failed" {
			if code := session.end(); code != 1 {
				t.Errorf("exit code %d, expected 1", code)
			}
			return event["message"].(string)
		}
	}
	t.Fatalf("the job did not fail: %s", session.log)
	return ""
}
