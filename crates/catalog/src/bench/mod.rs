//! A bench before it runs: the request ([`Spec`]), and the ordered list of runs that follows from it ([`BenchPlan`]).

mod closing;
mod conditions;
mod plan;
mod spec;
mod suited;

pub use closing::ClosingComparison;
pub use conditions::{Conditions, DEFAULT_MEMORY_LIMIT, DataRatio, MOST_IN_TURNS, MemoryLimit, Slicing};
pub use plan::{
    BenchEstimate, BenchPlan, Configuration, DifferingVersion, LaterRounds, LeftOut, Missing, PlanError, PlannedRun,
    RunTimeHistory, Space, StoredPlan, check_space, combinations, estimate, refusal, round_order,
};
pub use spec::{EngineChoice, Preset, ReadyMade, Sequence, Spec, SpecError, Values};
pub use suited::{suited, suited_registry};
