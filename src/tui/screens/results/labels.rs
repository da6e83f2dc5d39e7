//! The labels of configurations: the label that they had in their session, with the options that distinguish them from others of that
//! label.

use crate::tui::widgets::names::values_only;
use dbdyno_store::{OptionValues, StoredRun};
use std::collections::BTreeMap;
use unicode_width::UnicodeWidthStr;

/// For each label of configurations with different options, the names of these options.
#[derive(Debug, Clone, Default)]
pub(crate) struct Labels {
    telling: BTreeMap<String, Vec<String>>,
}

impl Labels {
    pub(crate) fn new(telling: BTreeMap<String, Vec<String>>) -> Self {
        Self { telling }
    }

    /// Returns the label of a configuration with these options.
    pub(crate) fn whole(&self, label: &str, options: Option<&OptionValues>) -> String {
        self.joined(label, label.to_owned(), options, |name, value| format!("{name}={value}"))
    }

    /// Returns the label for the given number of terminal columns, without the names of options if necessary.
    pub(crate) fn fitted(&self, label: &str, options: Option<&OptionValues>, columns: usize) -> String {
        let whole = self.whole(label, options);
        if whole.width() <= columns {
            return whole;
        }
        self.joined(label, values_only(label), options, |_, value| value.to_owned())
    }

    /// Returns the label of a stored run.
    pub(crate) fn of_run(&self, run: &StoredRun) -> String {
        // If the engine and the suite have an option of the same name, the engine's option takes precedence.
        let (of_suite, of_engine): (Vec<_>, Vec<_>) = run.options.iter().partition(|option| option.of_suite);
        let options: OptionValues = of_suite
            .into_iter()
            .chain(of_engine)
            .filter_map(|option| Some((option.name.clone(), option.in_force.clone().or_else(|| option.asked.clone())?)))
            .collect();
        self.whole(&run.label, Some(&options))
    }

    /// Joins `begin` and the formatted options that distinguish the label's configurations.
    fn joined(
        &self,
        label: &str,
        begin: String,
        options: Option<&OptionValues>,
        shown: impl Fn(&str, &str) -> String,
    ) -> String {
        let names = self.telling.get(label).map_or(&[][..], Vec::as_slice);
        let value = |name: &String| Some(shown(name, options?.get(name)?));
        std::iter::once(begin).chain(names.iter().filter_map(value)).collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_that_several_have_is_told_apart_by_what_differs() {
        let telling = ["journal_mode", "synchronous"].map(str::to_owned).to_vec();
        let labels = Labels::new(BTreeMap::from([("sqlite".to_owned(), telling)]));
        let options = OptionValues::from(
            [("journal_mode", "wal"), ("page_size", "4096"), ("synchronous", "full")]
                .map(|(name, value)| (name.to_owned(), value.to_owned())),
        );
        let whole = "sqlite journal_mode=wal synchronous=full";
        assert_eq!(labels.whole("sqlite", Some(&options)), whole);
        assert_eq!(labels.fitted("sqlite", Some(&options), 40), whole);
        assert_eq!(labels.fitted("sqlite", Some(&options), 39), "sqlite wal full");
        assert_eq!(labels.whole("lmdb", Some(&options)), "lmdb");
        assert_eq!(labels.fitted("redb[a=1,b=two]", None, 9), "redb[1,two]");
    }
}
