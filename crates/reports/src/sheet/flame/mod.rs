//! Sampled call stacks as a flame graph: each function is a frame as wide as its CPU time, and the functions that it calls are below it.

mod drawing;
mod heaviest;
mod names;
mod stacks;
#[cfg(test)]
mod tests;

pub(super) use drawing::{FlameDrawing, PageFlame, drawing, legend, page};
pub use heaviest::{any_differs, heaviest};
pub use stacks::{SampledTime, Stacks};

use dbdyno_foundation::base::units::{counted, duration};
use heaviest::{FunctionTimes, of_both, of_one, percent};
use names::short;
use std::collections::{BTreeMap, BTreeSet};

/// The most levels of frames below the functions that all stacks begin with.
const DEEPEST: usize = 60;
/// The most functions that a description names, and that the line about the other side names.
const DESCRIBED: usize = 3;
const ONLY_OTHER: usize = 6;

/// Sampled call stacks of a side, compared with another side if there is one.
#[derive(Debug, Clone, PartialEq)]
pub struct Flame {
    pub name: String,
    /// A description in words, for readers who cannot see it.
    pub about: String,
    /// The name of the other side; none: there is only one.
    pub other: Option<String>,
    /// The functions that every stack begins with, from the outermost. They are in the first row, next to the side's name.
    pub common: Vec<String>,
    /// All stacks. It has the name of the side.
    pub root: FlameFrame,
    /// The lines below the drawing.
    pub notes: Vec<String>,
}

/// A function, called from the functions above it.
#[derive(Debug, Clone, PartialEq)]
pub struct FlameFrame {
    /// Its whole name; a drawing has a short one.
    pub name: String,
    /// Its time, including the functions that it calls.
    pub time: SampledTime,
    /// Its time on the other side, when called from the same functions.
    pub other: Option<SampledTime>,
    /// The functions that it calls, the longest time first.
    pub calls: Vec<FlameFrame>,
}

impl Flame {
    /// Builds a flame graph of one side; none without samples.
    pub fn of(title: &str, stacks: &Stacks) -> Option<Self> {
        built(title, stacks, None)
    }

    /// Builds a flame graph of the slower side whose colours show the difference to the other side; none without samples of the slower
    /// side, and without colours if the other side has none.
    pub fn difference(title: &str, slower: &Stacks, other: &Stacks) -> Option<Self> {
        built(title, slower, Some(other).filter(|other| other.total().samples > 0))
    }
}

fn built(title: &str, side: &Stacks, other: Option<&Stacks>) -> Option<Flame> {
    if side.total().ns() <= 0.0 {
        return None;
    }
    let sides: Vec<&Stacks> = std::iter::once(side).chain(other).collect();
    let common = common(&sides);
    let mut root = StackNode::default();
    for (at, side) in sides.iter().enumerate() {
        for (functions, samples) in side.each() {
            root.add(&functions[common.len()..], at, samples);
        }
    }
    let mut notes: Vec<String> = other.and_then(|other| only_other(side, other)).into_iter().collect();
    notes.insert(0, reading(side, other));
    if sides.iter().flat_map(|side| side.each()).any(|(functions, _)| functions.len() > common.len() + DEEPEST) {
        notes.push(format!("Calls more than {DEEPEST} levels deep belong to the frame above them."));
    }
    Some(Flame {
        name: title.to_owned(),
        about: about(side, other),
        other: other.map(|other| other.name.clone()),
        root: root.frame(&side.name, side, other),
        common: common.into_iter().map(str::to_owned).collect(),
        notes,
    })
}

/// Returns the functions that all stacks begin with, but the last of them, which has a frame of its own.
fn common<'s>(sides: &[&'s Stacks]) -> Vec<&'s str> {
    let mut stacks = sides.iter().flat_map(|side| side.each()).map(|(functions, _)| functions);
    let mut common = stacks.next().unwrap_or_default();
    for functions in stacks {
        let same = common.iter().zip(&functions).take_while(|(one, other)| one == other).count();
        common.truncate(same);
    }
    common.pop();
    common
}

/// A tree of stacks that is still growing.
#[derive(Default)]
struct StackNode<'s> {
    /// Of the side, and of the other one.
    samples: [u64; 2],
    calls: BTreeMap<&'s str, StackNode<'s>>,
}

impl<'s> StackNode<'s> {
    fn add(&mut self, functions: &[&'s str], side: usize, samples: u64) {
        let mut node = self;
        node.samples[side] += samples;
        for name in functions.iter().take(DEEPEST) {
            node = node.calls.entry(name).or_default();
            node.samples[side] += samples;
        }
    }

    /// Returns the tree without the functions that only the other side has.
    fn frame(&self, name: &str, side: &Stacks, other: Option<&Stacks>) -> FlameFrame {
        let calls = self.calls.iter().filter(|(_, call)| call.samples[0] > 0);
        let mut calls: Vec<FlameFrame> = calls.map(|(name, call)| call.frame(name, side, other)).collect();
        calls.sort_by_key(|call| std::cmp::Reverse(call.time.samples));
        FlameFrame {
            name: name.to_owned(),
            time: side.time(self.samples[0]),
            other: other.map(|other| other.time(self.samples[1])),
            calls,
        }
    }
}

/// Names the functions that only the other side has: `Only lmdb: mdb_get 1.20 ms.` The time of each includes calls of functions that both
/// sides have, so the times add up.
fn only_other(side: &Stacks, other: &Stacks) -> Option<String> {
    let known: BTreeSet<&str> = side.each().flat_map(|(functions, _)| functions).collect();
    let mut only: BTreeMap<&str, u64> = BTreeMap::new();
    for (functions, samples) in other.each() {
        if let Some(innermost) = functions.into_iter().rfind(|name| !known.contains(name)) {
            *only.entry(innermost).or_default() += samples;
        }
    }
    let mut only: Vec<(&str, u64)> = only.into_iter().collect();
    only.sort_by_key(|(_, samples)| std::cmp::Reverse(*samples));
    let rest = only.split_off(only.len().min(ONLY_OTHER));
    let mut named: Vec<String> =
        only.iter().map(|(name, samples)| format!("{} {}", short(name), duration(other.time(*samples).ns()))).collect();
    if !rest.is_empty() {
        let ns = other.time(rest.iter().map(|(_, samples)| samples).sum()).ns();
        named.push(format!("{} {}", counted(rest.len() as u64, "other function"), duration(ns)));
    }
    (!named.is_empty()).then(|| format!("Only {}: {}.", other.name, named.join(", ")))
}

/// Explains the drawing in a line.
fn reading(side: &Stacks, other: Option<&Stacks>) -> String {
    let samples = |side: &Stacks| format!("{} of {}", counted(side.total().samples, "sample"), side.name);
    let samples: Vec<String> = std::iter::once(side).chain(other).map(samples).collect();
    let colours = other
        .map(|other| format!("Its colour compares it with the same calls of {}. ", other.name))
        .unwrap_or_default();
    format!(
        "A frame is a function and is as wide as its CPU time. The functions that it calls are below it. {colours}From {}.",
        samples.join(" and ")
    )
}

/// Describes the drawing in words.
fn about(side: &Stacks, other: Option<&Stacks>) -> String {
    let time = |side: &Stacks| format!("{} with {} of CPU time", side.name, duration(side.total().ns()));
    let Some(other) = other else {
        let total_ns = side.total().ns();
        let part = |(name, time): (&str, SampledTime)| format!("{} ({})", short(name), percent(time.ns() / total_ns));
        let parts: Vec<String> = of_one(side).into_iter().take(DESCRIBED).map(part).collect();
        return format!("Call stacks of {}. Most of it: {}.", time(side), parts.join(", "));
    };
    let part = |function: FunctionTimes<'_>| {
        let word = if function.more_ns() > 0.0 { "less" } else { "more" };
        format!("{} {} {word}", short(function.name), duration(function.more_ns().abs()))
    };
    let differing = of_both(side, other).into_iter().filter(FunctionTimes::differs);
    let parts: Vec<String> = differing.take(DESCRIBED).map(part).collect();
    let found = match parts.as_slice() {
        [] => "No function differs by more than noise.".to_owned(),
        parts => format!("The functions of {} that differ most: {}.", side.name, parts.join(", ")),
    };
    format!("Call stacks of {}, compared with {}. {found}", time(side), time(other))
}
