//! The race: tests as rows, configurations as columns, the figures so far in the cells.

use super::{WatchedSession, gathered::RunTime, standing::Standing};
use dbdyno_engine::size::Size;
use dbdyno_foundation::metric::Metric;
use dbdyno_stats::Verdict;

/// A configuration at all its sizes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RaceColumn<'s> {
    pub(crate) label: &'s str,
    /// Indices among the session's configurations, each with its size.
    places: Vec<(Size, usize)>,
}

/// A test at a size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RaceRow<'s> {
    pub(crate) size: Size,
    pub(crate) test: u32,
    pub(crate) name: &'s str,
}

/// A test of a configuration.
#[derive(Debug)]
pub(crate) struct RaceCell<'s> {
    /// The metric of its figures.
    pub(crate) metric: Metric,
    /// The times, in the order of its runs.
    pub(crate) times: &'s [RunTime],
    /// Runs that failed before the test was finished.
    pub(crate) failed: usize,
    pub(crate) place: RacePlace<'s>,
    pub(crate) is_under_way: bool,
}

/// A configuration compared with its reference in a test.
#[derive(Debug, PartialEq)]
pub(crate) enum RacePlace<'s> {
    /// Nothing is known of the comparison yet.
    Open,
    /// It is the reference of others. The flag shows whether each of them was shown to be slower.
    Reference {
        is_fastest: bool,
    },
    Against(&'s Standing),
}

impl RaceColumn<'_> {
    /// Returns the configuration's index in the session at a size.
    pub(crate) fn at(&self, size: Size) -> Option<usize> {
        self.places.iter().find(|(of, _)| *of == size).map(|(_, place)| *place)
    }
}

impl WatchedSession {
    /// Returns the configurations, each once for all its sizes.
    pub(crate) fn race_columns(&self) -> Vec<RaceColumn<'_>> {
        let mut columns: Vec<RaceColumn<'_>> = Vec::new();
        for (place, one) in self.configurations.iter().enumerate() {
            match columns.iter_mut().find(|column| column.label == one.label) {
                Some(column) => column.places.push((one.size, place)),
                None => columns.push(RaceColumn { label: &one.label, places: vec![(one.size, place)] }),
            }
        }
        columns
    }

    /// Returns the tests, grouped by size.
    pub(crate) fn race_rows(&self) -> Vec<RaceRow<'_>> {
        let mut sizes: Vec<Size> = Vec::new();
        for one in &self.configurations {
            if !sizes.contains(&one.size) {
                sizes.push(one.size);
            }
        }
        let of_size =
            |size| self.tests.iter().map(move |(test, name)| RaceRow { size, test: *test, name: name.as_str() });
        sizes.into_iter().flat_map(of_size).collect()
    }

    pub(crate) fn race_cell(&self, configuration: usize, test: u32) -> RaceCell<'_> {
        let times = self.gathered.times(configuration, test);
        let failed = |&&ordinal: &&usize| {
            self.runs.get(ordinal).is_some_and(|run| run.configuration == configuration)
                && !times.iter().any(|time| time.ordinal as usize == ordinal)
        };
        RaceCell {
            metric: self.gathered.metric(),
            times,
            failed: self.failed.iter().filter(failed).count(),
            place: self.race_place(configuration, test),
            is_under_way: self.test_under_way() == Some((configuration, test)),
        }
    }

    /// Returns the labels of the references; before a test is finished, of the first configuration.
    pub(crate) fn references(&self) -> Vec<&str> {
        let mut labels: Vec<&str> = Vec::new();
        let places = self.standings.references.iter().copied();
        let labelled = places.filter_map(|place| self.configurations.get(place)).map(|one| one.label.as_str());
        for label in labelled {
            if !labels.contains(&label) {
                labels.push(label);
            }
        }
        if labels.is_empty() {
            self.configurations.iter().take(1).map(|one| one.label.as_str()).collect()
        } else {
            labels
        }
    }

    /// Returns the configuration and number of the test in progress; between two tests of a run, of the one that has just ended.
    pub(crate) fn test_under_way(&self) -> Option<(usize, u32)> {
        let run = self.runs.get(self.run_under_way()?)?;
        Some((run.configuration, self.figures.as_ref()?.number))
    }

    fn race_place(&self, configuration: usize, test: u32) -> RacePlace<'_> {
        if let Some(standing) = self.standings.tests.get(&(configuration, test)) {
            return RacePlace::Against(standing);
        }
        if !self.standings.references.contains(&configuration) {
            return RacePlace::Open;
        }
        let rivals = self.standings.against.iter().filter(|(_, reference)| **reference == configuration);
        let mut rivals = rivals.map(|(place, _)| self.standings.tests.get(&(*place, test))).peekable();
        let is_slower = |standing: Option<&Standing>| matches!(standing, Some(Standing::Judged(found)) if found.verdict == Verdict::Slower);
        RacePlace::Reference { is_fastest: rivals.peek().is_some() && rivals.all(is_slower) }
    }
}
