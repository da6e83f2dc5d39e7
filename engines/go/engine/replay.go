package engine

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// replay is a recording that is replayed. All of its lanes share it.
type replay struct {
	spec *protocol.Replay
	// folder has the files of the lanes.
	folder     string
	statements []replayStatement
	gate       *gate
	// speed is in percent of the recorded speed; 0 means as fast as possible.
	speed uint64
}

// newReplay reads the statements of a recording.
func newReplay(spec *protocol.Replay, folder *string) (*replay, error) {
	if folder == nil {
		return nil, errors.New("the suite has no folder with the files of its recording")
	}
	speed, settled := spec.Speed.Count()
	if !settled {
		return nil, errors.New("the speed of a replay is not a number")
	}
	if spec.Lanes < 1 {
		return nil, fmt.Errorf("a replay has %d lanes: expected at least one", spec.Lanes)
	}
	gate, err := newGate(spec.Order, spec.Lanes)
	if err != nil {
		return nil, err
	}
	statements, err := readStatements(*folder, len(spec.Statements))
	return &replay{spec: spec, folder: *folder, statements: statements, gate: gate, speed: speed}, err
}

// names returns the names of the statements, as results are added up under them.
func (replay *replay) names() []name {
	names := make([]name, 0, len(replay.spec.Statements))
	for _, statement := range replay.spec.Statements {
		names = append(names, name{text: statement.Name, answers: statement.IsVerified})
	}
	return names
}

// measureReplay measures a recorded application. Each of its lanes is a thread of one actor.
func (test *sqlTest) measureReplay(prepare []protocol.Step) (*protocol.TestDone, error) {
	spec := test.test.Replay
	replay, err := newReplay(spec, test.suite.Recording)
	if err != nil {
		return nil, err
	}
	connections := &group{actor: &protocol.SQLActor{Name: "connections", Threads: spec.Lanes}}
	groups := []*group{connections}
	done, err := test.measureGroups(prepare, groups, &spec.Transactions, func([]*group) {
		for range spec.Lanes {
			replay.addLane(test.run, connections, test.test.HasWritingThreads())
		}
	})
	if err != nil {
		return nil, err
	}
	fillActors(done, groups)
	return done, test.fillReplay(done, replay, connections)
}

// fillReplay fills in the results of the statements, what the tables hold, and the verification value.
func (test *sqlTest) fillReplay(done *protocol.TestDone, replay *replay, connections *group) error {
	all := newTallies(replay.names())
	for _, lane := range connections.tallies() {
		for at := range all.each {
			all.each[at].merge(&lane.each[at])
		}
	}
	done.Statements = all.done(test.run.answers())
	if !test.run.answers() {
		return nil
	}
	for at := range done.Statements {
		done.Statements[at].Plan = replay.plan(test.conn, at)
	}
	contents, err := tableContents(test.conn)
	if err != nil {
		return err
	}
	verification := replay.verification(done.Statements, contents)
	done.Verification = &verification
	if replay.gate.order != concurrentOrder {
		done.Contents = contents
	}
	return nil
}

// verification returns the verification value: that of all answers and tables that are the same each time.
func (replay *replay) verification(statements []protocol.StatementDone, contents []protocol.TableContent) string {
	var digest workload.Digest
	for _, statement := range statements {
		if statement.Verification != nil {
			digest.Text(*statement.Verification)
		}
	}
	for _, content := range contents {
		if !slices.Contains(replay.spec.UnequalTables, content.Table) {
			digest.Text(content.Table)
			digest.Text(content.Checksum)
		}
	}
	return digest.String()
}
