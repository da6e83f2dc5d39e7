//! Processes of an engine that have left its group and its session and lost its mark. This process becomes the parent of orphans below it.
//! So all processes that a first process starts stay below it, or become children of this process.

use super::{
    kill_if,
    mark::Mark,
    pid,
    stat::{Cage, Stat, all},
};
use rustix::process::{WaitId, WaitIdOptions, getpid, set_child_subreaper, waitid};
use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// A family's first process: its number, and its start time, which distinguishes it from a later process of the same number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct First {
    number: u32,
    start: u64,
}

/// The first processes of the living families, by the families' names.
static FIRSTS: Mutex<BTreeMap<String, First>> = Mutex::new(BTreeMap::new());

fn firsts() -> MutexGuard<'static, BTreeMap<String, First>> {
    FIRSTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The start of a family's first process. It is held from before the start until the process is known, so that no other family mistakes
/// the process for an orphan.
#[derive(Debug)]
#[must_use]
pub struct Birth(MutexGuard<'static, BTreeMap<String, First>>);

impl Birth {
    pub(super) fn begin() -> Self {
        // Kernels before 3.4 do not support it: orphans of engines then go to the system's first process.
        let _ = set_child_subreaper(Some(getpid()));
        Self(firsts())
    }

    pub(super) fn end(mut self, family: &str, first: u32) {
        // It has not been reaped yet, so no other process can have its number.
        let start = Stat::read(first).map_or(0, |stat| stat.start);
        self.0.insert(family.to_owned(), First { number: first, start });
    }
}

/// Removes a family's first process from the list; it has been reaped by now.
pub(super) fn forget(family: &str) {
    firsts().remove(family);
}

/// Kills a family's first process with all processes below it, and orphans of engines that belong to no other family. Returns whether
/// there were any, and all processes of the system.
pub(super) fn kill_below(family: &str) -> (bool, BTreeMap<u32, Stat>) {
    // Held so that no first process starts meanwhile.
    let firsts = firsts();
    let processes = all();
    let (own, own_cage) = (std::process::id(), Cage::of(std::process::id()));
    let mut orphans = Vec::new();
    let mut found = Vec::new();
    for (&number, stat) in processes.iter().filter(|(_, stat)| stat.parent == own) {
        let child = First { number, start: stat.start };
        let of_another =
            |(name, first): (&String, &First)| name != family && (*first == child || Mark::new(name).is_on(number));
        if firsts.get(family) == Some(&child) {
            found.push(number);
        } else if !firsts.iter().any(of_another) && Cage::of(number).is_narrower_than(own_cage) {
            // No other processes that this process starts are confined.
            orphans.push(number);
        }
    }
    found.extend(&orphans);
    let mut killed = false;
    for process in with_those_below(found, &processes) {
        if let Some(stat) = processes.get(&process).filter(|stat| stat.is_alive()) {
            kill_if(process, || Stat::read(process).is_some_and(|now| now.start == stat.start));
            killed = true;
        }
    }
    orphans.into_iter().for_each(reap);
    (killed, processes)
}

/// Adds to processes all their descendants.
fn with_those_below(mut found: Vec<u32>, processes: &BTreeMap<u32, Stat>) -> Vec<u32> {
    let mut looked_at = 0;
    while let Some(parent) = found.get(looked_at).copied() {
        found.extend(processes.iter().filter(|(_, stat)| stat.parent == parent).map(|(process, _)| *process));
        looked_at += 1;
    }
    found
}

fn reap(orphan: u32) {
    if let Some(orphan) = pid(orphan) {
        // An orphan that has not ended yet is reaped at the next look, or with the next family.
        let _ = waitid(WaitId::Pid(orphan), WaitIdOptions::EXITED | WaitIdOptions::NOHANG);
    }
}
