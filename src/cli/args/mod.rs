//! Arguments that several commands have.

mod format;
mod lists;
mod measure;
mod places;
mod runs;
mod sheet;
mod terminal;
mod values;

pub(super) use dbdyno_foundation::base::typed::{duration, memory};
pub(super) use format::{
    CsvArgs, OutputFormat, StyleArgs, chosen_format, format_of, format_or_tracker, metric, one_of,
};
pub(super) use lists::{EngineList, SizeList};
pub(super) use measure::{MeasureArgs, ProgressArgs};
pub(super) use places::{OutArgs, Places, WorkArgs, notices};
pub(super) use runs::{AffectedRuns, SelectionTerms, say_unmatched};
pub(super) use sheet::{ReportArgs, ReportTarget, SheetArgs};
pub(super) use terminal::TerminalArgs;
pub(super) use values::{filled, machine_name, owner_option, percent, whole};
