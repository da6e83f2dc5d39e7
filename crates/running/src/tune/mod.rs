//! What if this option were set? And which options should be set for this workload, without losing durability?
//!
//! A [`Trial`] compares a base configuration with a changed one in rounds of ABBA, whose number is fixed beforehand: [`what_if`] runs one,
//! [`more`] adds as many rounds again. Trials form a [`Ledger`], which is a tree with the base, gain and cost of each. Nothing here prints:
//! [`TuneEvent`]s report what happens. The models are plain data that the command line, the terminal UI and files all show.
//!
//! A trial that can be extended is looked at more than once. Look number `n` spends `ALPHA / 2^n` of the allowed false alarms. Over any
//! number of looks that is never more than [`ALPHA`](dbdyno_stats::ALPHA). See [`Spending`](dbdyno_stats::Spending).

mod answer;
mod change;
mod effect;
pub mod effects;
mod event;
mod lab;
mod ledger;
mod live;
mod price;
pub mod race;
mod samples;
pub mod search;
mod stored;
mod trial;
mod what_if;
mod workload;

pub use answer::{Setting, TuneAnswer};
pub use change::{OptionChange, cannot_differ};
pub use effect::{TestEffect, judge, overall as effect_of_all};
pub use event::TuneEvent;
pub use lab::{Lab, TuneError};
pub use ledger::{Ledger, LedgerEntry};
pub use live::LiveSamples;
pub use price::{Pair, Price};
pub use samples::{RoundKey, Sample, Samples, TestPart};
pub use stored::{accept, find_trial, last_ledger, ledger, ledgers};
pub use trial::{Trial, TrialKind, TrialState};
pub use what_if::{WhatIf, default_rounds, more, what_if};
pub use workload::TunedWorkload;
