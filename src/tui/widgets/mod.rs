//! The parts that screens and overlays are painted with.

pub(crate) mod columns;
pub mod cursor;
pub(crate) mod curves;
pub(crate) mod histogram;
pub(crate) mod list;
mod look;
pub(crate) mod names;
pub(crate) mod over_time;
pub(crate) mod paint;
pub(crate) mod table;
pub(crate) mod way;

pub use look::Look;
pub use paint::{Hit, Target};
