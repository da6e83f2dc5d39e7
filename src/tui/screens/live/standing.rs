//! The configurations compared with the first: the verdicts of `compare --reference` for the runs so far.

use super::gathered::Gathered;
use dbdyno_comparing::compare::{
    JudgedRatio, Line, ObstacleKind, Options, Side, as_rates, by_configuration, compare_groups, grouped,
};
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

/// A configuration's test compared with the reference's.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Standing {
    /// Ratio, interval and verdict, if there are enough runs.
    Judged(JudgedRatio),
    /// The tests are not compared, for this reason.
    Withheld(ObstacleKind),
}

/// All configurations of a session, compared with their references.
#[derive(Debug, Clone, Default)]
pub struct Standings {
    /// The session of the runs.
    pub(super) session: Uuid,
    /// The references, one for each group and size.
    pub(super) references: BTreeSet<usize>,
    /// The reference of each configuration that is not a reference itself.
    pub(super) against: BTreeMap<usize, usize>,
    /// The results by configuration and test.
    pub(super) tests: BTreeMap<(usize, u32), Standing>,
}

impl Gathered {
    /// Compares all configurations with the reference of their group, as the session's last table will. All tests are one family for the
    /// adjustment of p-values, as everywhere.
    pub(super) fn standings(&self) -> Standings {
        let mut side = self.side();
        as_rates([&mut side]);
        let allowed = self.closing.allow.clone();
        let groups = grouped(by_configuration(&side), &self.closing.references, &allowed).groups;
        let options = Options { first_look: self.first_look, allowed, ..Options::default() };
        let pairs = groups.iter().flat_map(|group| group.candidates.iter().map(|side| (side, &group.reference)));
        let at = |side: &Side, size: &str| {
            let run = side.runs.iter().find(|run| *run.size == *size);
            run.and_then(|run| self.configuration(run))
        };
        let (mut tests, mut against) = (BTreeMap::new(), BTreeMap::new());
        for ((candidate, reference), comparison) in pairs.zip(compare_groups(&groups, &options)) {
            for line in comparison.lines.iter().filter(|line| line.actor.is_none()) {
                if let Some((configuration, standing)) = at(candidate, &line.size).zip(standing(line)) {
                    tests.insert((configuration, line.test), standing);
                    against.extend(at(reference, &line.size).map(|reference| (configuration, reference)));
                }
            }
        }
        let of_reference = groups.iter().flat_map(|group| &group.reference.runs);
        let references = of_reference.filter_map(|run| self.configuration(run)).collect();
        Standings { session: self.session(), references, against, tests }
    }
}

/// Returns none if one of the two has no figure yet.
fn standing(line: &Line) -> Option<Standing> {
    let refusal = line.obstacles.iter().find(|obstacle| !obstacle.allowed).map(|obstacle| obstacle.kind);
    match (&line.found, refusal) {
        (_, Some(ObstacleKind::OneSide)) => None,
        (Some(found), _) => Some(Standing::Judged(found.clone())),
        (None, refusal) => refusal.map(Standing::Withheld),
    }
}
