//! The terminal UI. `app` and its `screens` are pure state machines, painted with `widgets`. Only `driver` touches the terminal and jobs.
//! Only the `ask` parts of screens and world read or write; `driver` calls them.

pub mod app;
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
mod terminal;
pub mod widgets;
pub mod world;

pub use app::{App, Command, Message, Request, Response, draw};
pub use driver::{Left, Over, respond, run};
pub use screens::live::LastSession;
pub use setup::TuiSetup;
pub(crate) use terminal::columns as terminal_columns;
pub use terminal::watch_terminal;
pub(crate) use widgets::paint::wrap;
pub use world::read;
