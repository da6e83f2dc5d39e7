//! The Torture screen: evidence about tiers from kills and power losses, and the crash tests in progress.

mod ask;
mod dialog;
mod paint;
mod watched;

pub use ask::{Request, Response};
pub(crate) use dialog::Dialog;
pub use watched::WatchedSeries;

use super::{
    copying::Copyable,
    intent::Intent,
    screen::{Context, Screen},
};
use crate::tui::{
    filter::ListFilter,
    keys::Action,
    overlay::{FilterKeys, Reply},
    setup::TuiSetup,
    widgets::{cursor::ListCursor, paint::Paint},
    world::World,
};
use dbdyno_reports::{
    evidence::{evidence_command, evidence_lines},
    results,
};
use dbdyno_running::{runner::SessionOutline, torture::TortureTerms, watching::JobEvent};
use dbdyno_store::{EvidenceRecord, SelectableRow};
use ratatui::layout::Rect;
use std::time::Duration;

/// The effects that this screen requests.
type Intents = Vec<Intent<Request, Dialog>>;

/// The evidence about configurations, and the crash tests in progress.
#[derive(Debug, Default)]
pub struct TortureScreen {
    /// The cursor in the evidence.
    pub(crate) cursor: ListCursor,
    /// The evidence, latest first, or the reason why it cannot be read; none before the first response.
    pub(crate) found: Option<Result<Vec<EvidenceRecord>, String>>,
    /// The filter for configurations, verdicts and tiers.
    pub(crate) filter: ListFilter,
    /// The amounts of the next crash test.
    pub(crate) terms: TortureTerms,
    /// The crash tests in progress.
    pub(crate) watched: Option<WatchedSeries>,
    /// The reasons why configurations of the last series could not be crash-tested.
    pub(crate) failures: Vec<String>,
    ticket: u64,
    stale: bool,
}

/// The filter keys of the evidence.
const EVIDENCE_KEYS: &[&str] = &["engine", "label", "tier", "tier_evidence"];

/// Returns the text and values of a piece of evidence that a filter can match.
fn selectable(evidence: &EvidenceRecord) -> SelectableRow {
    let engine = evidence.choice.split('[').next().unwrap_or_default();
    SelectableRow {
        text: format!("{} {} {}", evidence.choice, evidence.tier, evidence.verdict),
        values: vec![
            ("engine", engine.to_owned()),
            ("label", evidence.choice.clone()),
            ("tier", evidence.tier.number().map_or_else(|| "unknown".to_owned(), |number| number.to_string())),
            ("tier_evidence", evidence.verdict.clone()),
        ],
    }
}

impl TortureScreen {
    /// Returns the evidence that matches the filter.
    pub(crate) fn matching(&self) -> Vec<&EvidenceRecord> {
        let matches = |evidence: &&EvidenceRecord| self.filter.means(&selectable(evidence));
        let found = self.found.as_ref().and_then(|found| found.as_ref().ok());
        found.map_or_else(Vec::new, |found| found.iter().filter(matches).collect())
    }

    /// Returns the evidence about the configuration under the cursor.
    pub(crate) fn current(&self) -> Option<&EvidenceRecord> {
        self.matching().get(self.cursor.at).copied()
    }

    /// Requests the stored evidence.
    fn ask(&mut self) -> Intents {
        self.ticket += 1;
        self.stale = false;
        vec![Intent::Request(Request::Evidence { ticket: self.ticket })]
    }

    fn open(&self) -> Intents {
        let page = |evidence: &EvidenceRecord| Intent::page(&evidence.choice, evidence_lines(evidence));
        self.current().map(page).into_iter().collect()
    }

    /// Crash-tests the configuration under the cursor again.
    fn again(&self, world: &World) -> Intents {
        let Some(evidence) = self.current() else { return Intents::new() };
        self.start(&evidence.choice, world).unwrap_or_else(|reason| vec![Intent::refused(reason)])
    }

    fn copy(&self) -> Intents {
        let Some(evidence) = self.current() else { return Intents::new() };
        Copyable::new(format!("the command that shows {}", evidence.choice), evidence_command(evidence)).copied()
    }
}

impl Screen for TortureScreen {
    type Request = Request;
    type Response = Response;
    type Dialog = Dialog;

    fn new(_world: &World) -> Self {
        Self { stale: true, ..Self::default() }
    }

    fn begun(&mut self, _outline: Option<Box<SessionOutline>>, _now: Duration) {
        self.series_begins();
    }

    fn told(&mut self, event: JobEvent, _context: &Context<'_>) -> Intents {
        match event {
            JobEvent::Torture(event) => self.series_tells(*event),
            _ => Intents::new(),
        }
    }

    fn over(&mut self, outcome: Result<(), String>, _context: &Context<'_>) -> (Intents, String) {
        (self.series_ends(outcome), "torture is over".to_owned())
    }

    fn under_way(&self) -> &'static str {
        "an engine is being tortured"
    }

    fn kept(&self) -> &'static str {
        "The configuration under way is cancelled; findings on others are kept."
    }

    fn status(&self) -> Option<String> {
        let watched = self.watched.as_ref()?;
        Some(format!("▶ {}/{}", watched.at + 1, watched.choices.len().max(1)))
    }

    fn asks(&self, action: Action, _context: &Context<'_>) -> Option<Intents> {
        let asked = match action {
            Action::Filter => {
                let keys = FilterKeys::Among(EVIDENCE_KEYS);
                Intent::filter(Dialog::Filter, "Torture", keys, self.filter.line())
            }
            Action::Export if self.matching().is_empty() => Intent::refused("there are no findings yet"),
            Action::Export => {
                let title = "Export all findings";
                Intent::prompt_export(Dialog::Export, title, "dbdyno-evidence.csv", results::FORMATS)
            }
            _ => return None,
        };
        Some(vec![asked])
    }

    fn act(&mut self, action: Action, context: &Context<'_>) -> Intents {
        let length = self.matching().len();
        if self.cursor.moved(action, length) {
            return Intents::new();
        }
        match action {
            Action::Enter if length == 0 => Self::ask_engine(context.world),
            Action::Enter => self.open(),
            Action::Add => Self::ask_engine(context.world),
            Action::Rerun => self.again(context.world),
            Action::Edit => self.ask_amount(),
            Action::Copy => self.copy(),
            Action::Stop if self.running() => {
                let lines =
                    vec!["Findings on finished configurations are kept; those on this one are lost.".to_owned()];
                vec![Intent::confirm(Dialog::Stop, "Stop?", lines)]
            }
            Action::Refresh => self.ask(),
            Action::Back => {
                self.filter.clear();
                self.failures.clear();
                Intents::new()
            }
            _ => Intents::new(),
        }
    }

    fn offers(&self, action: Action, _context: &Context<'_>) -> bool {
        match action {
            Action::Stop => self.running(),
            Action::Enter | Action::Rerun | Action::Copy => self.current().is_some(),
            Action::Filter | Action::Export => matches!(&self.found, Some(Ok(found)) if !found.is_empty()),
            _ => true,
        }
    }

    fn click(&mut self, _pane: usize, row: usize, _context: &Context<'_>) -> Intents {
        let again = self.cursor.at == row;
        self.cursor.at = row;
        if again { self.open() } else { Intents::new() }
    }

    fn replied(&mut self, dialog: &Dialog, reply: Reply, context: &Context<'_>) -> Result<Intents, String> {
        self.take_reply(dialog, reply, context.world)
    }

    fn responded(&mut self, response: Response, _context: &Context<'_>) -> Intents {
        let Response::Evidence { ticket, found } = response;
        if ticket == self.ticket {
            self.found = Some(found);
            let length = self.matching().len();
            self.cursor.kept_in(length);
        }
        Intents::new()
    }

    fn shown(&mut self, _context: &Context<'_>) -> Intents {
        if self.stale { self.ask() } else { Intents::new() }
    }

    fn stale(&mut self) {
        self.stale = true;
    }

    fn paint(&self, paint: &mut Paint<'_>, area: Rect, _context: &Context<'_>) {
        paint::draw(paint, area, self);
    }

    fn respond(request: Request, setup: &TuiSetup) -> Response {
        ask::respond(request, setup)
    }
}
