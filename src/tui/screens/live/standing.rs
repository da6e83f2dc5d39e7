//! How configurations stand against the first: what `compare --reference` says of the runs so far.

use super::gathered::Gathered;
use dbdyno_comparing::compare::{
    JudgedRatio, Line, ObstacleKind, Options, Side, as_rates, by_configuration, compare_groups, grouped,
};
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
    /// Configurations, one a size, that others stand against: one of each group.
    pub(super) references: BTreeSet<usize>,
    /// What each configuration stands against, where it is none of these.
    pub(super) against: BTreeMap<usize, usize>,
    /// By configuration and test.
    pub(super) tests: BTreeMap<(usize, u32), Standing>,
}

impl Gathered {
    /// Compares all configurations with the reference of their group, as the session's last table will. All tests are one family, as
    /// everywhere.
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

/// None where one of the two has no figure yet.
fn standing(line: &Line) -> Option<Standing> {
    let refusal = line.obstacles.iter().find(|obstacle| !obstacle.allowed).map(|obstacle| obstacle.kind);
    match (&line.found, refusal) {
        (_, Some(ObstacleKind::OneSide)) => None,
        (Some(found), _) => Some(Standing::Judged(found.clone())),
        (None, refusal) => refusal.map(Standing::Withheld),
    }
}
