//! The screens.

pub mod bench;
pub mod claims;
pub mod compare;
pub mod live;
pub mod results;
pub mod step;
pub mod tune;
