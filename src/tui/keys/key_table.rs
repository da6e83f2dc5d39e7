//! The keys of all screens: the defaults, changed by the user's file.

use super::{Action, Binding, KeyPress, ScreenId, table};
use dbdyno_catalog::{Catalog, CatalogError, CatalogText};
use dbdyno_engine::names::instead_of;
use serde::Deserialize;
use std::{collections::BTreeMap, iter};

/// The user's file, next to the folders of suites and presets.
pub(crate) const FILE: &str = "keys.toml";
/// The section of the file, and the name in lists, of keys that every screen has.
const EVERYWHERE: &str = "everywhere";

/// The keys of all screens.
#[derive(Debug, Clone)]
pub struct KeyTable {
    /// In the order of [`ScreenId::ALL`].
    screens: Vec<Vec<Binding>>,
    /// The bindings of every screen.
    everywhere: Vec<Binding>,
}

/// The keys that a file gives to an action.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum GivenKeys {
    One(String),
    Several(Vec<String>),
}

impl Default for KeyTable {
    fn default() -> Self {
        let screens = ScreenId::ALL.into_iter().map(|screen| table::bindings(screen).to_vec()).collect();
        Self { screens, everywhere: table::EVERYWHERE.to_vec() }
    }
}

impl KeyTable {
    /// Reads the user's keys; without a file, they are the usual ones.
    ///
    /// # Errors
    /// The file has an error: a screen, action or key that does not exist, a key with two actions on one screen, or an action without a
    /// key. The message gives the line and column.
    pub fn of_user(catalog: &Catalog) -> Result<Self, CatalogError> {
        catalog.user_file(FILE)?.map_or_else(|| Ok(Self::default()), |text| Self::read(&text))
    }

    fn read(text: &CatalogText) -> Result<Self, CatalogError> {
        let given: BTreeMap<String, BTreeMap<String, GivenKeys>> = text.parse()?;
        let mut keys = Self::default();
        for (screen, actions) in &given {
            for (action, given) in actions {
                keys.give(screen, action, given).map_err(|reason| text.wrong_where_named(&reason))?;
            }
        }
        keys.checked().map_err(|reason| text.wrong_where_named(&reason))
    }

    /// Gives keys to an action, before its usual ones. They are taken from the action that has them now.
    fn give(&mut self, screen: &str, action: &str, given: &GivenKeys) -> Result<(), String> {
        let given = match given {
            GivenKeys::One(key) => std::slice::from_ref(key),
            GivenKeys::Several(keys) => keys,
        };
        let key_of = |name: &String| {
            let expected = "a character, or a name such as F5, Ctrl-x, Enter, Space, PgUp";
            KeyPress::of_name(name).ok_or_else(|| format!("`{name}` of `{action}` is no key: expected {expected}"))
        };
        let given: Vec<KeyPress> = given.iter().map(key_of).collect::<Result<_, _>>()?;
        let at = ScreenId::ALL.into_iter().position(|known| known.word() == screen);
        let lists = if screen == EVERYWHERE { 0..self.screens.len() } else { 0..0 };
        let own = match at {
            Some(at) => &mut self.screens[at],
            None if screen == EVERYWHERE => &mut self.everywhere,
            None => {
                let known = ScreenId::ALL.into_iter().map(ScreenId::word).chain([EVERYWHERE]);
                return Err(format!("unknown screen `{screen}`: {}", instead_of(screen, known)));
            }
        };
        let Some(place) = own.iter().position(|binding| binding.action.name() == action) else {
            let known: Vec<String> = own.iter().map(|binding| binding.action.name()).collect();
            let instead = instead_of(action, known.iter().map(String::as_str));
            return Err(format!("unknown action `{action}` of `{screen}`: {instead}"));
        };
        for binding in own.iter_mut() {
            binding.keys.to_mut().retain(|key| !given.contains(key));
        }
        let usual = own[place].keys.to_mut();
        *usual = given.iter().copied().chain(usual.iter().copied()).collect();
        for binding in self.screens[lists].iter_mut().flatten() {
            binding.keys.to_mut().retain(|key| !given.contains(key));
        }
        Ok(())
    }

    /// Returns the table if each action has a key, and each key at most one action on a screen.
    fn checked(self) -> Result<Self, String> {
        for screen in ScreenId::ALL {
            let mut seen: BTreeMap<String, &Binding> = BTreeMap::new();
            for binding in self.bindings(screen) {
                let name = binding.action.name();
                if binding.keys.is_empty() {
                    return Err(format!("`{name}` of {} has no key left: give it one", screen.name()));
                }
                for key in binding.keys.iter() {
                    if let Some(other) = seen.insert(key.word(), binding) {
                        let (word, other, screen) = (key.word(), other.action.name(), screen.name());
                        return Err(format!("`{word}` is `{other}` and `{name}` on {screen}: expected one of them"));
                    }
                }
            }
        }
        Ok(self)
    }

    /// Returns the bindings of a screen.
    pub(crate) fn of_screen(&self, screen: ScreenId) -> &[Binding] {
        let at = ScreenId::ALL.into_iter().position(|known| known == screen);
        at.and_then(|at| self.screens.get(at)).map_or(&[], Vec::as_slice)
    }

    /// Returns the bindings of every screen.
    pub(crate) fn everywhere(&self) -> &[Binding] {
        &self.everywhere
    }

    /// Returns all bindings that apply on a screen, its own first.
    pub(crate) fn bindings(&self, screen: ScreenId) -> impl Iterator<Item = &Binding> {
        self.of_screen(screen).iter().chain(&self.everywhere)
    }

    /// Returns the action that a key triggers on a screen.
    pub(crate) fn action(&self, screen: ScreenId, key: KeyPress) -> Option<Action> {
        self.bindings(screen).find(|binding| binding.keys.contains(&key)).map(|binding| binding.action)
    }

    /// Returns the key that triggers an action on every screen; none if only other screens have it.
    pub(crate) fn key(&self, action: Action) -> Option<KeyPress> {
        self.everywhere.iter().find(|binding| binding.action == action)?.keys.first().copied()
    }

    /// Returns all actions as the file names them, `screen.action`, each with its keys and its help.
    pub fn listed(&self) -> Vec<(String, String)> {
        let screens = ScreenId::ALL.into_iter().map(|screen| (screen.word(), self.of_screen(screen)));
        let all = screens.chain(iter::once((EVERYWHERE, self.everywhere())));
        let line = |screen: &str, binding: &Binding| {
            (format!("{screen}.{}", binding.action.name()), format!("[{}] {}", binding.words(), binding.help))
        };
        all.flat_map(|(screen, bindings)| bindings.iter().map(move |binding| line(screen, binding))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn of(text: &str) -> Result<KeyTable, String> {
        let text = CatalogText { place: FILE.to_owned(), text: text.to_owned() };
        KeyTable::read(&text).map_err(|error| error.to_string())
    }

    #[test]
    fn no_key_means_two_things_on_one_screen() {
        KeyTable::default().checked().unwrap();
    }

    #[test]
    fn actions_of_a_screen_have_different_names() {
        let keys = KeyTable::default();
        let listed = keys.listed();
        let names: HashSet<&String> = listed.iter().map(|(name, _)| name).collect();
        assert_eq!(names.len(), listed.len());
        assert!(names.contains(&"results.next-test".to_owned()) && names.contains(&"everywhere.show-bench".to_owned()));
    }

    #[test]
    fn x_explains_and_stopping_has_one_key_of_its_own() {
        let keys = KeyTable::default();
        for screen in ScreenId::ALL {
            let explains = keys.action(screen, KeyPress::Char('x'));
            assert!(matches!(explains, None | Some(Action::Explain)), "x is {explains:?} on {}", screen.name());
            let mut stops = keys.bindings(screen).filter(|binding| binding.action == Action::Stop);
            assert!(stops.all(|binding| *binding.keys == [KeyPress::Char('K')]));
        }
    }

    #[test]
    fn every_binding_has_a_line_of_help() {
        let keys = KeyTable::default();
        for binding in ScreenId::ALL.into_iter().flat_map(|screen| keys.bindings(screen)) {
            assert!(!binding.help.is_empty(), "{:?} is not explained", binding.action);
        }
    }

    #[test]
    fn a_file_gives_keys_and_what_is_taken_keeps_its_other_keys() {
        let keys = of("[everywhere]\nhelp = \"F1\"\n[results]\ndelete = [\"ctrl-x\", \"t\"]\ntag = \"d\"\n").unwrap();
        for screen in ScreenId::ALL {
            assert_eq!(keys.action(screen, KeyPress::F(1)), Some(Action::Help));
            assert_eq!(keys.action(screen, KeyPress::Char('?')), Some(Action::Help), "the usual key stays");
        }
        let results = |key| keys.action(ScreenId::Results, key);
        assert_eq!(results(KeyPress::Ctrl('x')), Some(Action::Delete));
        assert_eq!(results(KeyPress::Char('t')), Some(Action::Delete));
        assert_eq!(results(KeyPress::Delete), Some(Action::Delete));
        assert_eq!(results(KeyPress::Char('d')), Some(Action::Tag));
        assert_eq!(keys.action(ScreenId::Tune, KeyPress::Char('d')), Some(Action::Reset));
    }

    #[test]
    fn a_wrong_file_is_refused_with_the_line_and_what_was_expected() {
        let refused = |text: &str| of(text).map(|_| ()).unwrap_err();
        for (text, said) in [
            ("[result]\ntag = \"t\"\n", "keys.toml:1:2: unknown screen `result`: did you mean `results`"),
            ("[results]\nteg = \"t\"\n", "keys.toml:2:1: unknown action `teg` of `results`: did you mean `tag`"),
            (
                "[results]\ntag = \"ctrl-alt-t\"\n",
                "keys.toml:2:8: `ctrl-alt-t` of `tag` is no key: expected a character",
            ),
            ("[results]\ntag = \"q\"\n", "`q` is `tag` and `quit` on Results: expected one of them"),
            ("[results]\ntag = \"n\"\n", "`note` of Results has no key left: give it one"),
            ("[results]\ntag = 7\n", "keys.toml:2:7: "),
        ] {
            let refused = refused(text);
            assert!(refused.contains(said), "expected `{said}` in `{refused}`");
        }
    }

    #[test]
    fn names_of_keys_are_those_of_hints() {
        for binding in ScreenId::ALL.into_iter().flat_map(table::bindings).chain(table::EVERYWHERE) {
            for key in binding.keys.iter() {
                assert_eq!(KeyPress::of_name(&key.word()), Some(*key));
            }
        }
        assert_eq!(KeyPress::of_name("f13").or(KeyPress::of_name("")).or(KeyPress::of_name("ctrl-")), None);
    }
}
