//! The results of kills and power losses as a sheet.

use super::sheet::{Cell, Column, ColumnRole, Row, Section, Sense, Sheet, Table};
use dbdyno_running::{
    runner::waiting_for_lock,
    torture::{
        Contradiction, DiskFindings, Findings, Mutant, TortureProgress, TortureSubject, TortureTerms, TortureVerdict,
    },
};
use serde::Serialize;
use std::collections::BTreeMap;

/// The results for each configuration, as in the JSON.
#[derive(Debug, Serialize)]
pub struct TortureReport<'r> {
    dbdyno_version: &'static str,
    command: &'r str,
    seed: u64,
    configurations: Vec<TorturedConfiguration<'r>>,
}

#[derive(Debug, Serialize)]
struct TorturedConfiguration<'r> {
    choice: &'r str,
    engine: &'r str,
    version: &'r str,
    options: BTreeMap<String, String>,
    tier: Option<u8>,
    tier_reason: &'r str,
    #[serde(flatten)]
    findings: &'r Findings,
}

impl<'r> TortureReport<'r> {
    /// Builds the report. `command`: the command that ran the crash test, with this seed.
    pub fn new(found: &'r [(TortureSubject, Findings)], seed: u64, command: &'r str) -> Self {
        let configuration = |(subject, findings): &'r (TortureSubject, Findings)| TorturedConfiguration {
            choice: &subject.choice,
            engine: &subject.engine,
            version: &subject.version,
            options: subject.settings.to_map(),
            tier: subject.tier.number(),
            tier_reason: &subject.tier_reason,
            findings,
        };
        let configurations = found.iter().map(configuration).collect();
        Self { dbdyno_version: env!("CARGO_PKG_VERSION"), command, seed, configurations }
    }
}

/// Builds a sheet of the results: a section and a record for each configuration, and all of them in one table if there are several.
/// `command`: the command that ran the crash test.
pub fn sheet(found: &[(TortureSubject, Findings)], command: &str) -> Sheet {
    let overview = (found.len() > 1).then(|| Section { table: Some(overview(found)), ..Section::default() });
    let each = found.iter().map(|(subject, findings)| section(subject, findings));
    Sheet {
        title: "Crash tests".to_owned(),
        sections: each.chain(overview).collect(),
        records: Some(records(found)),
        command: command.to_owned(),
    }
}

fn section(subject: &TortureSubject, findings: &Findings) -> Section {
    let TortureSubject { choice, version, tier, tier_reason, .. } = subject;
    let columns = [("name", "", ColumnRole::Name), ("found", "", ColumnRole::Verdict)];
    let row = |(name, value): (&'static str, String)| {
        let value = Cell { sense: (name == VERDICT).then(|| sense(&findings.verdict)), ..Cell::new(value) };
        Row::Cells(vec![Cell::new(name), value])
    };
    Section {
        heading: Some(format!("{choice} {version} · tier {tier}: {tier_reason}")),
        table: Some(Table {
            columns: Column::all(columns),
            rows: facts(subject, findings).into_iter().map(row).collect(),
            indent: 2,
            ..Table::default()
        }),
        ..Section::default()
    }
}

/// The name of the fact that sums up all others.
const VERDICT: &str = "verdict";

fn sense(verdict: &TortureVerdict) -> Sense {
    match verdict {
        TortureVerdict::Evidenced { .. } => Sense::Fit,
        TortureVerdict::Contradicted(_) => Sense::Unfit,
        TortureVerdict::NotEvidenced { .. } => Sense::Note,
    }
}

/// Returns the results for a configuration: names with values, and values that continue below their name.
fn facts(subject: &TortureSubject, findings: &Findings) -> Vec<(&'static str, String)> {
    let power = &findings.power;
    let mut facts = vec![("kills", kills(findings))];
    facts.extend(power.route.map(|route| ("recorded", route.to_string())));
    for (name, disk) in [("power losses", &power.journaled), ("strict names", &power.by_folder)] {
        let unseen = power.unseen.as_ref().filter(|_| disk.images == 0);
        facts.push((name, unseen.map_or_else(|| images(disk), |reason| format!("none: {reason}"))));
        facts.extend(disk.examples.iter().map(|example| ("", format!("example: {example}"))));
    }
    facts.extend(power.by_folder.contradiction.iter().map(|contradiction| {
        ("", format!("where a new name is durable only after its folder is synced: {}", contradiction.what))
    }));
    if !power.mutants.is_empty() {
        facts.push(("mutants", format!("{} of {} caught", power.caught(), power.mutants.len())));
        facts.extend(power.mutants.iter().map(|mutant| ("", of_mutant(mutant))));
    }
    facts.push((VERDICT, findings.verdict.to_string()));
    if let TortureVerdict::Contradicted(Contradiction { image: Some(image), .. }) = &findings.verdict {
        facts.push(("", format!("kept in {}", image.display())));
        facts.push(("", format!("dbdyno torture '{}' --image '{}' shows it", subject.choice, image.display())));
    }
    facts.extend(findings.stopped.then(|| ("", "stopped before the end".to_owned())));
    facts
}

fn kills(findings: &Findings) -> String {
    match (&findings.killed, findings.kills) {
        (_, 0) => "none".to_owned(),
        (Some(killed), kills) => format!("the last of {kills}: {}", killed.what),
        (None, kills) => format!("{kills}, and every acknowledged commit survived each"),
    }
}

fn images(disk: &DiskFindings) -> String {
    let DiskFindings { images, whole, earlier, broken, unmade, .. } = disk;
    match images {
        0 => "none".to_owned(),
        _ => {
            let unmade = match unmade {
                0 => String::new(),
                unmade => format!(", {unmade} not yet created"),
            };
            format!("{images} images: {whole} whole, {earlier} without the latest commits, {broken} broken{unmade}")
        }
    }
}

/// Describes whether the promise is kept on disks where a new name is durable only once its folder is synced.
fn strict(disk: &DiskFindings) -> &'static str {
    match disk {
        DiskFindings { images: 0, .. } => "-",
        DiskFindings { contradiction: Some(_), .. } => "lost",
        DiskFindings { .. } => "kept",
    }
}

fn of_mutant(mutant: &Mutant) -> String {
    let Mutant { lacks, calls, images, caught } = mutant;
    match caught {
        Some(what) => format!("without {lacks} ({calls}): {what}"),
        None => format!("without {lacks} ({calls}): not caught in {images} images"),
    }
}

/// Builds a table with one row per configuration.
fn overview(found: &[(TortureSubject, Findings)]) -> Table {
    let columns = [
        ("configuration", ColumnRole::Name, 0),
        ("version", ColumnRole::Name, 9),
        ("tier", ColumnRole::Name, 2),
        ("kills", ColumnRole::Figure, 4),
        ("images", ColumnRole::Figure, 3),
        ("whole", ColumnRole::Figure, 8),
        ("earlier", ColumnRole::Figure, 7),
        ("broken", ColumnRole::Figure, 5),
        ("strict names", ColumnRole::Verdict, 10),
        ("mutants caught", ColumnRole::Verdict, 6),
        ("verdict", ColumnRole::Verdict, 1),
    ];
    let row = |(subject, findings): &(TortureSubject, Findings)| {
        let power = &findings.power;
        let mutants = format!("{} of {}", power.caught(), power.mutants.len());
        let cells = [
            subject.choice.clone(),
            subject.version.clone(),
            subject.tier.to_string(),
            findings.kills.to_string(),
            power.images().to_string(),
            power.journaled.whole.to_string(),
            power.journaled.earlier.to_string(),
            power.journaled.broken.to_string(),
            strict(&power.by_folder).to_owned(),
            if power.mutants.is_empty() { "-".to_owned() } else { mutants },
        ];
        let verdict = Cell::new(findings.verdict.word()).at_length(findings.verdict.to_string());
        Row::Cells(cells.map(Cell::new).into_iter().chain([verdict.sensed(sense(&findings.verdict))]).collect())
    };
    Table {
        columns: columns.map(|(name, role, rank)| Column::new(name, name, role).ranked(rank)).to_vec(),
        rows: found.iter().map(row).collect(),
        is_headed: true,
        ..Table::default()
    }
}

/// Builds a record for each configuration.
fn records(found: &[(TortureSubject, Findings)]) -> Table {
    const COLUMNS: [&str; 15] = [
        "configuration",
        "engine",
        "version",
        "tier",
        "tier_reason",
        "verdict",
        "verdict_words",
        "kills",
        "images",
        "whole",
        "earlier",
        "broken",
        "strict_names",
        "mutants_caught",
        "mutants",
    ];
    let record = |(subject, findings): &(TortureSubject, Findings)| {
        let power = &findings.power;
        let tier = subject.tier.number().map_or_else(String::new, |number| number.to_string());
        let DiskFindings { whole, earlier, broken, .. } = &power.journaled;
        let counts = [findings.kills, power.images(), *whole, *earlier, *broken];
        let words = [&subject.choice, &subject.engine, &subject.version, &tier, &subject.tier_reason].map(Cell::new);
        let verdict = [Cell::new(findings.verdict.word()), Cell::new(findings.verdict.to_string())];
        let counts = counts.map(|count| Cell::new(count.to_string()));
        let mutants = [power.caught().to_string(), power.mutants.len().to_string()].map(Cell::new);
        let strict = [Cell::new(strict(&power.by_folder))];
        Row::Cells(words.into_iter().chain(verdict).chain(counts).chain(strict).chain(mutants).collect())
    };
    Table::records(COLUMNS, found.iter().map(record))
}

/// Describes the progress in words.
pub fn step_text(step: &TortureProgress, terms: &TortureTerms) -> String {
    match step {
        TortureProgress::Waiting { holder } => waiting_for_lock(holder.as_deref()),
        TortureProgress::Kill { done } => format!("killed {done} of {}", terms.kills),
        TortureProgress::Recording => format!("recording {} commits", terms.commits),
        TortureProgress::Image { done } => format!("power lost {done} of {} times", terms.images),
        TortureProgress::Mutant { number, of } => format!("without a sync call: {number} of {of}"),
    }
}
