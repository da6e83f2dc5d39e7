//! Reduces a winner. The best of many is partly lucky, and so are its parts: each change is taken out of it, and stays out unless the rest
//! is slower without it.

use super::candidates::{Aim, Candidate, values};
use crate::tune::{change::OptionChange, effect::TestEffect, price::Pair};
use dbdyno_engine::durability::Tier;
use dbdyno_stats::Verdict;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// A change that was taken out of a winner, and whether it stayed out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TakenOut {
    pub option: String,
    /// Its value in the winner.
    pub value: String,
    /// Its value in the variant that was compared with the winner.
    pub instead: String,
    /// The tier with the winner, and with the variant that was compared with it.
    pub tier: Pair<Tier>,
    /// The effect on the time: A is the winner without this change and without all that was dropped earlier, B the complete winner. None:
    /// it could not be measured.
    pub effect: Option<TestEffect>,
    /// Whether it was dropped.
    pub dropped: bool,
    /// The reason why it was kept without a measurement, or regardless of its effect on the time.
    pub reason: Option<String>,
}

/// A variant to compare with the winner.
#[derive(Debug, Clone)]
pub struct WinnerVariant {
    option: String,
    instead: String,
    /// The winner without the change. Its own change is empty if only the base remains.
    pub rest: Candidate,
}

/// A replacement for the winner's value, and the tier with it.
#[derive(Debug)]
struct Substitute {
    tier: Tier,
    option: String,
    instead: String,
}

/// The step-by-step reduction of a winner to the changes that make it fast. It returns what to measure next and receives the result.
///
/// Everything is compared with the complete winner, so that dropped changes can never add up to a noticeable loss. Changes that lower the
/// tier are removed first, starting with the value of the highest tier. Then come those that gained least in the race. So if options can
/// replace each other, durability is the last to be traded for speed.
#[derive(Debug)]
pub struct Reduction<'a> {
    aim: Aim<'a>,
    winner: Candidate,
    rest: Candidate,
    waiting: VecDeque<Substitute>,
    taken_out: Vec<TakenOut>,
    /// An estimated loss, as a ratio of times, from which on a change is kept although it is undecided.
    loss: f64,
}

impl<'a> Reduction<'a> {
    /// Starts a reduction. `gained`: the log ratio of a single change in the race, if it ran there; less than 0 is faster.
    pub fn new(aim: Aim<'a>, winner: Candidate, gained: impl Fn(&OptionChange) -> Option<f64>) -> Self {
        let mut options: Vec<(Tier, f64, Vec<Substitute>)> = winner
            .change
            .0
            .iter()
            .map(|(option, value)| {
                let places = substitutes(aim, &winner, option);
                let highest = places.iter().map(|place| place.tier).max().unwrap_or(winner.tier);
                let single = OptionChange([(option.clone(), value.clone())].into());
                (highest, gained(&single).unwrap_or(0.0), places)
            })
            .collect();
        options.sort_by(|(tier, gained, _), (other, other_gained, _)| {
            other.cmp(tier).then(other_gained.total_cmp(gained))
        });
        let waiting = options.into_iter().flat_map(|(.., places)| places).collect();
        Self { aim, rest: winner.clone(), winner, waiting, taken_out: Vec::new(), loss: f64::INFINITY }
    }

    /// Keeps changes also where the loss without them is undecided but estimated to be more than this ratio of times. Where times scatter
    /// much, several small gains would be lost otherwise.
    #[must_use]
    pub fn keeping(self, loss: f64) -> Self {
        Self { loss, ..self }
    }

    /// Returns the maximum number of remaining attempts.
    pub fn most_left(&self) -> usize {
        self.waiting.len()
    }

    /// Returns the next variant to compare with the winner; none if everything is decided.
    pub fn next_attempt(&mut self) -> Option<WinnerVariant> {
        while let Some(Substitute { option, instead, .. }) = self.waiting.pop_front() {
            let value = self.winner.change.0.get(&option);
            // The change may already be gone, or was removed together with another option that it needs.
            if value.is_none() || self.rest.change.0.get(&option) != value {
                continue;
            }
            match with_instead(self.aim, &self.rest, &option, &instead) {
                Some(rest) => return Some(WinnerVariant { option, instead, rest }),
                None => {
                    let reason = "without it the other options conflict, or the tier is too low".to_owned();
                    let tier = self.rest.tier;
                    self.learn(option, instead, tier, None, Some(reason));
                }
            }
        }
        None
    }

    /// Records the result of an attempt: its effect on the time (A: the attempt, B: the winner), or why it may not be chosen.
    pub fn judge(&mut self, attempt: WinnerVariant, effect: Option<TestEffect>, unfit: Option<String>) -> &TakenOut {
        let WinnerVariant { option, instead, rest } = attempt;
        let tier = rest.tier;
        let dropped = self.learn(option, instead, tier, effect, unfit);
        if dropped {
            self.rest = rest;
        }
        &self.taken_out[self.taken_out.len() - 1]
    }

    /// Returns the rest of the winner (none if that is the base), and the changes that were taken out.
    pub fn finish(self) -> (Option<Candidate>, Vec<TakenOut>) {
        (Some(self.rest).filter(|rest| !rest.change.0.is_empty()), self.taken_out)
    }

    fn learn(
        &mut self,
        option: String,
        instead: String,
        after: Tier,
        effect: Option<TestEffect>,
        reason: Option<String>,
    ) -> bool {
        let found = effect.as_ref().and_then(|effect| effect.found.as_ref());
        let no_slower = found.is_some_and(|found| match found.verdict {
            Verdict::Faster | Verdict::Same => true,
            Verdict::Undecided { .. } => found.ratio <= self.loss,
            _ => false,
        });
        let dropped = no_slower && reason.is_none();
        let value = self.winner.change.0.get(&option).cloned().unwrap_or_default();
        let tier = Pair { before: self.rest.tier, after };
        self.taken_out.push(TakenOut { option, value, instead, tier, effect, dropped, reason });
        dropped
    }
}

/// Returns the values that can replace a winner's, with the tier of a commit: the base's value, and each value with a higher tier than the
/// winner's. The highest tier comes first, and the base's value before others of its tier.
fn substitutes(aim: Aim<'_>, winner: &Candidate, option: &str) -> Vec<Substitute> {
    let Some(base) = aim.base.get(option) else { return Vec::new() };
    let offered = aim.engine.option(option).map_or_else(Vec::new, |described| values(described, Some(base)));
    let tier = |value: &str| with_instead(aim, winner, option, value).map(|rest| rest.tier);
    let safer = offered.into_iter().filter_map(|value| Some((tier(&value).filter(|tier| *tier > winner.tier)?, value)));
    let of_base = (tier(base).unwrap_or(winner.tier), base.to_owned());
    let mut found: Vec<(Tier, String)> = std::iter::once(of_base).chain(safer).collect();
    found.sort_by(|(one, _), (other, _)| other.cmp(one));
    found.into_iter().map(|(tier, instead)| Substitute { tier, option: option.to_owned(), instead }).collect()
}

/// Returns a candidate with another value of one of its options.
fn with_instead(aim: Aim<'_>, candidate: &Candidate, option: &str, instead: &str) -> Option<Candidate> {
    let mut change = candidate.change.clone();
    match aim.base.get(option) == Some(instead) {
        true => change.0.remove(option),
        false => change.0.insert(option.to_owned(), instead.to_owned()),
    };
    Candidate::or_base(aim, change)
}
