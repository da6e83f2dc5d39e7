//! Tuning: what-if trials, their ledger, and their statistics.

mod answer;
mod effects;
mod ledger;
mod pragma;
mod script;
mod search;
mod simulation;
mod what_if;
