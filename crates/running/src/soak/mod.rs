//! The results of a followed test over time: stalls, drift of the response times, and the space of the files while snapshots were held.

mod space;

pub use space::{HeldStretch, SpaceStep};

use dbdyno_stats::{Drift, NoAnswer, drift, median};
use dbdyno_store::{ActorSlotRecord, FollowedTest};
use dbdyno_workload::histogram::{empty, from_bytes, supported_quantile};
use serde::Serialize;

/// A second with fewer operations than this share of the median second's is a stall.
pub const STALL: f64 = 0.1;
/// How many stretches the test is divided into for the drift.
const STRETCHES: u64 = 12;

/// The results over time for one test of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Soak {
    /// Its run's configuration.
    pub label: String,
    pub size: String,
    /// Round of its run, from 0.
    pub round: u32,
    pub test: u32,
    pub test_name: String,
    /// From its beginning to the last reading, ns.
    pub duration_ns: u64,
    pub actors: Vec<SoakActor>,
    pub held: Vec<HeldStretch>,
    /// Resident memory, bytes: at the first reading, and the maximum.
    pub rss_bytes: Option<(u64, u64)>,
    /// The database with its side files, bytes: at the first reading, and at the last.
    pub database_bytes: Option<(u64, u64)>,
    /// Bytes written in total.
    pub written_bytes: Option<u64>,
}

/// The figures of an actor, second by second.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SoakActor {
    pub name: String,
    /// Seconds in which it took part.
    pub seconds: usize,
    /// Operations of the median second.
    pub median: f64,
    /// How often another transaction was in the way.
    pub busy: u64,
    /// The most operations that were due but not begun.
    pub backlog: Option<u64>,
    pub stalls: Vec<Stall>,
    /// The drift of the 99th percentile of its response times, from the beginning of the test to its end, while no snapshot was held.
    pub drift: Result<Drift, NoDrift>,
}

/// Consecutive seconds in which hardly anything was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Stall {
    /// From the beginning of the test, ns.
    pub from_ns: u64,
    pub duration_ns: u64,
}

/// The reason why no drift can be computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NoDrift {
    /// It took part in too little of the test, or with too few operations for a 99th percentile.
    TooShort,
}

impl From<NoAnswer> for NoDrift {
    fn from(_: NoAnswer) -> Self {
        Self::TooShort
    }
}

impl Soak {
    pub fn new(of: &FollowedTest) -> Self {
        let duration_ns = of.slots.iter().map(|slot| slot.at_ns).max().unwrap_or(0);
        let held = space::held(of);
        let mut names: Vec<&str> = Vec::new();
        // An actor that holds snapshots has no seconds of its own.
        for slot in of.slots.iter().filter(|slot| slot.held.is_none()) {
            if !names.contains(&slot.actor.as_str()) {
                names.push(&slot.actor);
            }
        }
        let actor = |name: &str| {
            let slots: Vec<&ActorSlotRecord> = of.slots.iter().filter(|slot| slot.actor == name).collect();
            actor(name, &slots, &held, duration_ns)
        };
        let figures = |name: &str| -> Vec<u64> {
            of.readings.iter().filter(|reading| reading.name == name).map(|reading| reading.value).collect()
        };
        let (rss, database) = (figures("rss_bytes"), figures("database_bytes"));
        Self {
            label: of.label.clone(),
            size: of.size.clone(),
            round: of.round,
            test: of.test,
            test_name: of.test_name.clone(),
            duration_ns,
            actors: names.into_iter().map(actor).collect(),
            rss_bytes: rss.first().copied().zip(rss.iter().max().copied()),
            database_bytes: database.first().copied().zip(database.last().copied()),
            written_bytes: figures("written_bytes").last().copied(),
            held,
        }
    }
}

fn actor(name: &str, slots: &[&ActorSlotRecord], held: &[HeldStretch], duration_ns: u64) -> SoakActor {
    // A second is never exactly one second long.
    let rate = |slot: &ActorSlotRecord| slot.operations as f64 * 1e9 / slot.duration_ns.max(1) as f64;
    let rates: Vec<f64> = slots.iter().map(|slot| rate(slot)).collect();
    let median = median(&rates).unwrap_or(0.0);
    let mut stalls: Vec<Stall> = Vec::new();
    for slot in slots.iter().filter(|slot| rate(slot) < STALL * median) {
        let from_ns = slot.at_ns.saturating_sub(slot.duration_ns);
        match stalls.last_mut() {
            Some(stall) if stall.from_ns + stall.duration_ns == from_ns => stall.duration_ns += slot.duration_ns,
            _ => stalls.push(Stall { from_ns, duration_ns: slot.duration_ns }),
        }
    }
    SoakActor {
        name: name.to_owned(),
        seconds: slots.len(),
        median,
        busy: slots.iter().map(|slot| slot.busy).sum(),
        backlog: slots.iter().filter_map(|slot| slot.backlog).max(),
        stalls,
        drift: response_drift(slots, held, duration_ns),
    }
}

/// Computes the drift of the 99th percentile over the stretches, from the seconds in which no snapshot was held.
fn response_drift(slots: &[&ActorSlotRecord], held: &[HeldStretch], duration_ns: u64) -> Result<Drift, NoDrift> {
    let is_free = |slot: &&&ActorSlotRecord| {
        let from = slot.at_ns.saturating_sub(slot.duration_ns);
        !held.iter().any(|stretch| from < stretch.until_ns && stretch.from_ns < slot.at_ns)
    };
    let stretch_ns = (duration_ns / STRETCHES).max(1);
    let mut stretches = vec![empty(); STRETCHES as usize];
    for slot in slots.iter().filter(is_free) {
        let place = (slot.at_ns.saturating_sub(1) / stretch_ns).min(STRETCHES - 1) as usize;
        let latencies = slot.histogram.as_ref().and_then(|histogram| from_bytes(&histogram.0).ok());
        if let Some(latencies) = latencies {
            // All histograms have the same bounds.
            let _ = stretches[place].add(latencies);
        }
    }
    let known = stretches.iter().enumerate().filter_map(|(place, latencies)| {
        let middle = (place as f64 + 0.5) / STRETCHES as f64;
        Some((middle, supported_quantile(latencies, 0.99)?.max(1) as f64))
    });
    let (places, figures): (Vec<f64>, Vec<f64>) = known.unzip();
    Ok(drift(&places, &figures)?)
}
