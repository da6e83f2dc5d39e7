//! The charts of the HTML report that stand beside its tables: plain numbers and words that the template puts into SVG.

mod axis;
mod beside;
mod forest;
mod points;
mod sizes;

pub(super) use beside::{BesideCell, BesideColumn, columns};
pub(super) use forest::{ForestAxis, ForestPlot};
pub(super) use points::{PointsPage, points};
pub(super) use sizes::{GrowthPanel, growth_panels};

use super::{charts::rounded, words};
use dbdyno_comparing::compare::Line;

/// A line's name in a chart that has lines of several sizes and parts.
fn title(line: &Line) -> String {
    format!("{} {} · size {} {}", line.test, line.name, line.size, words::part(&line.part)).trim_end().to_owned()
}

/// The words with an end that says that they go on, where they are longer than so many characters.
fn shortened(words: &str, most: usize) -> String {
    match words.char_indices().nth(most.saturating_sub(1)) {
        Some((end, _)) if words.chars().count() > most => format!("{}…", words[..end].trim_end()),
        _ => words.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_end_in_an_ellipsis() {
        assert_eq!(shortened("Writes", 6), "Writes");
        assert_eq!(shortened("Größenänderung", 6), "Größe…");
    }
}
