//! The output of the screen: explanations and files.

use super::{ClaimsScreen, Dialog, Intents, claim_name};
use crate::tui::{
    export,
    screens::{
        copying::{Copyable, nothing_to_copy},
        intent::Intent,
    },
    world::World,
};
use dbdyno_comparing::claims::{JudgedClaim, JudgedComparison, Reproduction, RunOrigin};
use dbdyno_reports::{
    claims::{measured, measured_by, notes, published, sheet, verdict},
    command::shell,
    sheet::SHEET_FORMATS,
};

impl ClaimsScreen {
    /// Shows the notes on the open publication, or on the one under the cursor.
    pub(super) fn notes(&self, world: &World) -> Intents {
        let name = self.opened.as_ref().map(|opened| &opened.name);
        let claims = match name {
            Some(name) => world.claims.iter().find(|claims| claims.name == *name),
            None => world.claims.get(self.cursor.at),
        };
        let Some(claims) = claims else { return Intents::new() };
        let mut lines = vec![format!("{}: {}", claims.source, claims.setup), String::new()];
        lines.extend(claims.caveats.iter().map(|caveat| format!("! {caveat}")));
        vec![Intent::page(claims.title.clone(), lines)]
    }

    /// Explains the verdict under the cursor.
    pub(super) fn explain(&self) -> Intents {
        let explained = self.claim().map(|(comparison, claim)| (claim_name(claim), explanation(comparison, claim)));
        explained.map_or_else(Intents::new, |(title, lines)| vec![Intent::page(title, lines)])
    }

    /// Copies the claim under the cursor with both figures, or the location of the publication under it.
    pub(super) fn copy(&self, world: &World) -> Intents {
        match (&self.opened, self.claim(), world.claims.get(self.cursor.at)) {
            (Some(_), Some((comparison, claim)), _) => {
                Copyable::new(format!("the claim on {}", claim_name(claim)), in_words(comparison, claim)).copied()
            }
            (None, _, Some(one)) => {
                Copyable::new(format!("title and source of {}", one.name), format!("{}: {}", one.title, one.source))
                    .copied()
            }
            _ => nothing_to_copy(),
        }
    }

    pub(super) fn ask_export(&self) -> Intents {
        let Some(opened) = &self.opened else { return Intents::new() };
        let file = format!("dbdyno-claims-{}.txt", opened.name);
        vec![Intent::prompt_export(Dialog::Export, "Export the claims", file, SHEET_FORMATS)]
    }

    pub(super) fn export(&self, path: &str) -> Result<Intents, String> {
        let table = self.opened.as_ref().and_then(|opened| opened.judged()).ok_or("the claims are not judged yet")?;
        let command = shell(["dbdyno", "claims", &table.name]);
        let content = export::sheet(sheet(table, &command), table)?;
        Ok(vec![Intent::Write { path: path.into(), content }])
    }
}

/// `x against y: 1 writes: published 0.55 (232K/s / 128K/s), measured 0.50x [0.49, 0.51]: ✓ agrees`
fn in_words(comparison: &JudgedComparison, claim: &JudgedClaim) -> String {
    let (published, measured, verdict) = (published(claim), measured(claim), verdict(claim));
    let (title, name) = (&comparison.title, claim_name(claim));
    format!("{title}: {name}: published {published}, measured {measured}: {verdict}")
}

fn explanation(comparison: &JudgedComparison, claim: &JudgedClaim) -> Vec<String> {
    let (a, b) = &comparison.selections;
    let mut lines = vec![
        format!("A {} · B {}", comparison.a_name, comparison.b_name),
        "Ratios are time A / time B: below 1 A is faster. Machines differ: only ratios are judged.".to_owned(),
        String::new(),
        format!("published: {}", claim.published),
    ];
    if let Some((a, b)) = &claim.figures {
        lines.push(format!("published figures, shown but not judged: A {a}, B {b}"));
    }
    lines.push(match comparison.origin {
        RunOrigin::Measured => format!("measured here: {}", measured(claim)),
        RunOrigin::Imported => format!("in imported runs, which dbdyno did not measure: {}", measured(claim)),
    });
    lines.push(format!("verdict: {}", verdict(claim)));
    lines.extend([String::new(), rule(claim.reproduction).to_owned()]);
    if claim.measured.is_some() {
        lines.push(
            "Over several sizes, the ratio is the median of their ratios, and the ends of the interval are the medians of their ends."
                .to_owned(),
        );
    }
    let (runs_a, runs_b) = comparison.runs;
    lines.extend([
        String::new(),
        format!("judged by stored runs: {runs_a} of A `{a}`, {runs_b} of B `{b}`"),
        format!("{} shows them", shell(["dbdyno", "compare", "--a", a, "--b", b])),
    ]);
    lines.extend(notes(comparison).into_iter().map(|note| format!("! {note}")));
    lines.extend(measured_by(comparison).map(|command| format!("{command} measures it")));
    lines
}

/// Returns the rule behind a verdict.
fn rule(reproduction: Reproduction) -> &'static str {
    match reproduction {
        Reproduction::Agrees => {
            "Agrees: the measured 95 % interval is inside the published range, or it is no wider and the ratio is inside. A figure \
             without a range counts as +-25 %, `the same` as +-10 %. A claim that one side is faster needs the whole interval on that \
             side of 1."
        }
        Reproduction::DirectionOnly => {
            "Direction only: the same side is faster, by a factor outside the published range, or at sizes that were not published."
        }
        Reproduction::NotReproduced => {
            "Not reproduced: the measured interval misses the published range, or the claimed side is not faster: the other one is, or \
             both are the same (+-3 %)."
        }
        Reproduction::OppositeElsewhere => {
            "Not at this size: the other side is faster, or both are the same (+-3 %), but only at sizes that were not published. That \
             refutes no published figure."
        }
        Reproduction::Undecided => {
            "Undecided: there are too few runs for an interval, it is too wide to decide, or the reason given above prevents a verdict."
        }
        Reproduction::NotMeasured => "Not measured: the store does not have runs of both sides.",
    }
}
