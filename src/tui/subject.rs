//! The subject of a request. It decides which older requests a new one makes obsolete.

use dbdyno_store::ReadWatch;
use std::borrow::Cow;

/// The subject of a request, among those of its screen.
#[derive(Debug, Clone)]
pub(crate) enum Subject {
    /// A read for display. The newest request of a name makes the older ones of that name obsolete.
    Read {
        name: Cow<'static, str>,
        /// Interrupts the read.
        watch: ReadWatch,
    },
    /// A change. It happens once for each request, in the order of the requests.
    Change,
}

impl Subject {
    /// Returns a read that no screen watches itself.
    pub(crate) fn read(name: impl Into<Cow<'static, str>>) -> Self {
        Self::watched(name, &ReadWatch::endless())
    }

    /// Returns a read that a screen watches.
    pub(crate) fn watched(name: impl Into<Cow<'static, str>>, watch: &ReadWatch) -> Self {
        Self::Read { name: name.into(), watch: watch.clone() }
    }

    /// Whether this request, which came later, makes another obsolete.
    pub(crate) fn replaces(&self, older: &Self) -> bool {
        matches!((self, older), (Self::Read { name, .. }, Self::Read { name: before, .. }) if name == before)
    }

    /// Returns the watch of a read; a change has none.
    pub(crate) fn watch(&self) -> Option<&ReadWatch> {
        match self {
            Self::Read { watch, .. } => Some(watch),
            Self::Change => None,
        }
    }
}

/// A request with a known subject.
pub(crate) trait HasSubject {
    fn subject(&self) -> Subject;
}
