//! Arguments that several commands have.

mod format;
mod measure;
mod places;
mod runs;
mod sheet;
mod values;

pub(super) use dbdyno_foundation::base::typed::{duration, memory};
pub(super) use format::{CsvArgs, OutputFormat, format_of, format_or_tracker, metric, one_of};
pub(super) use measure::{MeasureArgs, ProgressArgs};
pub(super) use places::{OutArgs, Places, WorkArgs, notices};
pub(super) use runs::{AffectedRuns, Terms, say_unmatched};
pub(super) use sheet::SheetArgs;
pub(super) use values::{filled, machine_name, owner_option, percent};
