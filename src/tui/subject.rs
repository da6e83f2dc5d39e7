//! What a request is about: it says which requests make others pointless.

use dbdyno_store::ReadWatch;
use std::borrow::Cow;

/// What a request is about, among those of its screen.
#[derive(Debug, Clone)]
pub(crate) enum Subject {
    /// Something is read to be shown. The newest request of a name makes the older ones of that name pointless.
    Read {
        name: Cow<'static, str>,
        /// Interrupts the reading.
        watch: ReadWatch,
    },
    /// Something is changed, which happens once for each request and in their order.
    Change,
}

impl Subject {
    /// A reading that no screen watches itself.
    pub(crate) fn read(name: impl Into<Cow<'static, str>>) -> Self {
        Self::watched(name, &ReadWatch::default())
    }

    /// A reading that a screen watches.
    pub(crate) fn watched(name: impl Into<Cow<'static, str>>, watch: &ReadWatch) -> Self {
        Self::Read { name: name.into(), watch: watch.clone() }
    }

    /// Whether this one, which came later, makes another pointless.
    pub(crate) fn replaces(&self, older: &Self) -> bool {
        matches!((self, older), (Self::Read { name, .. }, Self::Read { name: before, .. }) if name == before)
    }

    /// The watch of a reading.
    pub(crate) fn watch(&self) -> Option<&ReadWatch> {
        match self {
            Self::Read { watch, .. } => Some(watch),
            Self::Change => None,
        }
    }
}

/// A request that knows what it is about.
pub(crate) trait HasSubject {
    fn subject(&self) -> Subject;
}
