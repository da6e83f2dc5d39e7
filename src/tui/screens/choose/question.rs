//! The questions of the screen, and the command that asks them.

use crate::tui::{launch::ChoiceSubject, world::World};
use dbdyno_catalog::bench::MemoryLimit;
use dbdyno_engine::durability::Tier;
use dbdyno_foundation::base::typed;
use dbdyno_running::capacity::Promise;
use std::{collections::BTreeMap, time::Duration};

/// The time that a choice has unless another one is asked for.
const USUAL_BUDGET: Duration = Duration::from_secs(10 * 60);

/// The rows of the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QuestionRow {
    Workload,
    Tier,
    Memory,
    Budget,
    /// Constraints that few need.
    Further,
    /// Starts the choice.
    Start,
}

impl QuestionRow {
    pub(crate) const ALL: [Self; 6] =
        [Self::Workload, Self::Tier, Self::Memory, Self::Budget, Self::Further, Self::Start];

    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Workload => "Workload",
            Self::Tier => "A commit must survive",
            Self::Memory => "Memory, at most",
            Self::Budget => "Time to spend",
            Self::Further => "More constraints",
            Self::Start => "Choose",
        }
    }
}

/// A constraint beside those with a row of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FurtherConstraint {
    Disk,
    Promise,
    Writers,
    Languages,
    Licences,
    Engines,
    Without,
}

impl FurtherConstraint {
    pub(crate) const ALL: [Self; 7] =
        [Self::Disk, Self::Promise, Self::Writers, Self::Languages, Self::Licences, Self::Engines, Self::Without];

    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Disk => "disk",
            Self::Promise => "response time",
            Self::Writers => "writers at once",
            Self::Languages => "languages",
            Self::Licences => "licences",
            Self::Engines => "only these engines",
            Self::Without => "without these engines",
        }
    }

    pub(crate) fn help(self) -> &'static str {
        match self {
            Self::Disk => "the most that the database may take on disk: 64MiB, 1GiB",
            Self::Promise => {
                "a response time to keep at a rate of operations a second, as in p99=5ms 2000; for one test of a kv suite"
            }
            Self::Writers => "how many threads may want to write at the same time",
            Self::Languages => "languages of your program, any of which will do: rust, c, go, python",
            Self::Licences => "licences that you accept, as SPDX identifiers: MIT,Apache-2.0,blessing",
            Self::Engines => "names of engines, separated by commas",
            Self::Without => "names of engines, separated by commas",
        }
    }

    /// Returns the arguments of the command.
    fn words(self, value: &str) -> Vec<String> {
        let flag = match self {
            Self::Disk => "--disk-limit",
            Self::Writers => "--writers",
            Self::Languages => "--language",
            Self::Licences => "--licence",
            Self::Engines => "--engine",
            Self::Without => "--without",
            Self::Promise => {
                let (promise, rate) = value.split_once(' ').unwrap_or((value, ""));
                return ["--slo", promise, "--rate", rate].map(str::to_owned).to_vec();
            }
        };
        vec![flag.to_owned(), value.to_owned()]
    }

    /// Checks a value that the user typed, and returns it in the form of the command.
    ///
    /// # Errors
    /// What was expected.
    fn checked(self, text: &str, world: &World) -> Result<String, String> {
        match self {
            Self::Disk => drop(typed::memory(text)?),
            Self::Writers => {
                let number = text.parse::<u32>().ok().filter(|number| (1..=1024).contains(number));
                number.ok_or_else(|| format!("`{text}`: expected a whole number from 1 to 1024"))?;
            }
            Self::Promise => {
                let expected = || format!("`{text}`: expected a response time and a rate, as in p99=5ms 2000");
                let (promise, rate) = text.split_once(char::is_whitespace).ok_or_else(expected)?;
                promise.parse::<Promise>()?;
                let rate = rate.trim().parse::<u64>().ok().filter(|rate| *rate > 0).ok_or_else(expected)?;
                return Ok(format!("{promise} {rate}"));
            }
            Self::Engines | Self::Without => {
                for name in text.split(',').map(str::trim) {
                    world.registry.get(name)?;
                }
            }
            Self::Languages | Self::Licences => {}
        }
        Ok(text.split(',').map(str::trim).collect::<Vec<_>>().join(","))
    }
}

/// What is asked.
#[derive(Debug, Clone)]
pub(crate) struct ChoiceQuestions {
    pub(crate) subject: Option<ChoiceSubject>,
    /// What a commit has to survive.
    pub(crate) tier: Tier,
    /// The most memory that the program may use; none: any.
    pub(crate) memory: Option<MemoryLimit>,
    pub(crate) budget: Duration,
    pub(crate) further: BTreeMap<FurtherConstraint, String>,
}

impl Default for ChoiceQuestions {
    fn default() -> Self {
        let further = BTreeMap::new();
        Self { subject: None, tier: Tier::PowerSafe, memory: None, budget: USUAL_BUDGET, further }
    }
}

impl ChoiceQuestions {
    /// Returns the answer in a row, and whether it is one.
    pub(crate) fn shown(&self, row: QuestionRow) -> (String, bool) {
        match row {
            QuestionRow::Workload => match &self.subject {
                Some(subject) => (subject.name.clone(), true),
                None => ("which? Enter lists them".to_owned(), false),
            },
            QuestionRow::Tier => (format!("tier {}: {}", self.tier, self.tier.promise()), true),
            QuestionRow::Memory => match self.memory {
                Some(limit) => (limit.to_string(), true),
                None => ("no limit".to_owned(), false),
            },
            QuestionRow::Budget => (typed::written_duration(self.budget), true),
            QuestionRow::Further if self.further.is_empty() => ("none".to_owned(), false),
            QuestionRow::Further => {
                let texts: Vec<String> =
                    self.further.iter().map(|(one, value)| format!("{} {value}", one.title())).collect();
                (texts.join(" · "), true)
            }
            QuestionRow::Start => match &self.subject {
                Some(_) => ("lets all engines compete".to_owned(), true),
                None => ("needs a workload".to_owned(), false),
            },
        }
    }

    /// Sets a further constraint; an empty text removes it.
    ///
    /// # Errors
    /// What was expected.
    pub(crate) fn set(&mut self, one: FurtherConstraint, text: &str, world: &World) -> Result<(), String> {
        match text.trim() {
            "" => drop(self.further.remove(&one)),
            text => drop(self.further.insert(one, one.checked(text, world)?)),
        }
        Ok(())
    }

    /// Returns the command that chooses.
    ///
    /// # Errors
    /// There is no workload yet.
    pub(crate) fn words(&self) -> Result<Vec<String>, String> {
        let subject = self.subject.as_ref().ok_or("choose a workload first: Enter in the first row")?;
        let mut words = ["dbdyno", "choose"].map(str::to_owned).to_vec();
        words.extend(subject.words.iter().cloned());
        words.extend(["--tier".to_owned(), self.tier.sign()]);
        words.extend(self.memory.iter().flat_map(|limit| ["--memory-limit".to_owned(), limit.to_string()]));
        words.extend(["--budget".to_owned(), typed::written_duration(self.budget)]);
        words.extend(self.further.iter().flat_map(|(one, value)| one.words(value)));
        Ok(words)
    }
}
