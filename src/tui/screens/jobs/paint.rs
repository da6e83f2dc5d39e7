//! Painting of the Jobs screen.

use super::{JobsScreen, ListedJob};
use crate::tui::widgets::{
    paint::{Paint, rows, wrap},
    table::{ListTable, TableColumn},
};
use dbdyno_catalog::Role;
use dbdyno_foundation::base::units::plain;
use ratatui::layout::{Constraint, Layout, Rect};

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
        Some(jobs) => drop(ListTable::new(columns(), jobs, screen.cursor, 0).paint(paint, inner)),
    }
}

type JobColumn<'t> = TableColumn<'t, &'t ListedJob>;

fn columns<'t>() -> Vec<JobColumn<'t>> {
    let role = |job: &&ListedJob| if job.measures { Role::Accent } else { Role::Dim };
    vec![
        JobColumn::text("state", 1, |job| job.state).coloured(role),
        JobColumn::text("started", 2, |job| job.started.as_str()),
        JobColumn::text("job", 3, |job| job.id.as_str()),
        JobColumn::text("command", 0, |job| job.command.as_str()),
    ]
}
