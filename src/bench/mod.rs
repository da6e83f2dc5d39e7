//! A bench before it is run: what is asked for ([`Spec`]), and the ordered list of runs that follows from it ([`Plan`]).

mod plan;
mod spec;

pub use plan::{
    Configuration, DifferingVersion, Estimate, History, LeftOut, Plan, PlanError, PlannedRun, Space, StoredPlan,
    check_space, combinations, estimate,
};
pub use spec::{EngineChoice, Preset, Spec, SpecError, Values};
