//! Further looks at undecided comparisons: the number of rounds that they need, and the share of the error budget that they may spend.

use super::model::{Comparison, Line};
use dbdyno_stats::{ALPHA, Logs, MORE_ROUNDS_CAP, Spending, Verdict, more_rounds, rounds_needed};
use uuid::Uuid;

/// Another look at an undecided line: more rounds of its pair of configurations and its test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnotherLook {
    /// A run of A and one of B, which identify the configurations.
    pub runs: [Uuid; 2],
    /// The labels of the configurations in their session.
    pub labels: [String; 2],
    pub size: String,
    pub test: u32,
    pub name: String,
    /// The number of the look, from 2.
    pub look: u32,
    /// The number of further rounds with which nine in ten are decided, as this look will judge them.
    pub rounds: u32,
}

impl AnotherLook {
    /// Returns the title of a session that makes this look: `look 2 at 4 Random reads: 20 more rounds of lmdb and redb`.
    pub fn words(&self) -> String {
        let Self { labels: [a, b], size, test, name, look, rounds, .. } = self;
        format!("look {look} at {test} {name}, size {size}: {rounds} more rounds of {a} and {b}")
    }

    /// Returns the cost of this look: `look 2 needs p below 1.25 % in place of 5 %`.
    pub fn price(&self) -> String {
        price(self.look)
    }
}

/// Describes the cost of a look.
pub fn price(look: u32) -> String {
    format!("look {look} needs p below {} % instead of {} %", percent(Spending::at_look(look, 1).alpha), percent(ALPHA))
}

/// Formats a share with three digits, enough to distinguish halves of 5 %.
fn percent(part: f64) -> String {
    let text = format!("{:.3}", part * 100.0);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

impl Comparison {
    /// Plans another look at one of its lines.
    ///
    /// # Errors
    /// Returns the reason why more rounds would not decide the line.
    pub fn another_look(&self, line: &Line) -> Result<AnotherLook, String> {
        let (Some(a), Some(b), Some(found)) = (&line.a, &line.b, &line.found) else {
            return Err("it is not comparable: more rounds do not change that".to_owned());
        };
        if line.actor.is_some() {
            return Err("it is a part of its test: add rounds to the whole test".to_owned());
        }
        if !found.is_open() {
            return Err("it is decided".to_owned());
        }
        if found.sessions.is_some() {
            return Err(match found.paired {
                true => "A/B differs between sessions: more sessions show by how much, more rounds do not",
                false => "A and B were measured in different sessions: run both in one",
            }
            .to_owned());
        }
        let look = line.looks + 1;
        let spending = Spending::at_look(look, 1);
        let tests = self.tests_at_next() * spending.factor as usize;
        let rounds = match found.verdict {
            Verdict::TooFew { .. } => rounds_needed(tests).saturating_sub(a.values.len().min(b.values.len())) as u32,
            _ => Logs::new(&a.values, &b.values, found.paired)
                .ok()
                .and_then(|logs| more_rounds(&logs, line.noise_floor.value, tests, spending.alpha))
                .ok_or_else(|| format!("over {MORE_ROUNDS_CAP} more rounds would be needed: {}", price(look)))?,
        };
        let (Some(of_a), Some(of_b)) = (a.run_ids.last(), b.run_ids.last()) else {
            return Err("it has no known run".to_owned());
        };
        Ok(AnotherLook {
            runs: [*of_a, *of_b],
            labels: [a.label.clone(), b.label.clone()],
            size: line.size.clone(),
            test: line.test,
            name: line.name.clone(),
            look,
            // An even number, so that A and B lead equally often.
            rounds: rounds.max(2).next_multiple_of(2),
        })
    }

    /// Plans further looks at all lines that more rounds would decide.
    pub fn other_looks(&self) -> Vec<AnotherLook> {
        self.lines.iter().filter_map(|line| self.another_look(line).ok()).collect()
    }

    /// Returns the factor by which the adjustment multiplies the next p value that could become significant.
    fn tests_at_next(&self) -> usize {
        let tests = self.lines.iter().filter(|line| line.actor.is_none());
        let p = tests.clone().filter_map(|line| line.found.as_ref()?.p_adjusted);
        let significant = p.filter(|p| *p < ALPHA).count();
        // Lines with too few rounds have no p yet.
        let comparable = tests.filter(|line| line.found.is_some()).count();
        self.compared.max(comparable).div_ceil(significant + 1).max(1)
    }
}
