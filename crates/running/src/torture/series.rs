//! A series of crash tests: one configuration after the other is tested, and its findings are stored.

use super::{
    Contradiction, Findings, StopCheck, TortureProgress, TortureSetup, TortureSubject, TortureTerms, TortureVerdict,
    torture,
};
use crate::{
    jobs::{JobKind, Telling},
    runner::host_record,
};
use dbdyno_foundation::{base::identifier::identifier, host::HostFacts};
use dbdyno_store::{EvidenceRecord, Store, StoreError, options_text};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The subjects and terms of a series of crash tests.
#[derive(Debug, Clone, Copy)]
pub struct Series<'s> {
    pub subjects: &'s [TortureSubject],
    pub terms: &'s TortureTerms,
    pub setup: &'s TortureSetup,
    pub store: &'s Store,
    /// A command that repeats the series.
    pub command_line: &'s str,
}

/// An event of a series.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum SeriesEvent {
    /// The subjects and terms of the series.
    SeriesStarted {
        /// Engines with the options that are not at their default.
        choices: Vec<String>,
        terms: TortureTerms,
    },
    /// The test of the configuration at this place begins.
    Began {
        at: usize,
    },
    Step {
        step: TortureProgress,
    },
    /// The findings about the configuration are complete.
    Found {
        /// The word of its tier's verdict.
        verdict: String,
        /// Whether it was stopped before its end, so that nothing is stored.
        stopped: bool,
    },
    /// The configuration could not be tested, or its findings could not be stored. The next one begins.
    Failed {
        reason: String,
    },
}

impl Telling for SeriesEvent {
    const KIND: JobKind = JobKind::Torture;

    fn is_progress(&self) -> bool {
        matches!(self, Self::Step { .. })
    }
}

/// The result of a series.
#[derive(Debug, Clone, Default)]
pub struct SeriesOutcome {
    /// The findings about each configuration. The subjects include what the engine reports about the files that their options name.
    pub found: Vec<(TortureSubject, Findings)>,
    /// How many configurations could not be tested, or have findings that could not be stored.
    pub failed: usize,
}

impl SeriesOutcome {
    /// Whether the promise of some tier was broken.
    pub fn is_contradicted(&self) -> bool {
        self.found.iter().any(|(_, findings)| matches!(findings.verdict, TortureVerdict::Contradicted(_)))
    }
}

impl Series<'_> {
    /// Tests each configuration, and stores the findings. A failure of one does not end the others.
    ///
    /// # Errors
    /// The store cannot be written before the first test begins.
    pub fn run(&self, stop: StopCheck<'_>, tell: &(dyn Fn(SeriesEvent) + Sync)) -> Result<SeriesOutcome, StoreError> {
        self.store.prepare()?;
        let host = HostFacts::read();
        let mut outcome = SeriesOutcome::default();
        let choices = self.subjects.iter().map(|subject| subject.choice.clone()).collect();
        tell(SeriesEvent::SeriesStarted { choices, terms: self.terms.clone() });
        for (at, subject) in self.subjects.iter().enumerate() {
            if stop() {
                break;
            }
            tell(SeriesEvent::Began { at });
            let mut fail = |reason: String| {
                tell(SeriesEvent::Failed { reason });
                outcome.failed += 1;
            };
            let (subject, findings) = match self.tortured(subject, stop, tell) {
                Ok(found) => found,
                Err(error) => {
                    fail(error);
                    continue;
                }
            };
            // A stopped test shows less than requested, so it is not stored.
            let evidence = (!findings.stopped).then(|| self.evidence(&subject, &findings, &host));
            let stored = evidence.map(|evidence| self.store.keep_evidence(host_record(&host), evidence));
            if let Some(Err(error)) = stored {
                fail(format!("the findings are not stored: {error}"));
            }
            tell(SeriesEvent::Found { verdict: findings.verdict.word().to_owned(), stopped: findings.stopped });
            outcome.found.push((subject, findings));
        }
        Ok(outcome)
    }

    fn tortured(
        &self,
        subject: &TortureSubject,
        stop: StopCheck<'_>,
        tell: &(dyn Fn(SeriesEvent) + Sync),
    ) -> Result<(TortureSubject, Findings), String> {
        let subject = subject.examined().map_err(|error| error.to_string())?;
        let found = torture(&subject, self.terms, self.setup, stop, &|step| tell(SeriesEvent::Step { step }));
        Ok((subject, found.map_err(|error| error.to_string())?))
    }

    /// Returns the record of the findings for the store.
    fn evidence(&self, subject: &TortureSubject, findings: &Findings, host: &HostFacts) -> EvidenceRecord {
        let power = &findings.power;
        let image = match &findings.verdict {
            TortureVerdict::Contradicted(Contradiction { image, .. }) => {
                image.as_ref().map(|image| image.display().to_string())
            }
            TortureVerdict::Evidenced { .. } | TortureVerdict::NotEvidenced { .. } => None,
        };
        EvidenceRecord {
            evidence_id: identifier(),
            host_id: host.id(),
            tried_at: Timestamp::now(),
            engine: subject.engine.clone(),
            engine_version: subject.version.clone(),
            choice: subject.choice.clone(),
            options: options_text(&subject.settings.to_map()),
            tier: subject.tier,
            tier_reason: subject.tier_reason.clone(),
            kills: findings.kills,
            images: power.images(),
            route: power.route.filter(|_| power.images() > 0).map(|route| route.word().to_owned()),
            whole: power.journaled.whole,
            earlier: power.journaled.earlier,
            broken: power.journaled.broken,
            strict_names: (power.by_folder.images > 0).then(|| power.by_folder.contradiction.is_none()),
            mutants: power.mutants.len() as u32,
            mutants_caught: power.caught(),
            verdict: findings.verdict.word().to_owned(),
            reason: findings.verdict.reason().map(str::to_owned),
            image,
            seed: self.terms.seed,
            command_line: self.command_line.to_owned(),
        }
    }
}
