//! The dialogs of the Compare screen (selections, allowed differences, pivot keys) and the handling of their replies.

use super::{CompareScreen, CompareView, FirstView, Intents, Request};
use crate::tui::{
    filter::{ListFilter, OF_TESTS},
    overlay::{FilterKeys, ListItem, Reply},
    screens::{further::begin, intent::Intent},
    world::World,
};
use dbdyno_catalog::Difference;
use dbdyno_comparing::compare::{Axis, Comparison, Line, ObstacleKind};
use dbdyno_foundation::{base::units::counted, metric::Metric};
use dbdyno_store::Selection;
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

/// The questions that the Compare screen asks the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Dialog {
    /// The selection of side A.
    A,
    /// The selection of side B.
    B,
    /// The filter for the tests shown.
    Filter,
    /// The differences to allow.
    Allow,
    /// The metric to compare.
    Metric,
    PivotRow,
    /// The key of the pivot's columns; this value is the key of its rows.
    PivotColumn(Axis),
    /// The file to write the comparison to.
    Export,
    /// Confirmation of rounds that take long.
    Further,
}

/// Asks for the selection of a side.
pub(super) fn ask_side(dialog: Dialog, text: &str) -> Intent<Request, Dialog> {
    let title = if dialog == Dialog::A { "Side A" } else { "Side B" };
    Intent::filter(dialog, title, FilterKeys::Stored, text)
}

impl CompareScreen {
    /// Allows all differences that prevent a comparison, or none any more.
    pub(super) fn allow(&mut self) -> Intents {
        let shown = self.lines_shown();
        let differs = |one: &Difference| {
            let mut found = shown.iter().flat_map(|line| &line.obstacles);
            found.any(|found| found.kind == ObstacleKind::Differ(*one) && !found.allowed)
        };
        let mut refused: BTreeSet<Difference> = Difference::ALL.into_iter().filter(differs).collect();
        if self.looked.view == CompareView::Matrix && self.matrix().is_some_and(|matrix| matrix.groups().count() > 1) {
            refused.insert(Difference::Tiers);
        }
        let said = if refused.is_empty() {
            self.looked.allowed.clear();
            "differences prevent a verdict again".to_owned()
        } else {
            let words: Vec<&str> = refused.iter().map(|one| one.word()).collect();
            self.looked.allowed.extend(&refused);
            format!("compared although {} differ: o undoes", words.join(", "))
        };
        let mut intents = self.ask();
        intents.push(Intent::said(said));
        intents
    }

    /// Asks which differences to allow, and shows where each prevents a comparison.
    pub(super) fn ask_allowed(&self) -> Intents {
        let lines = self.lines_shown();
        let items = Difference::ALL.map(|difference| {
            let differs = |kind: &ObstacleKind| *kind == ObstacleKind::Differ(difference);
            let met = lines.iter().filter(|line| line.obstacles.iter().any(|found| differs(&found.kind))).count();
            let detail = match met {
                0 => "in no test".to_owned(),
                met => format!("in {met} of {} tests", lines.len()),
            };
            ListItem {
                chosen: self.looked.allowed.contains(&difference),
                ..ListItem::new(difference.meaning(), detail)
            }
        });
        let dialog = Dialog::Allow;
        vec![Intent::choose_several(dialog, "Compare anyway despite these differences", items.to_vec())]
    }

    /// Asks for the metric to compare: one of those that both sides have.
    pub(super) fn ask_metric(&self) -> Intents {
        if self.metrics().is_empty() {
            return Intents::new();
        }
        let item = |metric: &Metric| ListItem {
            chosen: *metric == self.looked.metric,
            ..ListItem::new(metric.title().to_owned(), metric.name().to_owned())
        };
        vec![Intent::choose_one(Dialog::Metric, "Figure to compare", self.metrics().iter().map(item).collect())]
    }

    /// Returns the lines that the view shows.
    pub(super) fn lines_shown(&self) -> Vec<&Line> {
        match self.looked.view.is_of_session() {
            true => self.session_shown().iter().flat_map(|side| &side.lines).collect(),
            false => self.compared().into_iter().flat_map(|compared| &compared.plain.lines).collect(),
        }
    }

    /// Returns the metrics that can be compared here.
    pub(super) fn metrics(&self) -> &[Metric] {
        match self.looked.view.is_of_session() {
            true => self.matrix().map_or(&[], |matrix| matrix.metrics.as_slice()),
            false => self.compared().map_or(&[], |compared| compared.metrics.as_slice()),
        }
    }

    /// Asks for the pivot's row key, then for its column key.
    pub(super) fn ask_axes(&self, row: Option<Axis>) -> Intents {
        let Some(compared) = self.compared() else { return Intents::new() };
        let items = |row: Option<&Axis>| {
            let current = if row.is_some() { &self.looked.axes.1 } else { &self.looked.axes.0 };
            let item = |(axis, values): (Axis, usize)| {
                let detail = counted(values, "value");
                ListItem { chosen: axis == *current, ..ListItem::new(axis.to_string(), detail) }
            };
            axes(&compared.plain, row).into_iter().map(item).collect()
        };
        let (title, dialog) = match &row {
            None => ("Rows of the pivot".to_owned(), Dialog::PivotRow),
            Some(row) => (format!("Rows are {row}. Columns"), Dialog::PivotColumn(row.clone())),
        };
        vec![Intent::choose_one(dialog, title, items(row.as_ref()))]
    }

    /// Handles the user's reply.
    ///
    /// # Errors
    /// The reason why the reply is invalid, with the expected form.
    pub(super) fn take_reply(&mut self, dialog: &Dialog, reply: Reply, world: &World) -> Result<Intents, String> {
        match (dialog, reply) {
            (Dialog::A | Dialog::B, Reply::Text(text)) => return self.take_side(dialog, text),
            // Comparing takes time, so typing only reports errors in the selection.
            (Dialog::A | Dialog::B, Reply::Typing(text)) if !text.trim().is_empty() => {
                Selection::parse_line(&text)?;
            }
            (Dialog::Filter, Reply::Typing(text) | Reply::Text(text)) => {
                self.looked.filter = ListFilter::read(&text, OF_TESTS)?;
                self.looked.cursors = Default::default();
            }
            (Dialog::Allow, Reply::Chosen(chosen)) => {
                self.looked.allowed = chosen.iter().filter_map(|&at| Difference::ALL.get(at).copied()).collect();
                return Ok(self.ask());
            }
            (Dialog::Metric, Reply::Chosen(chosen)) => {
                if let Some(metric) = chosen.first().and_then(|&at| self.metrics().get(at)).copied() {
                    self.looked.metric = metric;
                    return Ok(self.ask());
                }
            }
            (Dialog::PivotRow, Reply::Chosen(chosen)) => {
                return Ok(self.chosen_axis(None, &chosen).map_or_else(Intents::new, |row| self.ask_axes(Some(row))));
            }
            (Dialog::PivotColumn(row), Reply::Chosen(chosen)) => {
                if let Some(column) = self.chosen_axis(Some(row), &chosen) {
                    self.looked.axes = (row.clone(), column);
                    self.looked.view = CompareView::Pivot;
                    self.looked.column = 0;
                    return Ok(self.ask());
                }
            }
            (Dialog::Export, Reply::Text(path)) => return self.export(&path, world),
            (Dialog::Further, Reply::Yes) => {
                return Ok(self.further.take().map_or_else(Intents::new, |further| begin(*further)));
            }
            _ => {}
        }
        Ok(Intents::new())
    }

    fn take_side(&mut self, dialog: &Dialog, text: String) -> Result<Intents, String> {
        if text.is_empty() {
            return Err("expected terms, as in engine=lmdb size=10000".to_owned());
        }
        Selection::parse_side(&text)?;
        let (a, b) = if *dialog == Dialog::A { (text, self.looked.b.clone()) } else { (self.looked.a.clone(), text) };
        // Differences allowed between the previous sides are not allowed between these.
        self.looked.allowed.clear();
        if a.is_empty() || b.is_empty() {
            (self.looked.a, self.looked.b) = (a, b);
            let missing =
                if self.looked.a.is_empty() { "press a to choose side A" } else { "press b to choose side B" };
            return Ok(vec![Intent::said(missing)]);
        }
        self.looked.since = None;
        Ok(self.take_sides(a, b, FirstView::Pair))
    }

    fn chosen_axis(&self, row: Option<&Axis>, chosen: &[usize]) -> Option<Axis> {
        let (axis, _) = axes(&self.compared()?.plain, row).into_iter().nth(*chosen.first()?)?;
        Some(axis)
    }
}

/// Returns the keys that the comparison can be spread over (except the row key), each with its number of values. Keys of the configuration
/// divide side A, so A's values count.
fn axes(comparison: &Comparison, but: Option<&Axis>) -> Vec<(Axis, usize)> {
    let mut properties: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for one in &comparison.a.configurations {
        properties.entry("label".to_owned()).or_default().insert(one.label.clone());
        for (word, value) in one.configuration.facts() {
            properties.entry(word.to_owned()).or_default().insert(value);
        }
    }
    let sizes: BTreeSet<&str> = comparison.lines.iter().map(|line| line.size.as_str()).collect();
    let tests: BTreeSet<(u32, &str)> = comparison.lines.iter().map(|line| (line.test, line.name.as_str())).collect();
    let sessions = || comparison.a.sessions.iter().chain(&comparison.b.sessions);
    let ids: BTreeSet<Uuid> = sessions().map(|session| session.session_id).collect();
    let hosts: BTreeSet<&str> = sessions().map(|session| session.host.name.as_str()).collect();
    let suites = properties.remove("suite").map_or(0, |suites| suites.len());
    let counted = [
        (Axis::Test, tests.len()),
        (Axis::Size, sizes.len()),
        (Axis::Suite, suites),
        (Axis::Host, hosts.len()),
        (Axis::Session, ids.len()),
    ];
    // Only keys with several values are worth spreading over, so they come first.
    let mut named: Vec<(Axis, usize)> =
        properties.into_iter().filter_map(|(word, values)| Some((Axis::parse(&word).ok()?, values.len()))).collect();
    named.sort_by_key(|(_, values)| *values < 2);
    counted.into_iter().chain(named).filter(|(axis, _)| Some(axis) != but).collect()
}
