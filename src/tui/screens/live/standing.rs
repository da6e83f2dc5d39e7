//! How configurations stand against the first: what `compare --reference` says of the runs so far.

use super::gathered::Gathered;
use crate::compare::{JudgedRatio, Line, ObstacleKind, Options, by_configuration, compare_all};
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

/// How a test of a configuration stands against the same of the reference.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Standing {
    /// Ratio, interval and verdict, as far as there are enough runs.
    Judged(JudgedRatio),
    /// They are not compared, because of this.
    Withheld(ObstacleKind),
}

/// How all configurations of a session stand.
#[derive(Debug, Clone, Default)]
pub struct Standings {
    /// Whose runs they are of.
    pub(super) session: Uuid,
    /// Configurations, one a size, that the others stand against.
    pub(super) reference: BTreeSet<usize>,
    /// By configuration and test.
    pub(super) tests: BTreeMap<(usize, u32), Standing>,
}

impl Gathered {
    /// Compares all configurations with the reference, the first. All tests are one family, as everywhere.
    pub(super) fn standings(&self) -> Standings {
        let mut parts = by_configuration(&self.side()).into_iter();
        let Some(first) = parts.next() else { return Standings { session: self.session(), ..Standings::default() } };
        let candidates: Vec<_> = parts.collect();
        let options = Options { first_look: self.first_look, ..Options::default() };
        let mut tests = BTreeMap::new();
        for (candidate, comparison) in candidates.iter().zip(compare_all(&candidates, &first, &options)) {
            for line in comparison.lines.iter().filter(|line| line.actor.is_none()) {
                let run = candidate.runs.iter().find(|run| *run.size == *line.size);
                let configuration = run.and_then(|run| self.configuration(run));
                if let Some((configuration, standing)) = configuration.zip(standing(line)) {
                    tests.insert((configuration, line.test), standing);
                }
            }
        }
        let reference = first.runs.iter().filter_map(|run| self.configuration(run)).collect();
        Standings { session: self.session(), reference, tests }
    }
}

/// None where one of the two has no figure yet.
fn standing(line: &Line) -> Option<Standing> {
    let refusal = line.obstacles.iter().find(|obstacle| !obstacle.allowed).map(|obstacle| obstacle.kind);
    match (&line.found, refusal) {
        (_, Some(ObstacleKind::OneSide)) => None,
        (Some(found), _) => Some(Standing::Judged(found.clone())),
        (None, refusal) => refusal.map(Standing::Withheld),
    }
}
