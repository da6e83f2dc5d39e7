//! The dialogs of the Trend pane, the handling of their replies, and the pane's output.

use super::{Intents, TrendScreen, paint::point_in_words};
use crate::tui::{
    export,
    filter::{ListFilter, OF_TESTS},
    launch::TrendOf,
    overlay::{FilterKeys, ListItem, Reply},
    screens::{copying::Copyable, intent::Intent},
    widgets::cursor::ListCursor,
};
use dbdyno_foundation::base::units::counted;
use dbdyno_reports::{
    sheet::SHEET_FORMATS,
    trend::{METHOD, found_words, heading, moves_words, sheet},
};
use std::time::Duration;

/// A question that the Trend pane asks the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialog {
    /// The metric to show.
    Metric,
    /// The filter for the tests shown.
    Filter,
    /// The file to write the trend to.
    Export,
}

impl TrendScreen {
    /// Copies the session under the cursor: the configuration and test, the figure, and the term that selects the session.
    pub(super) fn copy(&self) -> Intents {
        let followed = self.followed().zip(self.current());
        let Some(((_, found), series)) = followed else { return Intents::new() };
        let Some(point) = series.points.get(self.session) else { return Intents::new() };
        let figure = point_in_words(point, found.trend.metric);
        let text = format!("{} · {} · session={}", heading(series), figure, point.session_id);
        Copyable::new(format!("{figure}, with the term for its session"), text).copied()
    }

    /// Asks for the metric to show, one of those that are stored.
    pub(super) fn ask_metric(&self) -> Intents {
        let Some((of, followed)) = self.followed() else { return Intents::new() };
        let items = followed
            .metrics
            .iter()
            .map(|metric| ListItem { chosen: *metric == of.metric, ..ListItem::new(metric.title(), metric.name()) });
        vec![Intent::choose_one(Dialog::Metric, "Figure to follow", items.collect())]
    }

    pub(super) fn ask_filter(&self) -> Intents {
        vec![Intent::filter(Dialog::Filter, "Tests", FilterKeys::Among(OF_TESTS), self.filter.line())]
    }

    pub(super) fn ask_export(&self) -> Intents {
        let title = "Export the trend, all tests";
        vec![Intent::prompt_export(Dialog::Export, title, "dbdyno-trend.html", SHEET_FORMATS)]
    }

    /// Shows the method for finding changes, and every session of the test under the cursor.
    pub(super) fn explain(&self) -> Intents {
        let (Some((_, followed)), Some(series)) = (self.followed(), self.current()) else { return Intents::new() };
        let mut lines = vec![heading(series), METHOD.to_owned(), String::new(), found_words(series)];
        lines.extend(moves_words(series, followed.trend.metric));
        lines.push(String::new());
        lines.extend(series.points.iter().map(|point| {
            let (runs, median) = (counted(point.runs, "run"), followed.trend.metric.shown(point.median));
            let (started, version, id) = (&point.started_at, &point.engine_version, point.session_id);
            format!("{started}  {median} of {runs}, version {version}, session {id}")
        }));
        lines.extend([String::new(), followed.trend.command.clone()]);
        vec![Intent::page(format!("{} {}", series.test, series.name), lines)]
    }

    /// Handles the user's reply.
    ///
    /// # Errors
    /// The reason why the reply is invalid, with the expected form.
    pub(super) fn take_reply(&mut self, dialog: Dialog, reply: Reply, now: Duration) -> Result<Intents, String> {
        match (dialog, reply) {
            (Dialog::Metric, Reply::Chosen(chosen)) => {
                let Some((of, followed)) = self.followed() else { return Ok(Intents::new()) };
                let metric = chosen.first().and_then(|&at| followed.metrics.get(at)).copied();
                let test = self.current().map(|series| (series.test, series.size.clone())).or(of.test.clone());
                let of = metric.map(|metric| TrendOf { metric, test, ..of.clone() });
                Ok(of.map_or_else(Intents::new, |of| self.ask(of, now)))
            }
            (Dialog::Filter, Reply::Typing(text) | Reply::Text(text)) => {
                self.filter = ListFilter::read(&text, OF_TESTS)?;
                self.cursor = ListCursor::default();
                self.kept_in();
                Ok(Intents::new())
            }
            (Dialog::Export, Reply::Text(path)) => {
                let (_, followed) = self.followed().ok_or("there is no trend to export")?;
                let content = export::sheet(sheet(&followed.trend), &followed.trend)?;
                Ok(vec![Intent::Write { path: path.into(), content }])
            }
            _ => Ok(Intents::new()),
        }
    }
}
