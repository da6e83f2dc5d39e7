//! The keys of each screen. Hints, help and the command palette are generated from this table, so they are always correct.

mod action;
mod key;
mod screen_id;
mod table;

pub(crate) use action::Action;
pub use key::KeyPress;
pub use screen_id::ScreenId;
pub(crate) use table::{EVERYWHERE, bindings};

/// A key, its action, and its texts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Binding {
    /// The keys of the action; hints show the first.
    pub(crate) keys: &'static [KeyPress],
    pub(crate) action: Action,
    /// One or two words for the line of hints; empty if only the help lists the key.
    pub(crate) hint: &'static str,
    /// One line of help.
    pub(crate) help: &'static str,
}

/// Returns the action that a key triggers on a screen.
pub(crate) fn action(screen: ScreenId, key: KeyPress) -> Option<Action> {
    let all = bindings(screen).iter().chain(EVERYWHERE);
    all.into_iter().find(|binding| binding.keys.contains(&key)).map(|binding| binding.action)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_key_means_two_things_on_one_screen() {
        for screen in ScreenId::ALL {
            let mut seen = HashSet::new();
            for binding in bindings(screen).iter().chain(EVERYWHERE) {
                for key in binding.keys {
                    assert!(seen.insert(*key), "{} has two meanings on {}", key.word(), screen.name());
                }
            }
        }
    }

    #[test]
    fn x_explains_and_stopping_has_one_key_of_its_own() {
        for screen in ScreenId::ALL {
            let explains = action(screen, KeyPress::Char('x'));
            assert!(matches!(explains, None | Some(Action::Explain)), "x is {explains:?} on {}", screen.name());
        }
        let stops = ScreenId::ALL.into_iter().flat_map(bindings).filter(|binding| binding.action == Action::Stop);
        assert!(stops.map(|binding| binding.keys).all(|keys| keys == [KeyPress::Char('K')]));
    }

    #[test]
    fn every_binding_has_a_line_of_help() {
        for binding in ScreenId::ALL.iter().flat_map(|screen| bindings(*screen)).chain(EVERYWHERE) {
            assert!(!binding.help.is_empty(), "{:?} is not explained", binding.action);
        }
    }
}
