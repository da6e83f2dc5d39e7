//! The functions with the most CPU time of their own, as a table.

use super::{SampledTime, Stacks, names::short};
use crate::sheet::{Cell, Column, ColumnRole, Row, Sense, Table};
use dbdyno_foundation::base::units::duration;
use std::collections::{BTreeMap, BTreeSet};

/// The fewest characters of a function's and of a side's name that text shows.
const LEAST: usize = 16;
const SIDE_LEAST: usize = 10;

/// The own time of a function on both sides.
pub(super) struct FunctionTimes<'s> {
    pub(super) name: &'s str,
    pub(super) a: SampledTime,
    pub(super) b: SampledTime,
}

impl FunctionTimes<'_> {
    /// Returns how much more time the function has on side B than on side A, ns.
    pub(super) fn more_ns(&self) -> f64 {
        self.b.ns() - self.a.ns()
    }

    pub(super) fn differs(&self) -> bool {
        self.a.differs_from(self.b)
    }
}

/// Returns the functions of both sides: first those that differ by more than noise, the largest difference first, then the others, the
/// longest time first.
pub(super) fn of_both<'s>(a: &'s Stacks, b: &'s Stacks) -> Vec<FunctionTimes<'s>> {
    let (of_a, of_b) = (a.of_functions_alone(), b.of_functions_alone());
    let names: BTreeSet<&str> = of_a.keys().chain(of_b.keys()).copied().collect();
    let time = |side: &Stacks, samples: &BTreeMap<&str, u64>, name| side.time(samples.get(name).copied().unwrap_or(0));
    let times = |name| FunctionTimes { name, a: time(a, &of_a, name), b: time(b, &of_b, name) };
    let mut functions: Vec<FunctionTimes<'_>> = names.into_iter().map(times).collect();
    let order = |function: &FunctionTimes<'_>| match function.differs() {
        true => (true, function.more_ns().abs()),
        false => (false, function.a.ns().max(function.b.ns())),
    };
    functions.sort_by(|one, next| {
        let ((one_differs, one), (next_differs, next)) = (order(one), order(next));
        next_differs.cmp(&one_differs).then(next.total_cmp(&one))
    });
    functions
}

/// Whether a function's own time differs by more than noise.
pub fn any_differs(a: &Stacks, b: &Stacks) -> bool {
    of_both(a, b).iter().any(FunctionTimes::differs)
}

/// Returns the functions of one side with their own times, the longest first.
pub(super) fn of_one(side: &Stacks) -> Vec<(&str, SampledTime)> {
    let functions = side.of_functions_alone().into_iter().map(|(name, samples)| (name, side.time(samples)));
    let mut functions: Vec<(&str, SampledTime)> = functions.collect();
    functions.sort_by_key(|(_, time)| std::cmp::Reverse(time.samples));
    functions
}

/// Builds a table of at most `most` functions: of one side those with the longest time of their own, of two sides those whose times differ
/// most. The change is from A to B.
///
/// Programs read whole names, times in ns, and the share of the side's time from 0 to 1.
pub fn heaviest(a: &Stacks, b: Option<&Stacks>, most: usize) -> Table {
    let name_column = Column::new("function", "function", ColumnRole::Name).at_least(LEAST);
    let (columns, rows) = match b {
        None => {
            let functions: Vec<(&str, SampledTime)> = of_one(a).into_iter().take(most).collect();
            let names = shown(functions.iter().map(|(name, _)| *name));
            let total_ns = a.total().ns();
            let row = |((_, time), name): (&(&str, SampledTime), Cell)| {
                let share = time.ns() / total_ns;
                Row::Cells(vec![name, cell(*time), Cell::figure(percent(share), Some(share))])
            };
            let rows = functions.iter().zip(names).map(row).collect();
            let figures = [("ns", "CPU time", ColumnRole::Figure), ("share", "share", ColumnRole::Figure)];
            ([vec![name_column], Column::all(figures)].concat(), rows)
        }
        Some(b) => {
            let functions: Vec<FunctionTimes<'_>> = of_both(a, b).into_iter().take(most).collect();
            let names = shown(functions.iter().map(|function| function.name));
            let row = |(function, name): (&FunctionTimes<'_>, Cell)| {
                Row::Cells(vec![name, cell(function.a), cell(function.b), change(function)])
            };
            let rows = functions.iter().zip(names).map(row).collect();
            let side = |name, side: &Stacks| Column::new(name, &side.name, ColumnRole::Figure).at_least(SIDE_LEAST);
            let change = Column::new("change_ns", "change", ColumnRole::Figure);
            (vec![name_column, side("a_ns", a), side("b_ns", b), change], rows)
        }
    };
    Table { columns, rows, is_headed: true, ..Table::default() }
}

/// Returns short names, and whole ones where a short one would mean two functions.
fn shown<'n>(names: impl Iterator<Item = &'n str> + Clone) -> Vec<Cell> {
    let mut uses: BTreeMap<String, usize> = BTreeMap::new();
    for name in names.clone() {
        *uses.entry(short(name)).or_default() += 1;
    }
    let cell = |name: &str| {
        let text = Some(short(name)).filter(|short| uses.get(short) == Some(&1));
        Cell { value: Some(name.to_owned()), ..Cell::new(text.unwrap_or_else(|| name.to_owned())) }
    };
    names.map(cell).collect()
}

fn cell(time: SampledTime) -> Cell {
    let text = if time.samples == 0 { "-".to_owned() } else { duration(time.ns()) };
    Cell::figure(text, Some(time.ns()))
}

fn change(function: &FunctionTimes<'_>) -> Cell {
    let more_ns = function.more_ns();
    if !function.differs() {
        return Cell::figure("same", Some(more_ns)).sensed(Sense::Same);
    }
    let sign = if more_ns > 0.0 { '+' } else { '-' };
    Cell::figure(format!("{sign}{}", duration(more_ns.abs())), Some(more_ns))
}

/// Formats a share: `41 %`, `2.5 %`.
pub(super) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent < 9.95 { format!("{percent:.1} %") } else { format!("{percent:.0} %") }
}
