//! Tuning: what-if trials, their ledger, the statistics behind them.

mod answer;
mod ledger;
mod script;
mod search;
mod simulation;
mod what_if;
