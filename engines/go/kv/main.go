package kv

import (
	"errors"
	"fmt"

	"github.com/dbdyno/dbdyno/engines/go/harness"
	"github.com/dbdyno/dbdyno/engines/go/protocol"
)

// Engine is a store with its description.
type Engine struct {
	// Description describes the engine. Protocol, Suites, Replays, Kv and Harness are filled in by this package.
	Description protocol.Description
	Store
}

// Main is the main function of an engine's program. The program's file must be called dbdyno-engine-NAME.
func Main(engine Engine) { protocol.Main(engine.program()) }

// Do runs a job in this process and passes each event to tell. It is for tests of an engine, where Main would take
// over the whole process.
func Do(engine Engine, job *protocol.Job, tell func(event any)) error {
	return protocol.Do(engine.program(), job, tell)
}

// Describe returns the complete description.
func (engine *Engine) Describe() protocol.Description {
	description := engine.Description
	description.Protocol, description.Suites = protocol.Version, []string{"kv"}
	description.Replays, description.Kv, description.Harness = description.Suites, Ability(), Harness
	return description
}

func (engine Engine) program() protocol.Program {
	description := engine.Describe()
	run := func(worker *protocol.Worker, job *protocol.Job) (*harness.Run, Store, error) {
		store := engine.store(job)
		if job.Suite.Kv == nil {
			return nil, store, fmt.Errorf("engine `%s` runs only suites of kind kv", description.Name)
		}
		if store.Open == nil {
			return nil, store, errors.New("this engine has no function that opens a database")
		}
		return harness.New(worker, job, store.MainFile), store, nil
	}
	does := func(work func(*harness.Run, Store) error) func(*protocol.Worker, *protocol.Job) error {
		return func(worker *protocol.Worker, job *protocol.Job) error {
			run, store, err := run(worker, job)
			if err != nil {
				return err
			}
			return work(run, store)
		}
	}
	return protocol.Program{Description: description, Run: does(Run), Commits: does(Commits), Recover: does(Recover)}
}

// store returns the store for a job. Under the name of the harness, it is a store that does nothing.
func (engine *Engine) store(job *protocol.Job) Store {
	if job.Engine == Harness {
		return nothing()
	}
	store := engine.Store
	store.described = &engine.Description
	return store
}
