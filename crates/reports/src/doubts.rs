//! Doubts in a report: named in its answer, told in full after the figures.

use super::sheet::{Section, Tone};
use dbdyno_comparing::doubt::{Doubt, DoubtAbout};
use dbdyno_foundation::base::units::counted;

/// The most doubts that the answer names.
const NAMED: usize = 3;

/// Returns how many kinds of doubts there are, with the first names: `2 doubts: noisy host, did not settle.` The gravest come
/// first. None without doubts.
pub fn doubts_sentence(doubts: &[Doubt]) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    for doubt in sorted(doubts) {
        if !names.contains(&doubt.name.as_str()) {
            names.push(&doubt.name);
        }
    }
    let count = counted(names.len(), "doubt");
    let more = names.len().saturating_sub(NAMED);
    let shown = names.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!names.is_empty()).then(|| format!("{count}: {shown}{more}."))
}

/// Returns the doubts, those about each thing as a section.
pub(crate) fn doubts_sections(doubts: &[Doubt]) -> Vec<Section> {
    let of = |about: DoubtAbout| {
        let own = doubts.iter().filter(|doubt| doubt.about == about).map(|doubt| doubt.message.clone());
        Section::toned(Tone::Warnings, about.heading(), own.collect())
    };
    DoubtAbout::ALL.into_iter().filter_map(of).collect()
}

/// Returns the sentences of doubts, the gravest first.
pub fn doubt_messages(doubts: &[Doubt]) -> Vec<String> {
    sorted(doubts).into_iter().map(|doubt| doubt.message.clone()).collect()
}

fn sorted(doubts: &[Doubt]) -> Vec<&Doubt> {
    let mut sorted: Vec<&Doubt> = doubts.iter().collect();
    sorted.sort_by_key(|doubt| doubt.about);
    sorted
}
