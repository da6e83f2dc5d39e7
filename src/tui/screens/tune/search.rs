//! A search for the fastest settings: its conditions, its progress, and its result.

use super::{Dialog, Intents, TuneScreen, base::joined, start::LongStart};
use crate::tui::{launch::is_long, overlay::ListItem, screens::intent::Intent, world::World};
use dbdyno_engine::durability::Tier;
use dbdyno_foundation::base::{typed, units};
use dbdyno_reports::tune::{command::search_command, words};
use dbdyno_running::tune::{
    TestEffect, Trial, TrialState, TuneEvent,
    race::{CandidateResult, TakenOut},
    search::{SearchOutcome, SearchSpec},
};
use std::time::Duration;

/// Default time of a search, the same as on the command line.
const BUDGET: Duration = Duration::from_secs(5 * 60);
/// The tiers to choose from, safest first.
const TIERS: [Tier; 4] = [Tier::PowerSafe, Tier::Consistent, Tier::ProcessSafe, Tier::Unsafe];

/// The conditions of a search.
#[derive(Debug, Clone)]
pub struct SearchTerms {
    /// The minimum tier; none: the tier of the base.
    tier: Option<Tier>,
    pub(crate) budget: Duration,
    /// Memory limit of a process, bytes.
    memory_limit: Option<u64>,
    /// Rounds of the confirmation; none: 6 to 40, by the time left.
    rounds: Option<u32>,
}

impl Default for SearchTerms {
    fn default() -> Self {
        Self { tier: None, budget: BUDGET, memory_limit: None, rounds: None }
    }
}

/// One condition of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Term {
    Tier,
    Budget,
    MemoryLimit,
    Rounds,
}

impl SearchTerms {
    pub(super) fn take_tier(&mut self, chosen: Option<usize>) {
        self.tier = chosen.and_then(|at| TIERS.get(at).copied()).or(self.tier);
    }

    /// Parses typed text.
    ///
    /// # Errors
    /// The expected form.
    pub(super) fn take(&mut self, term: Term, text: &str) -> Result<(), String> {
        match term {
            Term::Tier => {}
            Term::Budget => self.budget = typed::duration(text)?,
            Term::MemoryLimit if text.is_empty() => self.memory_limit = None,
            Term::MemoryLimit => self.memory_limit = Some(typed::memory(text)?),
            Term::Rounds if text.is_empty() => self.rounds = None,
            Term::Rounds => {
                let number = text.parse().ok().filter(|number| (1..=10_000).contains(number));
                self.rounds = Some(number.ok_or_else(|| format!("`{text}`: expected a whole number from 1 to 10000"))?);
            }
        }
        Ok(())
    }
}

/// The current search, or the last one.
#[derive(Debug, Clone)]
pub struct WatchedSearch {
    pub(crate) tier: Tier,
    budget: Duration,
    /// Total number of candidates.
    pub(crate) candidates: usize,
    pub(crate) tried: usize,
    pub(crate) alive: usize,
    /// Time left, as last reported.
    pub(crate) left: Duration,
    /// The best candidates tried so far, best first.
    pub(crate) leaders: Vec<CandidateResult>,
    pub(crate) dropped: usize,
    /// The changes removed from the winner, and whether each was dropped.
    pub(crate) taken_out: Vec<TakenOut>,
    /// A description of the current step.
    pub(crate) doing: String,
    /// The trial that confirms the winner, and its finished rounds.
    pub(crate) confirming: Option<(Trial, u32)>,
    pub(crate) outcome: Option<SearchOutcome>,
    /// The reason why it could not be completed.
    pub(crate) failed: Option<String>,
}

impl WatchedSearch {
    pub(super) fn new(tier: Tier, budget: Duration) -> Self {
        Self {
            tier,
            budget,
            candidates: 0,
            tried: 0,
            alive: 0,
            left: budget,
            leaders: Vec::new(),
            dropped: 0,
            taken_out: Vec::new(),
            doing: "starting".to_owned(),
            confirming: None,
            outcome: None,
            failed: None,
        }
    }

    /// Returns the share of the budget that is spent.
    pub(crate) fn spent(&self) -> f64 {
        if self.outcome.is_some() {
            return 1.0;
        }
        1.0 - self.left.as_secs_f64() / self.budget.as_secs_f64().max(1e-9)
    }

    pub(super) fn status(&self) -> String {
        match &self.confirming {
            Some((trial, round)) => format!("▶ confirming {round}/{}", trial.rounds),
            None => format!("▶ {} tried, {} left", self.tried, units::clock(self.left)),
        }
    }

    /// Handles an event of the search.
    pub(super) fn hear(&mut self, event: &TuneEvent) {
        match event {
            TuneEvent::SearchStarted { candidates, .. } => self.candidates = *candidates,
            TuneEvent::Dropped { .. } => self.dropped += 1,
            TuneEvent::TakenOut { what } => self.taken_out.push(what.as_ref().clone()),
            TuneEvent::Standing { tried, alive, left_ms, leaders, .. } => {
                (self.tried, self.alive, self.left) = (*tried, *alive, Duration::from_millis(*left_ms));
                self.leaders.clone_from(leaders);
            }
            TuneEvent::Session { says } => super::trial::tell_doing(&mut self.doing, says),
            TuneEvent::TrialStarted { trial, .. } => self.confirming = Some((trial.as_ref().clone(), 0)),
            TuneEvent::Round { round, effects, .. } => {
                if let Some((trial, at)) = &mut self.confirming {
                    *at = *round;
                    trial.effects.clone_from(effects);
                }
            }
            TuneEvent::TrialEnded { .. } => {}
            TuneEvent::SearchEnded { found } => {
                self.leaders.clone_from(&found.tried);
                self.taken_out.clone_from(&found.taken_out);
                self.tried = found.tried.len();
                self.outcome = Some(found.as_ref().clone());
            }
        }
    }

    /// Returns the result, or the progress so far, in a sentence.
    pub(crate) fn headline(&self) -> String {
        if let Some(reason) = &self.failed {
            return format!("✗ {reason}");
        }
        let figures = |effects: &[TestEffect]| match effects {
            [only] => words::measured(only),
            several => format!("{} tests: Enter on it in the ledger shows all", several.len()),
        };
        match (&self.outcome, &self.confirming) {
            (Some(SearchOutcome { confirmed: Some(trial), .. }), _) if trial.state == TrialState::Tried => {
                let shown = trial.overall.as_ref().map_or_else(|| figures(&trial.effects), words::measured);
                format!("{}: {shown}", joined(&trial.change.0))
            }
            (Some(SearchOutcome { confirmed: Some(trial), .. }), _) => {
                format!("the confirmation of {} did not finish", trial.change)
            }
            (Some(_), _) => "no setting was found that is faster than the base".to_owned(),
            (None, Some((trial, round))) => {
                let so_far = match trial.effects.as_slice() {
                    [only] => format!(" · {} so far", words::figures(only)),
                    _ => String::new(),
                };
                format!("confirming {} on fresh seeds: round {round}/{}{so_far}", trial.change, trial.rounds)
            }
            (None, None) => self.doing.clone(),
        }
    }
}

impl TuneScreen {
    /// Returns the minimum tier of the next search: the base's tier, unless the user chose another.
    fn tier(&self, world: &World) -> Tier {
        let of_base = || {
            let workload = self.form.workload(world).ok()?;
            let base = workload.settings(&self.form.base).ok()?;
            Some(workload.engine.description.tier(&base).0)
        };
        self.terms.tier.or_else(of_base).filter(|tier| *tier != Tier::Unknown).unwrap_or(Tier::Consistent)
    }

    pub(super) fn ask_search(&self, world: &World) -> Intents {
        let SearchTerms { budget, memory_limit, rounds, .. } = &self.terms;
        let memory = memory_limit.map_or_else(|| "any".to_owned(), units::bytes);
        let rounds = rounds.map_or_else(|| "6 to 40, by the time left".to_owned(), |rounds| rounds.to_string());
        let base = if self.form.base.is_empty() { "the defaults".to_owned() } else { joined(&self.form.base) };
        let items = vec![
            ListItem::new("search", format!("{} on {}, from {base}", self.form.engine, self.form.suite)),
            ListItem::new("tier", format!("{} or more", self.tier(world))),
            ListItem::new("budget", units::clock(*budget)),
            ListItem::new("memory limit", memory),
            ListItem::new("rounds that confirm", rounds),
        ];
        vec![Intent::choose_one(Dialog::Search, "Search for the fastest settings", items)]
    }

    /// Handles the chosen item of the search menu: starts the search, or asks for one of its conditions.
    pub(super) fn search_item(&self, item: usize, world: &World) -> Intents {
        let asked = match item {
            0 => return self.start_search(world, false),
            1 => {
                let now = self.tier(world);
                let item =
                    |tier: Tier| ListItem { chosen: tier == now, ..ListItem::new(tier.to_string(), meaning(tier)) };
                Intent::choose_one(Dialog::Term(Term::Tier), "A commit survives at least", TIERS.map(item).to_vec())
            }
            2 => {
                let help = "how long the search may take, its confirmation included: 90s, 5m, 1h";
                let now = typed::written_duration(self.terms.budget);
                Intent::prompt(Dialog::Term(Term::Budget), "Budget", help, now)
            }
            3 => {
                let help = "settings that need more memory are dropped: 64MiB, 1GiB; empty: no limit";
                let now = self.terms.memory_limit.map_or_else(String::new, |limit| limit.to_string());
                Intent::prompt(Dialog::Term(Term::MemoryLimit), "Memory limit", help, now)
            }
            _ => {
                let help = "of the trial that confirms the winner; empty: 6 to 40, by the time left";
                let now = self.terms.rounds.map_or_else(String::new, |rounds| rounds.to_string());
                Intent::prompt(Dialog::Term(Term::Rounds), "Rounds that confirm", help, now)
            }
        };
        vec![asked]
    }

    /// Starts the search, after a confirmation if it takes long.
    pub(super) fn start_search(&self, world: &World, surely: bool) -> Intents {
        let SearchTerms { budget, memory_limit, rounds, .. } = self.terms.clone();
        let workload = match self.form.workload(world) {
            Ok(workload) => workload,
            Err(reason) => return vec![Intent::refused(reason)],
        };
        if is_long(budget) && !surely {
            let title = format!("Search for {}?", units::clock(budget));
            let lines = vec!["K stops it; results found by then stay in the store.".to_owned()];
            return vec![Intent::confirm_start(Dialog::Long(LongStart::Search), title, lines)];
        }
        let base = match workload.settings(&self.form.base) {
            Ok(base) => base,
            Err(error) => return vec![Intent::failed(error.to_string())],
        };
        let spec = SearchSpec {
            ledger: self.form.ledger_name(),
            parent_id: self.form.parent.clone(),
            base,
            tier: self.tier(world),
            budget,
            memory_limit,
            rounds,
            seed: 0,
        };
        let command = search_command(&workload, &spec, &self.files(&workload));
        vec![self.begin(command, true, world)]
    }
}

/// Returns a short description of a tier's durability.
fn meaning(tier: Tier) -> &'static str {
    match tier {
        Tier::PowerSafe => "a power loss loses no commit",
        Tier::Consistent => "a power loss may lose the latest commits",
        Tier::ProcessSafe => "a crash of the program loses nothing, a power loss may corrupt",
        Tier::Unsafe => "nothing is promised",
        Tier::Unknown => "unknown",
    }
}

/// Whether an event belongs to the search itself, instead of one of its trials.
pub(super) fn is_of_search(event: &TuneEvent) -> bool {
    matches!(
        event,
        TuneEvent::SearchStarted { .. }
            | TuneEvent::Dropped { .. }
            | TuneEvent::TakenOut { .. }
            | TuneEvent::Standing { .. }
            | TuneEvent::SearchEnded { .. }
    )
}
