//! Whether work is left for where the timer does not run.

use super::{Linter, SessionEvidence, series, some_of};
use crate::{base::units::duration, engines::HARNESS_ENGINE, stats::median};

/// Opening, settling and closing take a part of what a test costs.
pub(super) struct OutsideTheTimer;

/// More of a test's time than this outside of its timer is said.
pub const OUTSIDE_SHARE: f64 = 0.05;

impl Linter for OutsideTheTimer {
    fn name(&self) -> &'static str {
        "outside the timer"
    }

    fn summary(&self) -> &'static str {
        "tests leave work for opening, closing or the engine's own threads"
    }

    fn explain(&self) -> &'static str {
        "A checkpoint, a flush or a compaction that one engine does inside the timer, another leaves for later: compare the \
         time in all too (total_ns), and give a test more operations where opening is all there is."
    }

    fn check(&self, evidence: &SessionEvidence<'_>) -> Vec<String> {
        let mut places = Vec::new();
        for series in series(evidence).iter().filter(|series| series.run.engine != HARNESS_ENGINE) {
            if let (Some(wall), Ok(outside)) = (series.median(), median(&series.outside_ns))
                && outside > OUTSIDE_SHARE * wall
            {
                places
                    .push((outside / wall, format!("{} ({} + {})", series.place(), duration(wall), duration(outside))));
            }
        }
        if places.is_empty() {
            return Vec::new();
        }
        places.sort_by(|a, b| b.0.total_cmp(&a.0));
        let places = places.into_iter().map(|(_, place)| place).collect();
        let limit = OUTSIDE_SHARE * 100.0;
        vec![format!("opening, settling and closing take more than {limit:.0} % of the test: {}", some_of(places))]
    }
}
