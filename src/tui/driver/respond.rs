//! Requests responded to: everything that the application wants to know or have written.

use super::desk::Sender;
use crate::tui::{
    app::{Request, Response},
    export, filter, palette, screens,
    setup::TuiSetup,
    subject::{HasSubject, Subject},
    world,
};

/// Responds to a request. Takes its time: called on a thread of its own.
pub fn respond(request: Request, setup: &TuiSetup) -> Response {
    match request {
        Request::World(request) => Response::World(world::respond(request, setup)),
        Request::Write { path, content } => Response::Written(export::write(&path, content.as_ref(), setup)),
        Request::FreeName(asked) => Response::FreeName { free: export::free_name(&asked), asked },
        Request::Palette(request) => Response::Palette(palette::respond(request, setup)),
        Request::Filter(request) => Response::Filter(filter::respond(request, setup)),
        Request::Screen(request) => Response::Screen(screens::respond(request, setup)),
    }
}

/// Who sends a request, and what it is about.
pub(super) fn subject(request: &Request) -> (Sender, Subject) {
    match request {
        Request::World(request) => (Sender::World(*request), Subject::read("")),
        Request::Write { .. } => (Sender::File, Subject::Change),
        Request::FreeName(_) => (Sender::File, Subject::read("free name")),
        Request::Palette(request) => (Sender::Palette, request.subject()),
        Request::Filter(request) => (Sender::Filter, request.subject()),
        Request::Screen(request) => {
            let (screen, subject) = screens::subject(request);
            (Sender::Screen(screen), subject)
        }
    }
}

/// Whether responding reads the store or writes to it, or loads the machine otherwise; that must not happen beside a test.
pub(super) fn disturbs(request: &Request) -> bool {
    match request {
        Request::World(request) => *request != world::Request::Engines,
        Request::Write { .. } | Request::Palette(_) => true,
        Request::FreeName(_) => false,
        Request::Filter(request) => request.disturbs(),
        Request::Screen(request) => screens::disturbs(request),
    }
}
