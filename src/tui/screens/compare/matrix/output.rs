//! The output of a session's views: explanations, SQL, remarks, files.

use super::{
    super::output::{Remark, copied, obstacle, remarks_of},
    CompareScreen, CompareView, Intents, MatrixRow, matrix_rows,
};
use crate::tui::{overlay::Overlay, screens::intent::Intent, world::World};
use dbdyno_catalog::Difference;
use dbdyno_comparing::compare::{ComparedGroups, Comparison, Mean};
use dbdyno_foundation::metric::Metric;
use dbdyno_reports::{
    command::shell,
    comparison::{explain, facts, several},
    tune::effects_text,
};

impl CompareScreen {
    /// Returns the comparisons that the session's view shows.
    pub(in super::super) fn session_shown(&self) -> &[Comparison] {
        match self.looked.view {
            CompareView::Sweep => self.sweep().map_or(&[], |sweep| sweep.comparisons.as_slice()),
            _ => self.matrix().map_or(&[], |matrix| matrix.comparisons.as_slice()),
        }
    }

    /// Explains the cell under the cursor.
    pub(super) fn explain_session(&self) -> Intents {
        let Some((side, line)) = self.under_cursor() else { return Intents::new() };
        let sides = format!("A is {}, B is {}", several::name(&side.a), several::name(&side.b));
        let Some(line) = line else {
            let mean = self.mean_under_cursor(side);
            let Some(mean) = mean else { return Intents::new() };
            let of_mean: Vec<_> = side.lines.iter().filter(|line| line.size == mean.size).collect();
            let text = [vec![sides, String::new()], explain::mean(mean, &of_mean)].concat();
            return vec![Intent::page(format!("Geometric mean · size {}", mean.size), text)];
        };
        let title = format!("{} {} · size {}", line.test, line.name, line.size);
        let text = [vec![sides, String::new()], explain::line(side, line, obstacle)].concat();
        vec![Intent::Read(Overlay::explanation(title, text, explain::sql(&[line], self.metric())))]
    }

    fn mean_under_cursor<'c>(&self, side: &'c Comparison) -> Option<&'c Mean> {
        let size = match self.looked.view {
            CompareView::Sweep => self.sweep()?.places.get(self.looked.ranked_by)?.size.clone(),
            _ => {
                let rows = matrix_rows(&self.matrix()?.comparisons, &self.looked.filter);
                match rows.into_iter().filter(MatrixRow::is_place).nth(self.cursor().at)? {
                    MatrixRow::Mean(size) => size.to_owned(),
                    MatrixRow::Line(_) | MatrixRow::Title(_) => return None,
                }
            }
        };
        several::mean_of(side, &size)
    }

    /// Copies the SQL that fetches the data under the cursor to the clipboard.
    pub(super) fn copy_of_session(&self) -> Intents {
        let under = self.under_cursor();
        let lines: Vec<_> = match &under {
            Some((_, Some(line))) => vec![*line],
            Some((side, None)) => side.lines.iter().collect(),
            None => Vec::new(),
        };
        copied(explain::sql(&lines, self.metric()))
    }

    /// Shows the remarks to read before trusting the figures.
    pub(super) fn notes_on_session(&self, world: &World) -> Intents {
        let compared = self.exported_session(world);
        let sides = &compared.sides;
        let Some(first) = sides.first() else { return Intents::new() };
        let mut lines = several::answers(&compared);
        lines.push(String::new());
        let place = self.sweep().and_then(|sweep| sweep.places.get(self.looked.ranked_by));
        if let Some(effects) = place.and_then(|place| place.effects.as_ref())
            && self.looked.view == CompareView::Sweep
        {
            lines.extend(effects_text(effects).lines().map(str::to_owned));
            lines.push(String::new());
        }
        lines.extend(several::head(sides));
        lines.push(String::new());
        lines.extend(remarks_of(sides).iter().map(Remark::text));
        lines.push(String::new());
        lines.extend(several::options(sides));
        lines.push(facts::origin(first));
        vec![Intent::page("Notes on these comparisons", lines)]
    }

    /// Returns the comparisons that the session's view shows, with the command that reproduces them.
    pub(in super::super) fn exported_session(&self, world: &World) -> ComparedGroups {
        let sides = self.session_shown();
        let Some(first) = sides.first() else { return ComparedGroups::default() };
        let mut words = ["dbdyno", "compare", "--reference", &first.b.selection].map(str::to_owned).to_vec();
        let sessions: Vec<_> = first.b.sessions.iter().map(|session| session.session_id).collect();
        let foreign = |side: &&Comparison| side.a.sessions.iter().any(|other| !sessions.contains(&other.session_id));
        // Without these words, the command compares all other configurations of the reference's sessions.
        if sides.iter().any(|side| foreign(&side)) {
            words.extend(sides.iter().flat_map(|side| ["--with".to_owned(), side.a.selection.clone()]));
        }
        if first.metric != Metric::Wall {
            words.extend(["--metric".to_owned(), first.metric.name().to_owned()]);
        }
        let mut allowed = self.looked.allowed.clone();
        if self.looked.view == CompareView::Sweep {
            allowed.insert(Difference::Tiers);
        }
        words.extend(allowed.iter().map(|difference| format!("--allow-{}", difference.name())));
        words.extend(world.arguments.iter().cloned());
        let command = shell(words);
        let sides = sides.iter().map(|side| Comparison { command: command.clone(), ..side.clone() }).collect();
        let matrix = self.matrix().filter(|_| self.looked.view != CompareView::Sweep);
        ComparedGroups { sides, leaders: matrix.map_or_else(|| vec![None], |matrix| matrix.leaders()) }
    }
}
