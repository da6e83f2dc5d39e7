//! The terminal UI. `app` is a pure state machine, `view` paints it, `driver` is all that touches the terminal, the store
//! and sessions.

pub mod app;
pub mod bindings;
mod driver;
pub mod event;
pub mod view;

pub use app::App;
pub use driver::{Left, Setup, answer, read, run, watch_terminal};
