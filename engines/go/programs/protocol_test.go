package programs

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestDescriptionsNameLicenceAndLanguages(t *testing.T) {
	for _, driver := range drivers {
		description := described(t, driver)
		licence, _ := description["licence"].(string)
		if !strings.HasPrefix(licence, "blessing AND ") {
			t.Errorf("%s: licence `%s`, expected SQLite's and the driver's", driver, licence)
		}
		if languages := fmt.Sprint(description["languages"]); languages != "[go]" {
			t.Errorf("%s: languages %s, expected [go]", driver, languages)
		}
	}
}

func TestEventsComeInTheirOrderAndWaitForLines(t *testing.T) {
	job := stored(t, "mattn", "kv", nil)
	job["wait"] = true
	session := begin(t, "mattn", "run", job)
	session.until("opened")
	for range job["suite"].(object)["tests"].([]any) {
		fmt.Fprintln(session.stdin)
		started := session.until("test_started")
		done := session.until("test_done")
		if started["test"] != done["test"] {
			t.Errorf("%v was begun, %v ended", started["test"], done["test"])
		}
		for _, counter := range []string{"user_ns", "system_ns", "read_bytes", "written_bytes", "minor_faults", "settle_ns", "peak_rss_bytes", "database_bytes"} {
			if _, told := done[counter]; !told {
				t.Errorf("%s is not told", counter)
			}
		}
		if _, told := done["syncs"]; told {
			t.Error("sync calls cannot be known, and are told")
		}
	}
	fmt.Fprintln(session.stdin)
	session.until("done")
	if code := session.end(); code != 0 {
		t.Errorf("exit code %d: %s", code, session.log)
	}
}

// endless returns a suite that takes a long time.
func endless(t *testing.T) object {
	return sqlSuite(t, sqlTest("1", "main", filled, `{"repeat": 1000000000, "as": "i", "from": 0, "steps": [{"write": "INSERT INTO articles(userId, text) VALUES (0, ?1)", "bind": [{"words": "i"}]}]}`, ""))
}

func TestProgressIsToldWhileATestIsUnderWay(t *testing.T) {
	session := begin(t, "zombiezen", "run", newJob(t, "zombiezen", endless(t), nil))
	last := int64(0)
	for range 3 {
		progress := session.until("progress")
		operations, err := progress["operations"].(json.Number).Int64()
		if err != nil || operations < last || progress["histogram"] == nil {
			t.Errorf("%v after %d operations", progress, last)
		}
		last = operations
	}
}

// isGone waits until a folder no longer exists. It returns false if that takes too long.
func isGone(folder string) bool {
	for range 500 {
		if _, err := os.Stat(folder); errors.Is(err, os.ErrNotExist) {
			return true
		}
		time.Sleep(10 * time.Millisecond)
	}
	return false
}

func TestAProgramThatIsToldToStopLeavesNothing(t *testing.T) {
	stops := map[string]func(*session){
		"the end of stdin": func(session *session) { session.stdin.Close() },
		"SIGTERM":          func(session *session) { _ = session.command.Process.Signal(syscall.SIGTERM) },
		"SIGINT":           func(session *session) { _ = session.command.Process.Signal(syscall.SIGINT) },
		"SIGHUP":           func(session *session) { _ = session.command.Process.Signal(syscall.SIGHUP) },
	}
	for name, stop := range stops {
		for _, driver := range sorts {
			job := newJob(t, driver, endless(t), nil)
			session := begin(t, driver, "run", job)
			session.until("progress")
			stop(session)
			if code := session.end(); code != 1 {
				t.Errorf("%s after %s: exit code %d, expected 1", driver, name, code)
			}
			if !isGone(job["folder"].(string)) {
				t.Errorf("%s after %s: the folder is still there", driver, name)
			}
		}
	}
}

func TestAKeptFolderStays(t *testing.T) {
	job := newJob(t, "mattn", endless(t), nil)
	job["keep_folder"] = true
	session := begin(t, "mattn", "run", job)
	session.until("progress")
	session.stdin.Close()
	session.end()
	if _, err := os.Stat(filepath.Join(job["folder"].(string), "main", "sqlite.db")); err != nil {
		t.Error(err)
	}
}

func TestADeadlineEndsTheRun(t *testing.T) {
	job := newJob(t, "mattn", endless(t), nil)
	job["deadline_ms"] = 300
	if message := failed(t, "mattn", job); !strings.Contains(message, "deadline") {
		t.Error(message)
	}
	if !isGone(job["folder"].(string)) {
		t.Error("the folder is still there")
	}
}

func TestAJobThatCannotBeDoneIsRefusedWithTheReason(t *testing.T) {
	for expected, change := range map[string]func(object){
		"option `journal_mode` of engine `go-mattn` cannot be `paper`": func(job object) { job["options"].(map[string]string)["journal_mode"] = "paper" },
		"engine `go-mattn` has no option `colour`":                     func(job object) { job["options"].(map[string]string)["colour"] = "red" },
		"the job has no option `synchronous`":                          func(job object) { delete(job["options"].(map[string]string), "synchronous") },
		"the job is for engine `other`":                                func(job object) { job["engine"] = "other" },
		"pinning to CPU 9999":                                          func(job object) { job["cpu"] = 9999 },
		"cache `tepid`":                                                func(job object) { job["cache"] = "tepid" },
		"keys `spiral` of a test: this engine has ascending":           func(job object) { kvTest(job)["keys"] = "spiral" },
		"operation `fold` of a test: this engine has get":              func(job object) { kvTest(job)["work"] = []object{{"weight": 1, "op": "fold"}} },
		"a snapshot where none can be held":                            func(job object) { kvTest(job)["work"] = []object{{"weight": 1, "op": "hold"}} },
		"transaction `sometimes` of a test":                            func(job object) { kvTest(job)["transaction"] = "sometimes" },
	} {
		job := stored(t, "mattn", "kv", nil)
		change(job)
		if message := failed(t, "mattn", job); !strings.Contains(message, expected) {
			t.Errorf("`%s`: expected `%s`", message, expected)
		}
	}
}

func kvTest(job object) object { return job["suite"].(object)["tests"].([]any)[0].(object) }

func TestAJobOfAnotherProtocolIsNoJob(t *testing.T) {
	job := newJob(t, "mattn", endless(t), nil)
	job["protocol"] = 3
	session := begin(t, "mattn", "run", job)
	if code := session.end(); code != 2 || !strings.Contains(session.log.String(), "protocol 3, this worker speaks 1 to 2") {
		t.Errorf("exit code %d: %s", code, session.log)
	}
}

func TestAFolderThatIsThereIsLeftAsItIs(t *testing.T) {
	job := newJob(t, "mattn", endless(t), nil)
	file := filepath.Join(job["folder"].(string), "letter")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("dear"), 0o600); err != nil {
		t.Fatal(err)
	}
	if message := failed(t, "mattn", job); !strings.Contains(message, "already exists") {
		t.Error(message)
	}
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
}

func TestColdTestsSayWhatStayedInMemory(t *testing.T) {
	job := stored(t, "mattn", "lumosql", nil)
	job["cache"] = "cold"
	tests := job["suite"].(object)["tests"].([]any)
	job["suite"].(object)["tests"] = tests[:5]
	_, results := finished(t, "mattn", job)
	for test, result := range results {
		for _, name := range []string{"resident_bytes", "start_bytes", "open_ns", "open_read_bytes", "opened_resident_bytes"} {
			if result[name] == nil {
				t.Errorf("test %s has no %s: %v", test, name, result)
			}
		}
		if answer := models(t, "lumosql").Answers[test]; result["verification"] != answer[1] {
			t.Errorf("test %s: %v, expected %v", test, result["verification"], answer[1])
		}
	}
}

func TestAcknowledgedCommitsSurviveAKill(t *testing.T) {
	for _, driver := range sorts {
		job := stored(t, driver, "kv", map[string]string{"journal_mode": "wal"})
		session := begin(t, driver, "commits", job)
		acknowledged := int64(0)
		for acknowledged < 100 {
			acknowledged, _ = session.until("committed")["commits"].(json.Number).Int64()
		}
		_ = session.command.Process.Kill()
		for session.events.Scan() {
			var event struct{ Commits int64 }
			if json.Unmarshal(session.events.Bytes(), &event) == nil {
				acknowledged = event.Commits
			}
		}
		recovering := begin(t, driver, "recover", job)
		found, _ := recovering.until("recovered")["commits"].(json.Number).Int64()
		if found < acknowledged || found > acknowledged+1 {
			t.Errorf("%s: %d commits, of which %d were acknowledged", driver, found, acknowledged)
		}
	}
}

// A power loss may leave a folder whose database has no schema yet. Then there are no commits, and nothing is
// damaged.
func TestADatabaseWithoutItsSchemaHoldsNoCommit(t *testing.T) {
	for _, driver := range sorts {
		job := stored(t, driver, "kv", map[string]string{})
		if err := os.MkdirAll(filepath.Join(job["folder"].(string), "main"), 0o777); err != nil {
			t.Fatal(err)
		}
		recovering := begin(t, driver, "recover", job)
		if found, _ := recovering.until("recovered")["commits"].(json.Number).Int64(); found != 0 {
			t.Errorf("%s: %d commits in a database that was just made", driver, found)
		}
	}
}

func TestStrangeArgumentsAreErrors(t *testing.T) {
	for _, arguments := range [][]string{{}, {"dance"}, {"probe"}} {
		command := exec.Command(program("mattn"), arguments...)
		if command.Run() == nil || command.ProcessState.ExitCode() != 2 {
			t.Errorf("%v: exit code %d, expected 2", arguments, command.ProcessState.ExitCode())
		}
	}
}
