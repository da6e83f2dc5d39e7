//! The terminal UI. `app` is a pure state machine, `view` paints it, `driver` is all that touches the terminal, the store
//! and sessions.

pub mod app;
mod driver;
pub mod export;
pub mod keys;
pub mod launch;
pub mod overlay;
pub mod screens;
pub mod setup;
pub mod widgets;
pub mod world;

pub use app::{App, Command, Message, Request, Response, draw};
pub use driver::{Left, respond, run, watch_terminal};
pub use setup::Setup;
pub use world::read;
