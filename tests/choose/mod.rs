//! `dbdyno choose`: which engine, with which settings.

mod run;
mod simulation;
