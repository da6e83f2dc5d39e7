//! Checks whether work is deferred to where the timer does not run.

use super::{DoubtAbout, LintFinding, Linter, SessionEvidence, by_configuration, series};
use dbdyno_catalog::engines::HARNESS_ENGINE;
use dbdyno_foundation::base::units::duration;
use dbdyno_stats::median;

/// Opening, settling and closing take a significant part of a test's cost.
pub(super) struct OutsideTheTimer;

/// The share of a test's time outside its timer above which the linter reports it.
pub const OUTSIDE_SHARE: f64 = 0.05;

impl Linter for OutsideTheTimer {
    fn name(&self) -> &'static str {
        "outside the timer"
    }

    fn about(&self) -> DoubtAbout {
        DoubtAbout::Amount
    }

    fn summary(&self) -> &'static str {
        "tests leave work for opening, closing or the engine's own threads"
    }

    fn explain(&self) -> &'static str {
        "One engine does a checkpoint, a flush or a compaction inside the timer, another leaves it for later: also \
         compare the total time (total_ns). Give a test more operations if opening takes most of it."
    }

    fn check<'e>(&self, evidence: &SessionEvidence<'e>) -> Vec<LintFinding<'e>> {
        let mut places = Vec::new();
        for series in series(evidence).iter().filter(|series| series.run.engine != HARNESS_ENGINE) {
            if let (Some(wall), Ok(outside)) = (series.median(), median(&series.outside_ns))
                && outside > OUTSIDE_SHARE * wall
            {
                let place = format!("{} ({} + {})", series.place(), duration(wall), duration(outside));
                places.push((outside / wall, (series.run, place)));
            }
        }
        places.sort_by(|a, b| b.0.total_cmp(&a.0));
        let matter = format!("opening, settling and closing take more than {:.0} % of the test", OUTSIDE_SHARE * 100.0);
        by_configuration(&matter, places.into_iter().map(|(_, place)| place))
    }
}
