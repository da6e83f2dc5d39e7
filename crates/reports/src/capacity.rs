//! The capacities of engines as a sheet.

use super::sheet::{Cell, Column, ColumnRole, Row, Section, Sheet, Table};
use dbdyno_foundation::base::units::{count, counted, duration, plain};
use dbdyno_running::capacity::{
    Broken, Capacity, CapacityAnswer, CapacityReport, Contrary, Duel, Limit, Promise, RateProbe, SearchResult,
};
use dbdyno_stats::Verdict;

/// Builds the report as a sheet, with a record for each engine. `command`: the command that requested it.
pub fn sheet(report: &CapacityReport, command: &str) -> Sheet {
    let table = Section { table: Some(engines(report)), ..Section::default() };
    let duels: Vec<String> = report.duels.iter().map(duel_text).collect();
    let duels = (!duels.is_empty()).then(|| Section::lines(duels));
    let heading = Section { heading: Some(heading(report)), ..Section::default() };
    Sheet {
        title: format!("Capacity: {} {}", report.suite, report.test_name),
        sections: [heading, table].into_iter().chain(duels).chain([Section::lines(notes(report))]).collect(),
        records: Some(records(report)),
        command: command.to_owned(),
    }
}

fn heading(report: &CapacityReport) -> String {
    format!(
        "{} · {} {} · {} · size {} · {} · {} arrivals",
        report.suite, report.test, report.test_name, report.actor, report.size, report.promises, report.arrival
    )
}

fn engines(report: &CapacityReport) -> Table {
    let columns = [
        ("label", "", ColumnRole::Name),
        ("rate", "ops/s", ColumnRole::Figure),
        ("interval", "interval", ColumnRole::Interval),
        ("p50_ns", "p50", ColumnRole::Figure),
        ("p99_ns", "p99", ColumnRole::Figure),
        ("p999_ns", "p99.9", ColumnRole::Figure),
        ("busy", "busy", ColumnRole::Figure),
        ("broken", "breaks first", ColumnRole::Verdict),
        ("tier", "tier", ColumnRole::Name),
    ];
    let row = |one: &Capacity| match cells(one) {
        Ok(cells) => Row::Cells(cells.map(Cell::new).to_vec()),
        Err(words) => Row::Title(format!("{}  {words}", one.label)),
    };
    Table {
        columns: Column::all(columns),
        rows: report.capacities.iter().map(row).collect(),
        is_headed: true,
        ..Table::default()
    }
}

fn records(report: &CapacityReport) -> Table {
    const COLUMNS: [&str; 11] =
        ["label", "answer", "rate", "low", "high", "confidence", "p50_ns", "p99_ns", "p999_ns", "busy", "tier"];
    let record = |one: &Capacity| {
        let figures = match &one.answer {
            CapacityAnswer::Rate { rate, interval, at, .. } => [
                Some(*rate),
                interval.map(|range| range.low),
                interval.map(|range| range.high),
                interval.map(|range| range.confidence),
                at.p50_ns,
                at.p99_ns,
                at.p999_ns,
                Some(at.busy),
            ],
            CapacityAnswer::AtLeast { rate, .. } => [Some(*rate), None, None, None, None, None, None, None],
            CapacityAnswer::NoRate { .. } | CapacityAnswer::Failed { .. } | CapacityAnswer::Stopped => [None; 8],
        };
        let words = [Cell::new(&one.label), Cell::new(answer_word(&one.answer))];
        Row::Cells(words.into_iter().chain(figures.map(Cell::number)).chain([Cell::new(&one.tier)]).collect())
    };
    Table::records(COLUMNS, report.capacities.iter().map(record))
}

fn answer_word(answer: &CapacityAnswer) -> &'static str {
    match answer {
        CapacityAnswer::Rate { .. } => "rate",
        CapacityAnswer::AtLeast { .. } => "at least",
        CapacityAnswer::NoRate { .. } => "no rate",
        CapacityAnswer::Failed { .. } => "failed",
        CapacityAnswer::Stopped => "stopped",
    }
}

/// Returns the cells of an engine's line, or the reason why it has none.
fn cells(one: &Capacity) -> Result<[String; 9], String> {
    let CapacityAnswer::Rate { rate, interval, at, broken } = &one.answer else { return Err(words(&one.answer)) };
    let time = |ns: Option<f64>| ns.map_or_else(|| "-".to_owned(), duration);
    let range = interval.map(|range| format!("{} - {}", shown(range.low), shown(range.high)));
    Ok([
        one.label.clone(),
        shown(*rate),
        range.unwrap_or_else(|| "need >= 6 rounds".to_owned()),
        time(at.p50_ns),
        time(at.p99_ns),
        time(at.p999_ns),
        format!("{:.0} %", at.busy * 100.0),
        broken.join(", "),
        one.tier.clone(),
    ])
}

/// Formats a rate with the digits that a precision of some percent justifies.
fn shown(rate: f64) -> String {
    if rate < 100.0 { format!("{rate:.1}") } else { count(rate.round() as u64) }
}

fn words(answer: &CapacityAnswer) -> String {
    match answer {
        CapacityAnswer::Rate { rate, .. } => format!("{}/s", shown(*rate)),
        CapacityAnswer::AtLeast { rate, limit: Limit::Generator } => {
            format!("at least {}/s: the generator, not the engine, is the limit", shown(*rate))
        }
        CapacityAnswer::AtLeast { rate, limit: Limit::Asked } => {
            format!("at least {}/s: the highest requested rate (--to) still meets all targets", shown(*rate))
        }
        CapacityAnswer::NoRate { lowest } => {
            format!("no rate: at {}/s {}", count(lowest.rate), broken_text(&lowest.broken))
        }
        CapacityAnswer::Failed { reason } => format!("no answer: {reason}"),
        CapacityAnswer::Stopped => "stopped before a round was finished".to_owned(),
    }
}

/// Names the broken promises: `p99 is 12.0 ms`.
fn broken_text(broken: &[Broken]) -> String {
    let one = |broken: &Broken| match broken {
        Broken::Response { promise, found_ns: Some(ns) } => format!("{} is {}", promise.name(), duration(*ns as f64)),
        Broken::Response { promise, found_ns: None } => format!("{} is beyond all finished operations", promise.name()),
        Broken::Failures { failures, of } => format!("{} of {} failed", count(*failures), counted(*of, "operation")),
        Broken::FellBehind { operations, due } => format!("{} of {} were done", count(*operations), count(*due)),
    };
    broken.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn duel_text(duel: &Duel) -> String {
    let Duel { a, b, .. } = duel;
    let Some(ratio) = duel.ratio else { return format!("{a} / {b}: no ratio, not both have a rate") };
    let range = duel.interval.map_or_else(
        || format!("no interval from {}", counted(duel.pairs as u64, "pair")),
        |range| format!("{:.3} - {:.3}, {:.1} %", range.low, range.high, range.confidence * 100.0),
    );
    let more = if ratio < 1.0 {
        format!("{a} holds {:.2}x the rate", 1.0 / ratio)
    } else {
        format!("{b} holds {ratio:.2}x the rate")
    };
    let verdict = match duel.verdict {
        Some(Verdict::Faster | Verdict::Slower) => more,
        Some(Verdict::Same) => "same".to_owned(),
        Some(Verdict::Undecided { more_rounds: Some(more) }) => {
            format!("undecided, about {} would decide", counted(more, "more round"))
        }
        Some(Verdict::Undecided { more_rounds: None }) => "undecided".to_owned(),
        Some(Verdict::TooFew { need }) => format!("need >= {need} rounds"),
        None => "undecided".to_owned(),
    };
    format!("{a} / {b}: {ratio:.3} ({range}): {verdict}")
}

fn notes(report: &CapacityReport) -> Vec<String> {
    let has_rate = |one: &&Capacity| matches!(one.answer, CapacityAnswer::Rate { .. });
    let rated: Vec<&Capacity> = report.capacities.iter().filter(has_rate).collect();
    let mut notes = Vec::new();
    if let Some(rounds) = rated.iter().map(|one| one.rounds.len()).max() {
        let confidence = rated.iter().find_map(|one| match &one.answer {
            CapacityAnswer::Rate { interval, .. } => interval.map(|range| range.confidence),
            _ => None,
        });
        let interval =
            confidence.map_or_else(String::new, |confidence| format!(", interval {:.1} %", confidence * 100.0));
        notes.push(format!(
            "ops/s: median of {}, each a separate search with a fresh seed to {:.1} %{interval}",
            counted(rounds as u64, "round"),
            report.precision * 100.0
        ));
        notes.push("p50 to p99.9, busy: response times and share of the time spent in the engine, at the highest rate that held in each round".to_owned());
    }
    if !report.duels.is_empty() {
        notes.push(
            "ratio: rate of the second / rate of the first, rounds paired by seed: below 1 the first holds the higher rate"
                .to_owned(),
        );
    }
    let mut threads: Vec<String> = report.capacities.iter().map(|one| one.threads.to_string()).collect();
    threads.dedup();
    notes.push(format!(
        "threads of {}: {}; the machine has {}",
        report.actor,
        threads.join(", "),
        counted(report.cores as u64, "core")
    ));
    for one in &report.capacities {
        notes.extend(contrary_text(one));
    }
    if report.stopped {
        notes.push("!  stopped before its end: finished results are stored".to_owned());
    }
    notes.extend(report.warnings.iter().map(|warning| format!("!  {warning}")));
    notes
}

/// Describes the probes that contradict each other.
fn contrary_text(one: &Capacity) -> Option<String> {
    let rates = |held: bool| {
        let rates: Vec<String> = one
            .contrary
            .iter()
            .filter(|one| one.held == held)
            .map(|Contrary { rate, .. }| format!("{}/s", count(*rate)))
            .collect();
        (!rates.is_empty()).then(|| format!("{} {}", if held { "held at" } else { "broke at" }, rates.join(", ")))
    };
    let said: Vec<String> = [rates(true), rates(false)].into_iter().flatten().collect();
    (!said.is_empty()).then(|| {
        format!("!  {}: not monotone: it {}: something other than the rate affects it", one.label, said.join(" and "))
    })
}

/// Describes a probe in one line: `sqlite 5,000/s: p99 4.10 ms, holds`.
pub fn probe_text(label: &str, probe: &RateProbe) -> String {
    let label = plain(label);
    if probe.rate == 0 {
        return format!("{label} at full speed: {}/s", shown(probe.achieved));
    }
    let quantile = |(promise, found): &(Promise, Option<u64>)| {
        format!("{} {}", promise.name(), found.map_or_else(|| "beyond all".to_owned(), |ns| duration(ns as f64)))
    };
    let quantiles: Vec<String> = probe.quantiles.iter().map(quantile).collect();
    let names: Vec<String> = probe.broken.iter().map(Broken::name).collect();
    let verdict = if probe.holds() { "holds".to_owned() } else { format!("breaks {}", names.join(", ")) };
    format!("{label} {}/s: {}, {verdict}", count(probe.rate), quantiles.join(", "))
}

/// Describes the result of a search in one line.
pub fn found_text(found: &SearchResult) -> String {
    match found {
        SearchResult::Rate(estimate) => format!("{}/s", shown(estimate.rate)),
        SearchResult::AtLeast { rate, limit } => words(&CapacityAnswer::AtLeast { rate: *rate as f64, limit: *limit }),
        SearchResult::NoRate { lowest } => words(&CapacityAnswer::NoRate { lowest: lowest.clone() }),
        SearchResult::Failed { reason } => plain(&words(&CapacityAnswer::Failed { reason: reason.clone() })),
        SearchResult::Stopped => "stopped".to_owned(),
    }
}
