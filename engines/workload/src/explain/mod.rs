//! Explaining runs: they divide the time of measured threads further than is possible without a cost.
//!
//! A thread looks at the measured threads a few thousand times a second, at random times. Each look finds a thread in a call that reads, writes
//! or locks, in a wait, or on a CPU, and then also its call stack. The shares of the looks divide the times that the kernel counts exactly.
//! So calls need no clock, and nothing but the looks themselves slows a test down: each interrupts the thread for some ten microseconds.

mod copied;
mod place;
mod sampler;
mod stacks;
mod symbols;

pub(crate) use place::{Place, enter, leave, register, within};
pub(crate) use sampler::{begin, end, rest, start};
