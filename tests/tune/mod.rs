//! Tuning: what-if trials, their ledger, the statistics behind them.

mod ledger;
mod simulation;
mod what_if;
