//! A test's figures over time, and the moment that all its charts mark.

use super::{DetailSection, OpenedRun};
use crate::tui::{keys::Action, widgets::over_time::Stretch};
use dbdyno_foundation::{
    base::units::{bytes, duration, rate},
    metric::Metric,
};
use dbdyno_store::{FollowedTest, ReadingRecord, StoredRun, StoredSlot, StoredTest};

/// The panes of a run's tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum TestsPane {
    #[default]
    Table,
    /// The charts over time; Left and Right move the moment.
    OverTime,
    Latencies,
}

/// A figure with its values over time.
#[derive(Debug)]
pub(crate) struct TimedFigure {
    name: &'static str,
    pub(crate) stretches: Vec<Stretch>,
    unit: fn(f64) -> String,
}

impl TimedFigure {
    /// `p99 5.00 ms`
    pub(crate) fn shown(&self, value: f64) -> String {
        format!("{} {}", self.name, (self.unit)(value))
    }

    /// Returns the value at a moment, or `-` if it is unknown.
    pub(crate) fn at(&self, ns: u64) -> String {
        let stretch = self.stretches.get(self.stretches.partition_point(|stretch| stretch.end_ns <= ns));
        let value = stretch.filter(|stretch| stretch.end_ns - stretch.duration_ns.min(stretch.end_ns) <= ns);
        value.map_or_else(|| format!("{} -", self.name), |stretch| self.shown(stretch.value))
    }
}

/// The figures of a test that have values over time, most important first. Each has at least one value.
#[derive(Debug)]
pub(crate) struct TimedFigures {
    pub(crate) all: Vec<TimedFigure>,
    pub(crate) span_ns: u64,
}

impl TimedFigures {
    /// Returns none if the test was too short to have values.
    pub(crate) fn new(run: &StoredRun, stored: &StoredTest) -> Option<Self> {
        let value =
            |slot: &StoredSlot, value: f64| Stretch { end_ns: slot.end_ns, duration_ns: slot.duration_ns, value };
        let per_second = |slot: &StoredSlot| slot.operations as f64 * 1e9 / slot.duration_ns.max(1) as f64;
        let rates = stored.slots.iter().map(|slot| value(slot, per_second(slot))).collect();
        let slow = stored.slots.iter().filter_map(|slot| Some(value(slot, slot.p99_ns? as f64))).collect();
        let followed = run.followed.iter().find(|followed| followed.test == stored.test.test);
        let readings = |name: &str| followed.map_or_else(Vec::new, |followed| readings(followed, name));
        let mut all = vec![
            TimedFigure { name: "rate", stretches: rates, unit: rate },
            TimedFigure { name: "p99", stretches: slow, unit: duration },
            TimedFigure { name: "memory", stretches: readings("rss_bytes"), unit: in_bytes },
            TimedFigure { name: "database", stretches: readings("database_bytes"), unit: in_bytes },
            TimedFigure { name: "writes", stretches: growth(&readings("written_bytes")), unit: in_bytes_a_second },
        ];
        all.retain(|figure| !figure.stretches.is_empty());
        let ends = all.iter().filter_map(|figure| Some(figure.stretches.last()?.end_ns));
        let span_ns = ends.max()?.max(stored.test.figure(Metric::Wall).unwrap_or(0));
        Some(Self { all, span_ns })
    }

    /// Returns the time stretches through which the moment moves: those of the most important figure.
    fn steps(&self) -> &[Stretch] {
        self.all.first().map_or(&[], |figure| &figure.stretches)
    }

    /// Returns the middle of the stretch that contains a moment.
    fn nearest(&self, from: u64) -> Option<u64> {
        self.middle(self.step(from))
    }

    /// Returns the moment after an action; none if the action is not a move.
    fn moved(&self, from: u64, action: Action) -> Option<u64> {
        let (at, page) = (self.step(from), (self.steps().len() / 10).max(1));
        self.middle(match action {
            Action::Left => at.saturating_sub(1),
            Action::Right => at + 1,
            Action::PageUp => at.saturating_sub(page),
            Action::PageDown => at + page,
            Action::First => 0,
            Action::Last => usize::MAX,
            _ => return None,
        })
    }

    fn step(&self, from: u64) -> usize {
        self.steps().partition_point(|stretch| stretch.end_ns <= from)
    }

    /// Returns the middle of a stretch, or of the last one if there is no such stretch.
    fn middle(&self, step: usize) -> Option<u64> {
        let stretch = self.steps().get(step).or(self.steps().last())?;
        Some(stretch.end_ns.saturating_sub((stretch.duration_ns / 2).max(1)))
    }
}

/// Returns a counter or gauge of the worker, second by second: each stretch has the value read at its end. A counter that was always 0 has
/// no chart.
fn readings(followed: &FollowedTest, name: &str) -> Vec<Stretch> {
    let mut before = 0;
    let read: Vec<&ReadingRecord> = followed.readings.iter().filter(|reading| reading.name == name).collect();
    if read.iter().all(|reading| reading.value == 0) {
        return Vec::new();
    }
    read.into_iter()
        .map(|reading| {
            let duration_ns = reading.at_ns.saturating_sub(std::mem::replace(&mut before, reading.at_ns));
            Stretch { end_ns: reading.at_ns, duration_ns, value: reading.value as f64 }
        })
        .collect()
}

/// Returns the growth of a counter, per second.
fn growth(counted: &[Stretch]) -> Vec<Stretch> {
    let before = std::iter::once(0.0).chain(counted.iter().map(|stretch| stretch.value));
    let a_second = |(stretch, before): (&Stretch, f64)| {
        let grown = (stretch.value - before).max(0.0);
        Stretch { value: grown * 1e9 / stretch.duration_ns.max(1) as f64, ..*stretch }
    };
    counted.iter().zip(before).map(a_second).collect()
}

fn in_bytes(value: f64) -> String {
    bytes(value as u64)
}

fn in_bytes_a_second(value: f64) -> String {
    format!("{}/s", bytes(value as u64))
}

impl OpenedRun {
    /// Returns the figures over time of the selected test.
    pub(crate) fn timed(&self) -> Option<TimedFigures> {
        TimedFigures::new(&self.run, self.chosen()?)
    }

    /// Returns the pane of the tests section that has the focus; none if another section is visible.
    pub(crate) fn pane(&self) -> Option<TestsPane> {
        (self.section == DetailSection::Tests && !self.run.tests.is_empty()).then_some(self.pane)
    }

    /// Moves the focus to the next pane of the tests section.
    pub(super) fn next_pane(&mut self) {
        self.pane = match self.pane() {
            Some(TestsPane::Table) => TestsPane::OverTime,
            Some(TestsPane::OverTime) => TestsPane::Latencies,
            Some(TestsPane::Latencies) | None => TestsPane::Table,
        };
        if let Some(moment) = self.timed().and_then(|timed| timed.nearest(self.moment)) {
            self.moment = moment;
        }
    }

    /// Moves the focus back to the table of tests. Returns whether another pane had it.
    pub(super) fn left_pane(&mut self) -> bool {
        let had = self.pane().is_some_and(|pane| pane != TestsPane::Table);
        self.pane = TestsPane::Table;
        had
    }

    /// Moves the moment if the charts over time have the focus. Returns whether it handled the action.
    pub(super) fn moment_moved(&mut self, action: Action) -> bool {
        if self.pane() != Some(TestsPane::OverTime) {
            return false;
        }
        match self.timed().map(|timed| timed.moved(self.moment, action)) {
            Some(Some(moment)) => {
                self.moment = moment;
                true
            }
            Some(None) => false,
            // Without charts there is no moment to move, but the action must not switch to the next section either.
            None => matches!(action, Action::Left | Action::Right),
        }
    }

    /// Returns the moment that the charts mark, if they have the focus.
    pub(crate) fn moment(&self) -> Option<u64> {
        (self.pane() == Some(TestsPane::OverTime)).then_some(self.moment)
    }

    /// Returns all figures at the marked moment, as text.
    pub(super) fn moment_in_words(&self) -> Option<String> {
        let (moment, timed, test) = (self.moment()?, self.timed()?, &self.chosen()?.test);
        let figures: Vec<String> = timed.all.iter().map(|figure| figure.at(moment)).collect();
        Some(format!("{} {} at {}: {}", test.test, test.test_name, duration(moment as f64), figures.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(ends: &[u64]) -> TimedFigure {
        let stretch = |end: &u64| Stretch { end_ns: *end, duration_ns: 100, value: *end as f64 };
        TimedFigure { name: "rate", stretches: ends.iter().map(stretch).collect(), unit: |value| value.to_string() }
    }

    #[test]
    fn a_moment_is_one_time_in_all_figures() {
        let timed = TimedFigures { all: vec![figure(&[100, 200, 300]), figure(&[300])], span_ns: 300 };
        let moment = timed.moved(0, Action::Right).unwrap();
        let at = |moment| timed.all.iter().map(|figure| figure.at(moment)).collect::<Vec<_>>();
        assert_eq!(at(moment), ["rate 200", "rate -"]);
        assert_eq!(at(timed.moved(moment, Action::Right).unwrap()), ["rate 300", "rate 300"]);
        assert_eq!(timed.moved(moment, Action::Last), timed.moved(250, Action::Right), "it ends at the last stretch");
        assert_eq!(timed.moved(moment, Action::Left), timed.moved(moment, Action::First));
        assert_eq!(timed.moved(moment, Action::Down), None);
    }

    #[test]
    fn a_counter_is_told_as_what_it_grew_by() {
        let counted =
            [100, 300, 250].map(|value| Stretch { end_ns: 0, duration_ns: 1_000_000_000, value: f64::from(value) });
        let grown: Vec<f64> = growth(&counted).iter().map(|stretch| stretch.value).collect();
        assert_eq!(grown, [100.0, 200.0, 0.0]);
    }
}
