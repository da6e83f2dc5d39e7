//! Responses to requests: everything that the application reads or writes outside.

use super::desk::Sender;
use crate::tui::{
    app::{Request, Response},
    export, filter, palette, screens,
    setup::TuiSetup,
    subject::{HasSubject, Subject},
    world,
};

/// Responds to a request. This can take long, so call it on a separate thread.
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

/// Returns the sender of a request, and the subject that decides which requests it replaces.
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

/// Whether the response reads or writes the store, or loads the machine in another way. This must not happen during a test.
pub(super) fn disturbs(request: &Request) -> bool {
    match request {
        Request::World(request) => *request != world::Request::Engines,
        Request::Write { .. } | Request::Palette(_) => true,
        Request::FreeName(_) => false,
        Request::Filter(request) => request.disturbs(),
        Request::Screen(request) => screens::disturbs(request),
    }
}
