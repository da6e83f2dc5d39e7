//! Decides which of the calls that may be on a disk are there.

use super::{
    content::pieces,
    disk::{ContentChange, PendingCall, PendingEffect},
    tree::TreeNode,
};
use crate::rng::SplitMix64;
use std::{collections::BTreeMap, fmt};

/// The fate of unsynced calls in a power loss. Synced calls are always there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Policy {
    /// None of them is there.
    Nothing,
    /// All of them are there.
    All,
    /// All before some point are there.
    Prefix,
    /// For each file, and for the names of each folder: none, all, or those before some point.
    FilesSubset,
    /// Each call is there or not, independently.
    Reordered,
    /// Like [`Prefix`](Self::Prefix), but of the last write only some sectors of 512 bytes; possibly also of each write after it.
    Torn512,
    /// The same with pages of 4096 bytes.
    Torn4096,
    /// All calls except those that change names.
    EntriesLost,
    /// All calls, but from some point on files have only their lengths, with zeros for data.
    LengthWithoutData,
}

impl Policy {
    pub const ALL: [Self; 9] = [
        Self::Nothing,
        Self::All,
        Self::Prefix,
        Self::FilesSubset,
        Self::Reordered,
        Self::Torn512,
        Self::Torn4096,
        Self::EntriesLost,
        Self::LengthWithoutData,
    ];

    /// Whether another seed may give another image.
    pub fn draws(self) -> bool {
        !matches!(self, Self::Nothing | Self::All | Self::EntriesLost)
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Nothing => "nothing that is not synced",
            Self::All => "everything",
            Self::Prefix => "all before a moment",
            Self::FilesSubset => "some files",
            Self::Reordered => "some writes",
            Self::Torn512 => "a write torn in sectors",
            Self::Torn4096 => "a write torn in pages",
            Self::EntriesLost => "everything but names",
            Self::LengthWithoutData => "lengths without data",
        })
    }
}

/// The fate of one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CallFate {
    Kept,
    Lost,
    /// The file has the length that the call gives it, but not the data that the call wrote.
    Length,
    /// Only the marked units of a write, each of this many bytes of the file, are there.
    Torn {
        unit: usize,
        kept: Vec<bool>,
    },
}

/// Returns the fate of each call.
pub(super) fn fates(policy: Policy, pending: &[PendingCall<'_>], rng: &mut SplitMix64) -> Vec<CallFate> {
    let all = |fate: CallFate| vec![fate; pending.len()];
    match policy {
        Policy::Nothing => all(CallFate::Lost),
        Policy::All => all(CallFate::Kept),
        Policy::Prefix => until_a_moment(pending, &CallFate::Lost, rng),
        Policy::LengthWithoutData => until_a_moment(pending, &CallFate::Length, rng),
        Policy::Reordered => pending.iter().map(|_| kept_if(rng.below(2) == 0)).collect(),
        Policy::EntriesLost => {
            pending.iter().map(|pending| kept_if(!matches!(pending.effect, PendingEffect::Names(_)))).collect()
        }
        Policy::FilesSubset => of_files(pending, rng),
        Policy::Torn512 => torn(pending, 512, rng),
        Policy::Torn4096 => torn(pending, 4096, rng),
    }
}

fn kept_if(kept: bool) -> CallFate {
    if kept { CallFate::Kept } else { CallFate::Lost }
}

/// Keeps the calls before a random point, and gives all others the fate `then`.
fn until_a_moment(pending: &[PendingCall<'_>], then: &CallFate, rng: &mut SplitMix64) -> Vec<CallFate> {
    let moment = rng.below(pending.len() as u64 + 1) as usize;
    (0..pending.len()).map(|place| if place < moment { CallFate::Kept } else { then.clone() }).collect()
}

fn of_files(pending: &[PendingCall<'_>], rng: &mut SplitMix64) -> Vec<CallFate> {
    let of = |pending: &PendingCall<'_>| match &pending.effect {
        PendingEffect::Change { file, .. } => Some(TreeNode::File(*file)),
        PendingEffect::Names(entries) => entries.first().map(|entry| TreeNode::Folder(entry.folder)),
    };
    let mut left: BTreeMap<_, u64> = BTreeMap::new();
    for waiting in pending {
        *left.entry(of(waiting)).or_default() += 1;
    }
    for calls in left.values_mut() {
        *calls = match rng.below(3) {
            0 => 0,
            1 => *calls,
            _ => rng.below(*calls + 1),
        };
    }
    let fate = |waiting| {
        let kept = left.get_mut(&of(waiting)).filter(|left| **left > 0).map(|left| *left -= 1);
        kept_if(kept.is_some())
    };
    pending.iter().map(fate).collect()
}

fn torn(pending: &[PendingCall<'_>], unit: usize, rng: &mut SplitMix64) -> Vec<CallFate> {
    let units = |pending: &PendingCall<'_>| match &pending.effect {
        PendingEffect::Change { change: ContentChange::Write { offset, bytes }, lasts: false, .. } => {
            Some(pieces(*offset, bytes.len(), unit).count())
        }
        _ => None,
    };
    let writes: Vec<usize> = (0..pending.len()).filter(|place| units(&pending[*place]).is_some()).collect();
    let moment = writes.get(rng.below(writes.len() as u64) as usize).copied().unwrap_or(pending.len());
    let tears_all_after = rng.below(2) == 0;
    let mut fate = |(place, waiting)| match units(waiting) {
        Some(units) if place == moment || place > moment && tears_all_after => {
            CallFate::Torn { unit, kept: units_kept(units, rng) }
        }
        _ => kept_if(place < moment || tears_all_after),
    };
    pending.iter().enumerate().map(&mut fate).collect()
}

/// Returns which units of a write are kept: the first ones, or any of them, because a disk writes units in its own order.
fn units_kept(units: usize, rng: &mut SplitMix64) -> Vec<bool> {
    if rng.below(2) == 0 {
        let end = rng.below(units as u64 + 1) as usize;
        (0..units).map(|place| place < end).collect()
    } else {
        (0..units).map(|_| rng.below(2) == 0).collect()
    }
}
