//! The history of statements, kept until the program ends.

/// The statements that were run, and the position in them.
#[derive(Debug, Default)]
pub(super) struct History {
    statements: Vec<String>,
    /// Index of the statement shown; one past the last: the typed text.
    at: usize,
    /// The text that was typed before an older statement was shown.
    typed: String,
}

impl History {
    /// Adds a statement that is being run.
    pub(super) fn add(&mut self, statement: &str) {
        self.statements.retain(|known| known != statement);
        self.statements.push(statement.to_owned());
        self.at = self.statements.len();
    }

    /// Returns the statement before the one shown, if there is one. `shown` may have been edited.
    pub(super) fn older(&mut self, shown: &str) -> Option<&str> {
        // The last statement that was run is still shown.
        let is_last = self.at == self.statements.len() && self.statements.last().is_some_and(|last| last == shown);
        let at = self.at.checked_sub(if is_last { 2 } else { 1 })?;
        if self.at == self.statements.len() {
            shown.clone_into(&mut self.typed);
        }
        self.at = at;
        self.statements.get(at).map(String::as_str)
    }

    /// Returns the statement after the one shown; after the last, the typed text.
    pub(super) fn newer(&mut self) -> Option<&str> {
        if self.at >= self.statements.len() {
            return None;
        }
        self.at += 1;
        Some(self.statements.get(self.at).unwrap_or(&self.typed))
    }

    /// Whether there is an older statement.
    pub(super) fn has_older(&self, shown: &str) -> bool {
        match self.statements.as_slice() {
            [] => false,
            [only] if self.at == 1 => only != shown,
            _ => self.at > 0,
        }
    }

    pub(super) fn has_newer(&self) -> bool {
        self.at < self.statements.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn older_statements_come_back_and_what_was_typed_is_not_lost() {
        let mut history = History::default();
        assert!(history.older("x").is_none() && history.newer().is_none());
        history.add("one");
        assert!(!history.has_older("one") && history.older("one").is_none(), "it is shown still");
        history.add("two");
        assert_eq!(history.older("two"), Some("one"));
        assert_eq!(history.newer(), Some("two"));
        assert_eq!(history.older("two, changed"), Some("one"));
        history.add("one");
        assert_eq!(history.older("typed"), Some("one"), "a statement is there once");
        assert_eq!(history.older("one"), Some("two"));
        assert_eq!(history.newer(), Some("one"));
        assert_eq!(history.newer(), Some("typed"));
        assert!(!history.has_newer());
    }
}
