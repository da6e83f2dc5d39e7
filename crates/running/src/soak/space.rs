//! The size of files while a snapshot is held, and afterwards.

use dbdyno_store::FollowedTest;
use serde::Serialize;

/// The space counts as returned if at most this share of the growth remains.
const STILL_THERE: f64 = 0.1;
/// Growth counts only if it is at least this share of the size and at least this many bytes.
const GROWTH: f64 = 0.05;
const GROWTH_BYTES: u64 = 1 << 20;

/// A time in which snapshots were held.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HeldStretch {
    /// From the beginning of the test, ns.
    pub from_ns: u64,
    pub until_ns: u64,
    /// The size of the database with its side files; none if it was not read.
    pub all: Option<SpaceStep>,
    /// The size of the side files alone: logs and journals.
    pub side: Option<SpaceStep>,
}

/// The size of files before, while and after snapshots were held, bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct SpaceStep {
    /// At the last reading before.
    pub before: u64,
    /// The maximum until the next stretch or the end.
    pub most: u64,
    /// At the last reading before the next stretch, or at the end.
    pub after: u64,
}

impl SpaceStep {
    /// Whether the files grew.
    pub fn grew(&self) -> bool {
        let grown = self.most.saturating_sub(self.before);
        grown >= GROWTH_BYTES && grown as f64 >= GROWTH * self.before as f64
    }

    /// Whether the space that the files grew by was returned.
    pub fn came_back(&self) -> bool {
        self.after.saturating_sub(self.before) as f64 <= STILL_THERE * self.most.saturating_sub(self.before) as f64
    }
}

/// Returns the stretches in which snapshots were held, in order.
pub(super) fn held(of: &FollowedTest) -> Vec<HeldStretch> {
    let mut stretches: Vec<(u64, u64)> = Vec::new();
    let mut holding: Vec<(u64, u64)> = of
        .slots
        .iter()
        .filter(|slot| slot.held.is_some_and(|held| held > 0))
        .map(|slot| (slot.at_ns.saturating_sub(slot.duration_ns), slot.at_ns))
        .collect();
    holding.sort_unstable();
    for (from, until) in holding {
        match stretches.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(until),
            _ => stretches.push((from, until)),
        }
    }
    let nexts = stretches.iter().skip(1).map(|(from, _)| *from).chain([u64::MAX]);
    let stretch = |(&(from_ns, until_ns), next): (&(u64, u64), u64)| HeldStretch {
        from_ns,
        until_ns,
        all: step(of, "database_bytes", from_ns, next),
        side: step(of, "side_bytes", from_ns, next),
    };
    stretches.iter().zip(nexts).map(stretch).collect()
}

fn step(of: &FollowedTest, name: &str, from_ns: u64, next_ns: u64) -> Option<SpaceStep> {
    let figures = || of.readings.iter().filter(|reading| reading.name == name);
    let during = || figures().filter(|reading| reading.at_ns > from_ns && reading.at_ns <= next_ns);
    let first = during().next()?.value;
    let mut before = figures().filter(|reading| reading.at_ns <= from_ns);
    Some(SpaceStep {
        before: before.next_back().map_or(first, |reading| reading.value),
        most: during().map(|reading| reading.value).max()?,
        after: during().next_back()?.value,
    })
}
