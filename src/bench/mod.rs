//! A bench before it is run: what is asked for ([`Spec`]), and the ordered list of runs that follows from it ([`BenchPlan`]).

mod plan;
mod spec;

pub use plan::{
    BenchPlan, Configuration, DifferingVersion, Estimate, History, LeftOut, PlanError, PlannedRun, Space, StoredPlan,
    check_space, combinations, estimate,
};
pub use spec::{EngineChoice, Preset, Spec, SpecError, Values};
