//! Explains in sentences how each figure of a comparison is calculated, with the runs behind it and the SQL that fetches them.

use super::{Wording, reasons, words};
use dbdyno_comparing::compare::{
    Comparison, Figure, JudgedRatio, Latency, Line, Mean, Obstacle, OverSizes, RatioRange, price,
};
use dbdyno_foundation::{
    base::units::{self, duration},
    metric::Metric,
};
use dbdyno_stats::{ALPHA, MIN_RUNS, SAME_BAND, Verdict};
use std::collections::BTreeSet;
use uuid::Uuid;

/// Explains the ratio, interval and verdict of a test; `obstacle` describes an obstacle to comparing it.
pub fn line(comparison: &Comparison, line: &Line, obstacle: impl Fn(&Obstacle) -> String) -> Vec<String> {
    let wording = Wording::of(comparison);
    let mut text = vec![what_ratio_is(&wording)];
    for (name, figure) in sides(line) {
        text.push(format!("{name}: {}", figure_words(figure, comparison.metric)));
    }
    text.push(String::new());
    match &line.found {
        Some(found) => text.extend(found_words(comparison, line, found, &wording)),
        None => text.push("Not comparable, so there is no ratio:".to_owned()),
    }
    if line.looks > 1 {
        text.push(format!(
            "It had {} looks, with rounds added in between: {}, and its interval is wider accordingly.",
            line.looks,
            price(line.looks)
        ));
    }
    text.extend(line.obstacles.iter().map(|found| format!("! {}", obstacle(found))));
    if let Some(reason) = &line.reason {
        text.extend([String::new(), "Where the time went:".to_owned()]);
        text.extend(reasons::text(reason, &wording));
        text.push(reasons::METHOD.to_owned());
    }
    text.extend([String::new(), "The runs:".to_owned()]);
    text.extend(runs(line, comparison.metric));
    text.extend(listed("SQL that fetches these values", sql(&[line], comparison.metric)));
    text
}

/// Explains the two latency histograms of a test.
pub fn latencies(line: &Line) -> Vec<String> {
    let mut text = vec![
        "The histograms of a side's runs are added up. Of fast operations only some are timed, because timing costs time. Columns are 10^(1/20) wide, so 20 make a power of ten; heights are shares of all operations of a side.".to_owned(),
        "A quantile q is shown if at least ten operations are beyond it.".to_owned(),
    ];
    for (name, figure) in sides(line) {
        text.push(match &figure.latency {
            Some(latency) => {
                let runs = units::counted(figure.values.len(), "run");
                let all = figure.operations * figure.values.len() as u64;
                let of = if latency.operations < all { format!(" of {}", units::count(all)) } else { String::new() };
                format!(
                    "{name}: {}{of} operations of {runs} timed; {}",
                    units::count(latency.operations),
                    quantiles(latency)
                )
            }
            None => format!("{name}: single operations were not timed"),
        });
    }
    text.extend(listed("SQL that fetches the histograms (HdrHistogram V2)", latency_sql(line)));
    text
}

/// Explains the geometric mean of a size.
pub fn mean(mean: &Mean, lines: &[&Line]) -> Vec<String> {
    let tests = units::counted(mean.tests, "test");
    let mut text = vec![
        format!("The geometric mean of the ratios of {tests}: exp of the mean of their logarithms."),
        "It weights all tests equally and has no verdict: tests are not samples of one population.".to_owned(),
    ];
    if mean.interval.is_some() {
        text.push(format!(
            "95 % interval {}: each pair of runs gives the mean of its tests, and these means are compared like the times of one test.",
            words::range(mean.interval)
        ));
    }
    text.push(String::new());
    for line in lines.iter().filter(|line| line.found.is_some()) {
        let ratio = line.found.as_ref().map_or(String::new(), |found| words::ratio(found.ratio));
        text.push(format!("{ratio:>7}  {} {}", line.test, line.name));
    }
    if !mean.left_out.is_empty() {
        text.extend([String::new(), format!("Left out, because not comparable: {}", mean.left_out.join(", "))]);
    }
    text
}

/// Explains a pivot's cell of several lines; `interval` is the interval of their mean, if there is one.
pub fn cell(comparison: &Comparison, lines: &[&Line], interval: Option<RatioRange>) -> Vec<String> {
    if lines.is_empty() {
        return vec!["Nothing was measured here.".to_owned()];
    }
    let mut text = vec![
        format!(
            "The geometric mean of the ratios of {}: exp of the mean of their logarithms.",
            units::counted(lines.len(), "line")
        ),
        match interval {
            Some(_) => format!(
                "95 % interval {}: each round gives the mean of its lines, and these means are compared like the times of one test.",
                words::range(interval)
            ),
            None => "It has no interval: too few rounds have all of these lines.".to_owned(),
        },
        String::new(),
    ];
    text.extend(lines.iter().map(|line| {
        let ratio = line.found.as_ref().map_or("n/c".to_owned(), |found| words::ratio(found.ratio));
        format!("{ratio:>7}  {} {} · size {} {}", line.test, line.name, line.size, words::part(&line.part))
    }));
    text.extend(listed("SQL that fetches these values", sql(lines, comparison.metric)));
    text
}

pub fn over_sizes(comparison: &Comparison, test: Option<&OverSizes>, lines: &[&Line]) -> Vec<String> {
    let mut text = vec![
        "The ratio at each size, with its interval and verdict. Then the median, the smallest and the largest ratio."
            .to_owned(),
        String::new(),
    ];
    for line in lines {
        let found = line.found.as_ref().map_or("not comparable".to_owned(), |found| {
            format!(
                "{} [{}] {}",
                words::ratio(found.ratio),
                words::interval(found),
                Wording::of(comparison).verdict(found)
            )
        });
        text.push(format!("size {}: {found}", line.size));
    }
    if let Some(test) = test {
        let [median, min, max] = [test.median, test.min, test.max].map(words::ratio);
        text.extend([String::new(), format!("median {median} [{min}, {max}]")]);
    }
    text.extend(listed("SQL that fetches these values", sql(lines, comparison.metric)));
    text
}

/// `p50 2.1 µs · p90 3 µs · p99 6.8 µs · p99.9 -`.
pub fn quantiles(latency: &Latency) -> String {
    let named = [("p50", latency.p50_ns), ("p90", latency.p90_ns), ("p99", latency.p99_ns), ("p99.9", latency.p999_ns)];
    let each =
        |(name, ns): (&str, Option<u64>)| format!("{name} {}", ns.map_or("-".to_owned(), |ns| duration(ns as f64)));
    named.map(each).join(" · ")
}

/// `lmdb/redb is time A / time B: below 1 lmdb is faster. A is lmdb, B is redb.`
fn what_ratio_is(wording: &Wording) -> String {
    let metric = wording.metric;
    let title = match metric {
        Metric::Wall => "time",
        metric => metric.title(),
    };
    let sides = &wording.sides;
    let [below, _] = wording.better_sides();
    let ratio = format!("{} is {title} A / {title} B: below 1, {below} is {}", sides.ratio(), metric.comparative());
    match sides.are_letters() {
        true => format!("{ratio}."),
        false => format!("{ratio}. A is {}, B is {}.", sides.a, sides.b),
    }
}

/// Returns SQL for the values behind these lines, of exactly their runs; none if there is no figure.
pub fn sql(lines: &[&Line], metric: Metric) -> Option<String> {
    let mut figures = lines.iter().flat_map(|line| sides(line));
    let name = metric.name();
    let value = match metric {
        _ if figures.any(|(_, figure)| figure.per_operation) => format!("{name} / operations AS {name}_per_operation"),
        Metric::Wall => "wall_ns / 1e6 AS ms".to_owned(),
        _ => name.to_owned(),
    };
    query(&format!("SELECT run_id, label, round, {value} FROM results"), lines)
}

/// Returns SQL for the histograms behind a line.
pub fn latency_sql(line: &Line) -> Option<String> {
    let columns = "SELECT run_id, label, round, operations_per_sample, histogram";
    query(&format!("{columns}\nFROM result JOIN run USING (run_id)"), &[line])
}

fn query(select: &str, lines: &[&Line]) -> Option<String> {
    let tests = lines.iter().map(|line| line.test).collect();
    let ids = lines.iter().flat_map(|line| sides(line)).flat_map(|(_, figure)| &figure.run_ids).collect();
    query_of(select, &tests, ids)
}

/// Returns SQL for a figure of these tests in these runs; none without a run.
pub(super) fn query_of(select: &str, tests: &BTreeSet<u32>, ids: BTreeSet<&Uuid>) -> Option<String> {
    let tests: Vec<String> = tests.iter().map(u32::to_string).collect();
    let ids: Vec<String> = ids.into_iter().map(|id| format!("  '{id}'")).collect();
    let tests = tests.join(", ");
    let order = "ORDER BY round, label";
    (!ids.is_empty())
        .then(|| format!("{select}\nWHERE test IN ({tests}) AND run_id IN (\n{}\n) {order}", ids.join(",\n")))
}

/// Returns a query below its heading.
pub(super) fn listed(heading: &str, sql: Option<String>) -> Vec<String> {
    let lines = |sql: String| {
        [String::new(), format!("{heading}:")].into_iter().chain(sql.lines().map(str::to_owned)).collect()
    };
    sql.map_or_else(Vec::new, lines)
}

fn sides(line: &Line) -> impl Iterator<Item = (&'static str, &Figure)> {
    [("A", &line.a), ("B", &line.b)].into_iter().filter_map(|(name, figure)| Some((name, figure.as_ref()?)))
}

fn figure_words(figure: &Figure, metric: Metric) -> String {
    let left_out = match figure.left_out {
        0 => String::new(),
        some => format!("; {} without a partner left out", units::counted(some, "run")),
    };
    let interval = figure.interval.map_or_else(String::new, |interval| {
        format!(" [{}-{}, bootstrap]", figure.shown(interval.low, metric), figure.shown(interval.high, metric))
    });
    format!(
        "{}, median {}{interval} of {}{left_out}",
        figure.label,
        figure.shown(figure.median, metric),
        units::counted(figure.values.len(), "run")
    )
}

fn found_words(comparison: &Comparison, line: &Line, found: &JudgedRatio, wording: &Wording) -> Vec<String> {
    let name = wording.sides.ratio();
    if found.exact {
        return vec![
            format!(
                "{name} {}: both sides had the same inputs, which determine the value, so no test is needed.",
                words::ratio(found.ratio)
            ),
            format!("Verdict: {}.", wording.verdict(found)),
        ];
    }
    let (what, test) = match (found.sessions, found.paired) {
        (Some(_), true) => (
            "the mean of ln of the sessions' ratios, each the Hodges-Lehmann estimate of its pairs, as a ratio; each session counts as one data point",
            "Student's t",
        ),
        (Some(_), false) => (
            "the difference of the means of ln of the sessions' medians, as a ratio; each session counts as one data point",
            "Student's t",
        ),
        (None, true) => (
            "Hodges-Lehmann estimate, the median of all averages (r_i + r_j) / 2 of r_i = ln(a_i / b_i), i <= j, as a ratio",
            "Wilcoxon signed-rank",
        ),
        (None, false) => ("Hodges-Lehmann estimate, the median of all ln(a_i) - ln(b_j), as a ratio", "Mann-Whitney U"),
    };
    let mut text = Vec::new();
    match found.interval {
        Some(interval) => {
            text.push(format!("{name} {}: {what}.", words::ratio(found.ratio)));
            text.push(format!(
                "95 % interval {}: from the distribution of the {test} statistic; confidence reached {:.1} %.",
                words::interval(found),
                interval.confidence * 100.0
            ));
        }
        None if found.sessions.is_some() => text.push(format!(
            "{name} {}: the ratio of the medians. How much sessions differ is unknown: none was repeated, or they are equal.",
            words::ratio(found.ratio)
        )),
        None if found.p.is_some() => text.push(format!(
            "{name} {}: the ratio of the medians. Some values are 0, which have ranks but no ratios, so there is a test but no interval.",
            words::ratio(found.ratio)
        )),
        None => text.push(format!(
            "{name} {}: the ratio of the medians. An interval needs {MIN_RUNS} runs a side.",
            words::ratio(found.ratio)
        )),
    }
    text.push(format!("Ratio of the medians: {}.", words::ratio(found.median_ratio)));
    if let (Some(p), Some(adjusted)) = (found.p, found.p_adjusted) {
        text.push(format!(
            "p {} ({test}, two-sided); {} after Benjamini and Hochberg over {}.",
            words::short_p(p),
            words::short_p(adjusted),
            match line.actor {
                Some(_) => "the rows of actors and statements".to_owned(),
                None => units::counted(comparison.compared, "test"),
            }
        ));
    }
    text.push(words::noise_floor(line.noise_floor));
    text.push(format!("Verdict: {}. {}", wording.verdict(found), rule(found)));
    text
}

fn rule(found: &JudgedRatio) -> String {
    match found.verdict {
        Verdict::Undecided { .. } if found.sessions.is_some() && found.paired => {
            "Run more sessions, or compare within one: more rounds of these sessions decide nothing.".to_owned()
        }
        Verdict::Undecided { .. } if found.sessions.is_some() => {
            "Run both in one session, or each in more sessions: more rounds of these sessions decide nothing."
                .to_owned()
        }
        Verdict::Faster | Verdict::Slower if found.interval.is_none() => {
            format!("p adjusted is below {ALPHA}, the ratio is beyond the noise floor.")
        }
        Verdict::Faster | Verdict::Slower => {
            format!("p adjusted is below {ALPHA}, the interval excludes 1, the ratio is beyond the noise floor.")
        }
        Verdict::Same => format!("No difference was shown, and one above {:.0} % is ruled out.", SAME_BAND * 100.0),
        Verdict::Undecided { .. } => "The runs show neither a difference nor equality.".to_owned(),
        Verdict::TooFew { need } => format!("Fewer than {need} runs cannot decide."),
    }
}

/// Lists the times, one pair or run per line.
fn runs(line: &Line, metric: Metric) -> Vec<String> {
    let paired = line.found.as_ref().is_some_and(|found| found.paired);
    let short = |id: &Uuid| id.to_string().chars().take(18).collect::<String>();
    let of = |figure: &Option<Figure>| -> Vec<String> {
        let of_figure = |figure: &Figure| {
            let one = |(id, value): (&Uuid, &f64)| format!("{:>8} {}", figure.shown(*value, metric), short(id));
            figure.run_ids.iter().zip(&figure.values).map(one).collect()
        };
        figure.as_ref().map_or_else(Vec::new, of_figure)
    };
    let (a, b) = (of(&line.a), of(&line.b));
    let ratios: Vec<String> = match (&line.a, &line.b) {
        (Some(a), Some(b)) if paired => a.values.iter().zip(&b.values).map(|(a, b)| words::ratio(a / b)).collect(),
        _ => Vec::new(),
    };
    let cell = |cells: &[String], at: usize| cells.get(at).cloned().unwrap_or_default();
    (0..a.len().max(b.len()))
        .map(|at| {
            format!("A {:<27}  B {:<27}  {}", cell(&a, at), cell(&b, at), cell(&ratios, at)).trim_end().to_owned()
        })
        .collect()
}
