package engine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dbdyno/dbdyno/engines/go/driver"
	"github.com/dbdyno/dbdyno/engines/go/kv"
	"github.com/dbdyno/dbdyno/engines/go/protocol"
)

// describe returns the description without what only the library knows.
func describe(of Driver) protocol.Description {
	many := protocol.Threads{Writers: "many", ReadersBesideWriter: true}
	suites, threads := []string{"kv", "sql"}, map[string]protocol.Threads{"kv": many, "sql": many}
	if of.Elsewhere {
		suites = suites[1:]
		delete(threads, "kv")
	}
	return protocol.Description{
		Name:        of.Name,
		About:       fmt.Sprintf("SQLite in Go: %s (%s)", of.Module, of.How),
		Licence:     of.Licence,
		Languages:   []string{"go"},
		Suites:      suites,
		Options:     options(of),
		Tiers:       tiers(),
		Threads:     threads,
		Replays:     suites,
		Harness:     nullName,
		Kv:          kv.Ability(),
		SQLiteFiles: true,
		// Compaction is VACUUM.
		Compacts: !of.Elsewhere,
	}
}

// examine adds what the library reports about itself, and what follows from it for the options.
func examine(of Driver, description *protocol.Description) error {
	if of.BeforeExamining != nil {
		of.BeforeExamining()
	}
	conn, err := of.Open(driver.InMemory)
	if err != nil {
		return err
	}
	found, err := libraryOf(conn)
	if closing := conn.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return err
	}
	description.Version, description.Build, description.Source = found.version, found.build, found.source
	description.Options = slices.Clone(description.Options)
	for at := range description.Options {
		addCompiled(&description.Options[at], found.build)
	}
	return nil
}

// addCompiled adds what the compile options determine about an option.
func addCompiled(option *protocol.Option, build []string) {
	switch option.Name {
	case "mmap_size":
		if most, found := compiled(build, "MAX_MMAP_SIZE"); found {
			option.Tuning.Most = &most
		}
	case "temp_store":
		switch store, found := compiled(build, "TEMP_STORE"); {
		case !found:
		case store == 1:
			option.Tuning.Same = same("this build's default is a file", nil, "default", "file")
		case store == 2:
			option.Tuning.Same = same("this build's default is memory", nil, "default", "memory")
		default:
			option.Tuning.Same = same("this build fixes the choice", nil)
		}
	}
}

// compiled returns the number in a compile option, as in MAX_MMAP_SIZE=0x7fff0000.
func compiled(build []string, name string) (uint64, bool) {
	for _, line := range build {
		if text, found := strings.CutPrefix(line, name+"="); found {
			number, err := strconv.ParseUint(text, 0, 64)
			return number, err == nil
		}
	}
	return 0, false
}

// same returns a rule under which values of an option cannot differ. Without values, no values of the option can
// differ.
func same(reason string, when map[string][]string, values ...string) []protocol.Same {
	if when == nil {
		when = map[string][]string{}
	}
	return []protocol.Same{{Values: append([]string{}, values...), When: when, Reason: reason}}
}

// tiers returns what a commit survives. These are SQLite's tiers, whichever driver calls it.
func tiers() []protocol.Tier {
	when := func(pairs ...string) map[string][]string {
		conditions := map[string][]string{}
		for at := 0; at < len(pairs); at += 2 {
			conditions[pairs[at]] = []string{pairs[at+1]}
		}
		return conditions
	}
	return []protocol.Tier{
		{When: when("journal_mode", "off"), Tier: 0, Reason: "without a journal a crash in the middle of a commit leaves half of it"},
		{When: when("journal_mode", "memory"), Tier: 0, Reason: "a journal in memory is gone after a crash, and half a commit stays"},
		{When: when("synchronous", "off"), Tier: 1, Reason: "nothing waits for the disk: commits survive a crash of the program, a power loss may corrupt the file"},
		{When: when("journal_mode", "wal", "synchronous", "normal"), Tier: 2, Reason: "the log is synced at checkpoints only: a power loss may lose the latest commits, never consistency"},
		{When: when("synchronous", "normal"), Tier: 2, Reason: "synced at most critical moments: a power loss may lose the latest commit, and SQLite's documentation mentions a " +
			"very small chance of corruption on old file systems"},
		{When: when("journal_mode", "delete", "synchronous", "full", "locking_mode", "normal"), Tier: 2, Reason: "the journal is unlinked and its folder never synced: after a power loss it may reappear and undo the latest " +
			"commit; synchronous=extra syncs the folder"},
		{When: when(), Tier: 3, Reason: "every commit waits until the disk has it"},
	}
}
