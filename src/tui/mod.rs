//! The terminal UI. `app` and its `screens` are pure state machines that are painted with `widgets`; `driver` is all that touches
//! the terminal and sessions. Only the `ask` parts of screens and world read or write, called by `driver`.

pub mod app;
pub mod attach;
mod driver;
pub mod export;
pub mod filter;
pub mod keys;
pub mod launch;
pub mod overlay;
pub mod palette;
pub mod screens;
pub mod setup;
mod subject;
pub mod widgets;
pub mod world;

pub use app::{App, Command, Message, Request, Response, draw};
pub use driver::{LastSession, Left, Over, respond, serve};
pub use setup::TuiSetup;
pub use world::read;
