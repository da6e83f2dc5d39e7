//! What the sides were made from.

use super::{
    layout::by_size,
    load::Side,
    model::{MeasuredConfiguration, SideFacts},
};
use crate::store::RunConfiguration;
use std::collections::BTreeMap;

/// Where each session ran.
pub(super) fn places<'s>(sides: &[&'s Side]) -> BTreeMap<&'s str, String> {
    sides.iter().flat_map(|side| &side.sessions).map(|session| (session.session_id.as_str(), session.place())).collect()
}

pub(super) fn of_side(side: &Side) -> SideFacts {
    let mut configurations: BTreeMap<(&str, &RunConfiguration), MeasuredConfiguration> = BTreeMap::new();
    for run in &side.runs {
        let measured =
            configurations.entry((&run.label, &run.configuration)).or_insert_with(|| MeasuredConfiguration {
                label: run.label.clone(),
                runs: 0,
                sizes: Vec::new(),
                configuration: run.configuration.clone(),
            });
        measured.runs += 1;
        if !measured.sizes.contains(&run.size) {
            measured.sizes.push(run.size.clone());
            measured.sizes.sort_by(|a, b| by_size(a, b));
        }
    }
    SideFacts {
        selection: side.selection.clone(),
        runs: side.runs.len(),
        results: side.runs.iter().map(|run| run.tests.len()).sum(),
        configurations: configurations.into_values().collect(),
        sessions: side.sessions.clone(),
    }
}
