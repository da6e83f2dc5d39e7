//! Whether a description is consistent: what it declares about options, tiers and suites has to fit together.

use dbdyno_engine::{
    describe::{Description, OptionKind, OptionSpec},
    settings::Settings,
};
use dbdyno_foundation::base::units::counted;
use std::collections::{BTreeMap, BTreeSet};

/// Summarises a description in words.
///
/// # Errors
/// All faults of the description.
pub(super) fn check(description: &Description) -> Result<String, String> {
    let faults = faults(description);
    if !faults.is_empty() {
        return Err(faults.join("; "));
    }
    let kinds: Vec<&str> = description.suites.iter().map(|kind| kind.word()).collect();
    let (protocol, options) = (description.protocol, counted(description.options.len(), "option"));
    let tiers = counted(description.tiers.len(), "tier rule");
    Ok(format!("protocol {protocol}, suites of {}, {options}, {tiers}", kinds.join(" and ")))
}

fn faults(description: &Description) -> Vec<String> {
    let mut faults = Vec::new();
    for (field, text) in [("about", &description.about), ("version", &description.version)] {
        if text.trim().is_empty() || text.contains('\n') {
            faults.push(format!("`{field}` is `{text}`: expected one line"));
        }
    }
    if let Some(licence) = &description.licence
        && (licence.trim().is_empty() || licence.contains(char::is_control))
    {
        faults.push(format!("`licence` is `{licence}`: expected an SPDX expression, as `MIT OR Apache-2.0`"));
    }
    for language in description.languages.iter().filter(|language| !is_language(language)) {
        faults.push(format!("`languages` has `{language}`: expected a word in lower case, as `rust` or `c++`"));
    }
    if description.suites.is_empty() {
        faults.push("`suites` is empty: expected \"kv\", \"sql\" or both".to_owned());
    }
    for kind in description.threads.keys().filter(|kind| !description.suites.contains(kind)) {
        faults.push(format!("`threads` has {0}, but `suites` has no {0}", kind.word()));
    }
    let mut names = BTreeSet::new();
    for option in &description.options {
        if !names.insert(&option.name) {
            faults.push(format!("duplicate option `{}`", option.name));
        }
        faults.extend(fault_of_option(option).map(|fault| format!("option `{}`: {fault}", option.name)));
    }
    for (name, about) in &description.counters {
        let is_name = |text: &str| text.chars().all(|c| matches!(c, 'a'..='z' | '0'..='9' | '_'));
        if name.is_empty() || !is_name(name) {
            faults.push(format!("counter `{name}`: expected a name of lower-case letters, digits and `_`"));
        }
        if about.trim().is_empty() {
            faults.push(format!("counter `{name}`: expected what it counts, and not an empty text"));
        }
    }
    let tiers = description.tiers.iter().map(|rule| ("tiers", &rule.when));
    let conflicts = description.conflicts.iter().map(|conflict| ("conflicts", &conflict.when));
    for (list, when) in tiers.chain(conflicts) {
        faults.extend(fault_of_condition(description, when).map(|fault| format!("`{list}`: {fault}")));
    }
    // The defaults of wrong options cannot be checked.
    if faults.is_empty()
        && let Ok(defaults) = Settings::resolve(description, &BTreeMap::new())
        && let Some(conflict) = description.conflict(&defaults)
    {
        faults.push(format!("its defaults are refused: {conflict}"));
    }
    faults
}

/// Whether a text is the name of a language, as `c`, `c++`, `c#` or `objective-c`.
fn is_language(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_lowercase())
        && text.chars().all(|c| matches!(c, 'a'..='z' | '0'..='9' | '+' | '#' | '-'))
}

fn fault_of_option(option: &OptionSpec) -> Option<String> {
    if option.help.trim().is_empty() {
        return Some("`help` is empty: expected a description".to_owned());
    }
    let range = match &option.kind {
        OptionKind::Choice { choices } => (choices.is_empty(), "`choices` is empty".to_owned()),
        OptionKind::Integer { min, max } => (min > max, format!("`min` {min} is above `max` {max}")),
        OptionKind::Size { min, max, .. } => (min > max, format!("`min` {min} is above `max` {max}")),
        OptionKind::Bool | OptionKind::Path => (false, String::new()),
    };
    if range.0 {
        return Some(range.1);
    }
    match option.kind.canonical(&option.default) {
        Err(expected) => Some(format!("its default is `{}`: expected {expected}", option.default)),
        Ok(spelt) if spelt != option.default => {
            Some(format!("its default is `{}`: expected the spelling `{spelt}`", option.default))
        }
        Ok(_) => None,
    }
}

fn fault_of_condition(description: &Description, when: &BTreeMap<String, Vec<String>>) -> Option<String> {
    when.iter().find_map(|(name, values)| {
        let Some(option) = description.option(name) else {
            return Some(format!("`when` has the unknown option `{name}`"));
        };
        let taken = |value: &&String| option.kind.canonical(value).as_ref() != Ok(*value);
        let wrong = values.iter().find(taken)?;
        Some(format!("`when` has the value `{wrong}` of `{name}`: not a value of that option in this spelling"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_engine::{
        describe::Conflict,
        durability::{Tier, TierRule},
        suite::SuiteKind,
    };

    fn described() -> Description {
        Description {
            options: vec![OptionSpec::choice("sync", &["full", "off"], "full", "what a commit waits for")],
            tiers: vec![TierRule::new(&[("sync", &["off"])], Tier::ProcessSafe, "nothing waits")],
            ..Description::new("x", "an engine", "1", &[SuiteKind::Kv])
        }
    }

    #[test]
    fn what_fits_together_is_told_in_one_line() {
        let fits = "protocol 2, suites of kv, 1 option, 1 tier rule";
        assert_eq!(check(&described()).unwrap(), fits);
        let licensed = described().licensed("blessing AND MIT", &["c", "c++", "c#", "objective-c"]);
        assert_eq!(check(&licensed).unwrap(), fits);
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let wrong = |change: fn(&mut Description)| {
            let mut description = described();
            change(&mut description);
            check(&description).unwrap_err()
        };
        assert_eq!(wrong(|it| it.about.clear()), "`about` is ``: expected one line");
        let licence =
            |licence: &str| check(&Description { licence: Some(licence.to_owned()), ..described() }).unwrap_err();
        assert_eq!(licence(" "), "`licence` is ` `: expected an SPDX expression, as `MIT OR Apache-2.0`");
        assert!(licence("MIT\nISC").starts_with("`licence` is `MIT\nISC`: expected an SPDX expression"));
        assert!(licence("MIT\u{1b}[31m").contains("expected an SPDX expression"));
        for language in ["", "Rust", "c, rust", "1c", "c\n"] {
            let told = check(&described().licensed("MIT", &["c", language])).unwrap_err();
            assert_eq!(
                told,
                format!("`languages` has `{language}`: expected a word in lower case, as `rust` or `c++`")
            );
        }
        assert!(wrong(|it| it.suites.clear()).starts_with("`suites` is empty"));
        assert_eq!(wrong(|it| it.options.push(it.options[0].clone())), "duplicate option `sync`");
        assert!(
            wrong(|it| it.options[0].default = "on".to_owned()).contains("its default is `on`: expected full or off")
        );
        assert!(wrong(|it| it.options[0].help.clear()).contains("option `sync`: `help` is empty"));
        let integer = |it: &mut Description| it.options.push(OptionSpec::integer("n", 2, 1, "1", "a number"));
        assert!(wrong(integer).contains("`min` 2 is above `max` 1"));
        let unknown = |it: &mut Description| it.tiers.push(TierRule::new(&[("fsync", &["off"])], Tier::Unsafe, ""));
        assert_eq!(wrong(unknown), "`tiers`: `when` has the unknown option `fsync`");
        let value = |it: &mut Description| it.conflicts.push(Conflict::new(&[("sync", &["OFF"])], ""));
        assert!(wrong(value).contains("`conflicts`: `when` has the value `OFF` of `sync`"));
        let defaults = |it: &mut Description| it.conflicts.push(Conflict::new(&[("sync", &["full"])], "never"));
        assert!(wrong(defaults).contains("its defaults are refused: sync=full"));
    }
}
