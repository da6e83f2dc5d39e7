//! What kills and power losses showed, as text and JSON.

use super::{
    comparison::escaped,
    format::{Format, WriteError},
};
use dbdyno_foundation::base::units::plain;
use dbdyno_running::torture::{Contradiction, DiskFindings, Findings, Mutant, Step, Subject, Terms, Verdict};
use serde::Serialize;
use std::{collections::BTreeMap, fmt::Write};

/// The formats that findings can be written in.
pub const TORTURE_FORMATS: &[Format] = &[Format::Table, Format::Markdown, Format::Json];

/// What was found of each configuration.
///
/// # Errors
/// A format that it does not have.
pub fn torture_text(
    found: &[(Subject, Findings)],
    format: Format,
    seed: u64,
    command: &str,
) -> Result<String, WriteError> {
    match format {
        Format::Table => Ok(found.iter().map(|(subject, findings)| block(subject, findings)).collect()),
        Format::Markdown => Ok(markdown(found, command)),
        Format::Json => json(found, seed, command),
        asked => Err(WriteError::Unsupported { asked, supported: TORTURE_FORMATS }),
    }
}

/// How far it is, in words.
pub fn step_text(step: Step, terms: &Terms) -> String {
    match step {
        Step::Waiting => "waiting for a run that another dbdyno measures".to_owned(),
        Step::Kill { done } => format!("killed {done} of {}", terms.kills),
        Step::Recording => format!("recording {} commits", terms.commits),
        Step::Image { done } => format!("power lost {done} of {} times", terms.images),
        Step::Mutant { number, of } => format!("without a sync call: {number} of {of}"),
    }
}

fn block(subject: &Subject, findings: &Findings) -> String {
    let mut text = format!(
        "{} {} · tier {}: {}\n",
        plain(&subject.choice),
        plain(&subject.version),
        subject.tier,
        plain(&subject.tier_reason)
    );
    let power = &findings.power;
    lay(&mut text, "kills", &kills(findings));
    if let Some(route) = power.route {
        lay(&mut text, "recorded", &route.to_string());
    }
    for (name, disk) in [("power losses", &power.journaled), ("strict names", &power.by_folder)] {
        let unseen = power.unseen.as_ref().filter(|_| disk.images == 0);
        lay(&mut text, name, &unseen.map_or_else(|| images(disk), |reason| format!("none: {reason}")));
        for example in &disk.examples {
            lay(&mut text, "", &format!("as: {example}"));
        }
    }
    if let Some(contradiction) = &power.by_folder.contradiction {
        lay(&mut text, "", &format!("where a new name lasts only once its folder is synced: {}", contradiction.what));
    }
    if !power.mutants.is_empty() {
        lay(&mut text, "mutants", &format!("{} of {} caught", power.caught(), power.mutants.len()));
        for mutant in &power.mutants {
            lay(&mut text, "", &of_mutant(mutant));
        }
    }
    lay(&mut text, "verdict", &findings.verdict.to_string());
    if let Verdict::Contradicted(Contradiction { image: Some(image), .. }) = &findings.verdict {
        lay(&mut text, "", &format!("kept in {}", image.display()));
        lay(&mut text, "", &format!("dbdyno torture '{}' --image '{}' shows it", subject.choice, image.display()));
    }
    if findings.stopped {
        lay(&mut text, "", "it was stopped before the end");
    }
    text.push('\n');
    text
}

fn lay(text: &mut String, name: &str, value: &str) {
    // Writing to a String cannot fail.
    let _ = writeln!(text, "  {name:<13} {}", plain(value));
}

fn kills(findings: &Findings) -> String {
    match (&findings.killed, findings.kills) {
        (_, 0) => "none".to_owned(),
        (Some(killed), kills) => format!("the last of {kills}: {}", killed.what),
        (None, kills) => format!("{kills}, after each of which every acknowledged commit is there"),
    }
}

fn images(disk: &DiskFindings) -> String {
    let DiskFindings { images, whole, earlier, broken, unmade, .. } = disk;
    match images {
        0 => "none".to_owned(),
        _ => {
            let unmade = match unmade {
                0 => String::new(),
                unmade => format!(", {unmade} not yet made"),
            };
            format!("{images} images: {whole} whole, {earlier} without the latest commits, {broken} broken{unmade}")
        }
    }
}

/// Whether the promise is kept where a new name lasts only once its folder is synced.
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

fn markdown(found: &[(Subject, Findings)], command: &str) -> String {
    let mut text = format!("Made by {}\n\n", escaped(command));
    let head = [
        "configuration",
        "version",
        "tier",
        "kills",
        "images",
        "whole",
        "earlier",
        "broken",
        "strict names",
        "mutants caught",
        "verdict",
    ];
    let rows = found.iter().map(|(subject, findings)| {
        let power = &findings.power;
        let mutants = format!("{} of {}", power.caught(), power.mutants.len());
        vec![
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
            findings.verdict.to_string(),
        ]
    });
    table(&mut text, &head, rows);
    let mutants: Vec<Vec<String>> = found
        .iter()
        .flat_map(|(subject, findings)| findings.power.mutants.iter().map(|mutant| (subject.choice.clone(), mutant)))
        .map(|(choice, mutant)| {
            let caught = mutant.caught.clone().unwrap_or_else(|| "not caught".to_owned());
            vec![choice, mutant.lacks.clone(), mutant.calls.to_string(), mutant.images.to_string(), caught]
        })
        .collect();
    if !mutants.is_empty() {
        text.push('\n');
        table(&mut text, &["configuration", "without", "calls", "images", "caught by"], mutants);
    }
    text
}

fn table(text: &mut String, head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    text.push_str(&format!("| {} |\n{}\n", head.join(" | "), "|---".repeat(head.len()) + "|"));
    for cells in rows {
        let cells: Vec<String> = cells.iter().map(|cell| escaped(cell)).collect();
        text.push_str(&line(&cells));
    }
}

#[derive(Serialize)]
struct TortureJson<'r> {
    dbdyno_version: &'static str,
    command: &'r str,
    seed: u64,
    configurations: Vec<ConfigurationJson>,
}

#[derive(Serialize)]
struct ConfigurationJson {
    choice: String,
    engine: String,
    version: String,
    options: BTreeMap<String, String>,
    tier: Option<u8>,
    tier_reason: String,
    #[serde(flatten)]
    findings: Findings,
}

fn json(found: &[(Subject, Findings)], seed: u64, command: &str) -> Result<String, WriteError> {
    let configuration = |(subject, findings): &(Subject, Findings)| ConfigurationJson {
        choice: subject.choice.clone(),
        engine: subject.engine.clone(),
        version: subject.version.clone(),
        options: subject.settings.to_map(),
        tier: subject.tier.number(),
        tier_reason: subject.tier_reason.clone(),
        findings: findings.clone(),
    };
    let configurations = found.iter().map(configuration).collect();
    let all = TortureJson { dbdyno_version: env!("CARGO_PKG_VERSION"), command, seed, configurations };
    Ok(serde_json::to_string_pretty(&all)? + "\n")
}
