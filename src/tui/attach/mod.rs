//! Screens that outlive their terminal. What measures and paints is a server in a session of its own, whose keys come from a
//! pseudo-terminal; in the user's terminal is a client, which carries bytes. A terminal that goes takes its client along and no more.

mod client;
mod frame;
mod place;
mod server;

pub use client::{Outcome, Ways, show, start, watch_terminal};
pub use frame::{Description, Ended};
pub use place::{Server, servers, sweep};
pub(in crate::tui) use server::{Happening, Terminals};
