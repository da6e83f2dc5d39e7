//! Looking again at what is undecided: how many more rounds that takes, and what of the allowed false alarms they may spend.

use super::model::{Comparison, Line};
use dbdyno_stats::{ALPHA, Logs, MORE_ROUNDS_CAP, Spending, Verdict, more_rounds, rounds_needed};
use uuid::Uuid;

/// Another look at a line that is undecided: more rounds of its pair of configurations and its test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnotherLook {
    /// A run of A and one of B, which say what they are.
    pub runs: [Uuid; 2],
    /// The configurations, as they are called in their session.
    pub labels: [String; 2],
    pub size: String,
    pub test: u32,
    pub name: String,
    /// Which look it is, from 2.
    pub look: u32,
    /// With how many more rounds nine in ten are decided, as this look will judge them.
    pub rounds: u32,
}

impl AnotherLook {
    /// How a session that does it is introduced: `look 2 at 4 Random reads: 20 more rounds of lmdb and redb`.
    pub fn words(&self) -> String {
        let Self { labels: [a, b], size, test, name, look, rounds, .. } = self;
        format!("look {look} at {test} {name}, size {size}: {rounds} more rounds of {a} and {b}")
    }

    /// What it costs: `look 2 needs p below 1.25 % in place of 5 %`.
    pub fn price(&self) -> String {
        price(self.look)
    }
}

/// What a look costs, in words.
pub fn price(look: u32) -> String {
    format!(
        "look {look} needs p below {} % in place of {} %",
        percent(Spending::at_look(look, 1).alpha),
        percent(ALPHA)
    )
}

/// Three digits are enough to tell halves of 5 % apart.
fn percent(part: f64) -> String {
    let text = format!("{:.3}", part * 100.0);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

impl Comparison {
    /// Another look at one of its lines.
    ///
    /// # Errors
    /// Why more rounds would not decide it.
    pub fn another_look(&self, line: &Line) -> Result<AnotherLook, String> {
        let (Some(a), Some(b), Some(found)) = (&line.a, &line.b, &line.found) else {
            return Err("it is not comparable: more rounds change nothing about that".to_owned());
        };
        if line.actor.is_some() {
            return Err("it is a share of its test: more rounds are run of the test".to_owned());
        }
        if !found.is_open() {
            return Err("it is decided".to_owned());
        }
        if found.sessions.is_some() {
            return Err(match found.paired {
                true => "A/B differs between sessions: more sessions tell how far, more rounds do not",
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
            return Err("no run of it is known".to_owned());
        };
        Ok(AnotherLook {
            runs: [*of_a, *of_b],
            labels: [a.label.clone(), b.label.clone()],
            size: line.size.clone(),
            test: line.test,
            name: line.name.clone(),
            look,
            // Even, so that A and B lead equally often.
            rounds: rounds.max(2).next_multiple_of(2),
        })
    }

    /// Other looks at all lines that more rounds would decide.
    pub fn other_looks(&self) -> Vec<AnotherLook> {
        self.lines.iter().filter_map(|line| self.another_look(line).ok()).collect()
    }

    /// By how many the adjustment multiplies the p value that comes next to being significant.
    fn tests_at_next(&self) -> usize {
        let tests = self.lines.iter().filter(|line| line.actor.is_none());
        let p = tests.filter_map(|line| line.found.as_ref()?.p_adjusted);
        let significant = p.filter(|p| *p < ALPHA).count();
        self.compared.div_ceil(significant + 1).max(1)
    }
}
