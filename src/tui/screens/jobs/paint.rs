//! Painting of the Jobs screen.

use super::{JobsScreen, ListedJob};
use crate::tui::widgets::{
    paint::{Paint, rows, wrap},
    table::{TableColumn, table},
};
use dbdyno_catalog::Role;
use dbdyno_foundation::base::units::plain;
use ratatui::layout::{Constraint, Layout, Rect};

const COLUMNS: &[TableColumn<ListedJob>] = &[
    TableColumn::text("state", 1, |job: &ListedJob| job.state.to_owned()).coloured(role),
    TableColumn::text("started", 2, |job| job.started.clone()),
    TableColumn::text("job", 3, |job| job.id.clone()),
    TableColumn::text("command", 0, |job| job.command.clone()),
];

pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, screen: &JobsScreen) {
    let command = screen.current().map_or_else(Vec::new, |job| wrap(&plain(&job.command), usize::from(area.width) - 2));
    let below = if command.is_empty() { 0 } else { (command.len() as u16 + 2).min(area.height / 3) };
    let [list, whole] = area.layout(&Layout::vertical([Constraint::Min(3), Constraint::Length(below)]));
    draw_list(paint, list, screen);
    if let Some(job) = screen.current() {
        let inner = paint.pane(whole, &format!("{} {}", job.id, job.state), false);
        command.iter().zip(rows(inner)).for_each(|(line, row)| {
            paint.text(row, line, Role::Text);
        });
    }
}

fn draw_list(paint: &mut Paint<'_>, area: Rect, screen: &JobsScreen) {
    let title = paint.title_after_way(area, "Your jobs on this machine");
    let inner = paint.pane(area, &title, true);
    match screen.jobs.as_deref() {
        None => {
            paint.text(inner, "reading …", Role::Dim);
        }
        Some([]) => {
            let text = "No jobs today. This screen lists all your benches, trials and torture jobs, whichever terminal started \
                        them. You can watch each of them here.";
            paint.wrapped(inner, text, Role::Dim);
        }
        Some(jobs) => table(paint, inner, COLUMNS, &jobs.iter().collect::<Vec<_>>(), screen.cursor, 0),
    }
}

fn role(job: &ListedJob) -> Role {
    if job.measures { Role::Accent } else { Role::Dim }
}
