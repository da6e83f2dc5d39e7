//! A session that goes on until all is decided: after its rounds it looks at the comparisons, and adds rounds to its plan.

use super::RunningSession;
use crate::runner::{
    OutlinedRun, RunnerEvent,
    looks::{SessionLook, TestsOfRound, look, next_rounds},
};
use dbdyno_catalog::bench::PlannedRun;
use dbdyno_foundation::base::units::{clock, counted};
use dbdyno_store::Batch;
use std::{
    collections::{BTreeSet, VecDeque},
    sync::Arc,
};

impl RunningSession<'_> {
    /// Looks at the comparisons, and returns the runs of more rounds; none if the session is over.
    pub(super) async fn runs_of_next_look(&mut self) -> Option<VecDeque<PlannedRun>> {
        let most = self.plan.until_decided?;
        let look = match self.look().await {
            Ok(look) => look,
            Err(reason) => {
                let text = format!("no more rounds: the results cannot be compared: {reason}");
                self.tell(RunnerEvent::Note { text });
                return None;
            }
        };
        if look.compared == 0 {
            return None;
        }
        let limit = self.pace.whole_round() * most;
        let limit = self.launch.budget.map_or(limit, |budget| budget.min(limit));
        let left = limit.saturating_sub(self.pace.spent);
        let so_far = format!(
            "look {} after {}: {}",
            self.plan.looks.len() + 1,
            counted(self.plan.rounds, "round"),
            look.words()
        );
        let Some((rounds, tests)) = next_rounds(&look.undecided, &self.pace, left, self.plan.rounds) else {
            let why = if look.open == 0 { "" } else { "; more rounds would not decide them in the time that is left" };
            self.tell(RunnerEvent::Note { text: format!("{so_far}{why}") });
            return None;
        };
        let time = clock(self.pace.round(&tests) * rounds);
        self.tell(RunnerEvent::Note {
            text: format!("{so_far}; {} of {}, about {time}", counted(rounds, "more round"), self.named(&tests)),
        });
        Some(self.add_rounds(rounds, tests).await)
    }

    async fn look(&mut self) -> Result<SessionLook, String> {
        self.merge().await?;
        self.is_stored = true;
        let (session, plan) = (self.record.session_id.clone(), Arc::clone(&self.plan));
        self.blocking(move |store| look(store, &session, &plan)).await
    }

    /// `Random reads, Scans (2 configurations)`
    fn named(&self, tests: &TestsOfRound) -> String {
        let numbers: BTreeSet<u32> = tests.values().flatten().copied().collect();
        let names: Vec<String> =
            self.plan.suite.tests().filter(|test| numbers.contains(&test.number)).map(|test| test.name).collect();
        format!("{} ({})", names.join(", "), counted(tests.len(), "configuration"))
    }

    /// Adds rounds to the plan, and stores it: the session can be resumed in them.
    async fn add_rounds(&mut self, rounds: u32, tests: TestsOfRound) -> VecDeque<PlannedRun> {
        let plan = Arc::make_mut(&mut self.plan);
        let before = plan.runs.len();
        plan.add_rounds(rounds, tests);
        let added = VecDeque::from(plan.runs[before..].to_vec());
        let plan = Arc::clone(&self.plan);
        self.record_plan(&plan);
        self.keep(Batch { sessions: vec![self.record.clone()], ..Batch::default() }).await;
        let runs = added.iter().map(OutlinedRun::from).collect();
        self.tell(RunnerEvent::RoundsAdded { runs, rounds: plan.rounds, from: plan.rounds - rounds });
        added
    }
}
