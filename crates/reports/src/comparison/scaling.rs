//! How figures grow, in the words that all outputs share.

use super::{
    explain,
    sheet::closing,
    words::{self, Footnotes},
};
use crate::sheet::{Cell, Column, ColumnRole, Row, Section, Sheet, Table, TableStyle, text};
use dbdyno_comparing::compare::{
    Comparison, CurveFamily, Growing, Grown, ScalingCurve, ScalingFound, ScalingPoint, Segment, SideFacts, SideName,
    curve_families,
};
use dbdyno_foundation::base::units::{counted, duration, rate};
use dbdyno_stats::{FLAT_BAND, MIN_SCALING_RUNS, Slope};
use std::collections::BTreeSet;

/// The explanation of the notation.
pub const LEGEND: &str = "n^1: twice as much at twice the size n (95 % interval) · flat: n^0, within 0.1";

/// The message if nothing varies.
pub const NOTHING: &str =
    "neither side has several sizes, or several values of a numeric option: there is nothing to fit";

/// The distance of points from the line, as a part of 1, from which it is reported.
const OFF: f64 = 0.1;

/// `2 Random reads`.
pub fn name(family: &CurveFamily<'_>) -> String {
    format!("{} {}", family.test, family.name)
}

/// Returns `A`, or with the settings that distinguish the curve from others of its side: `A sync=full`.
pub fn side(curve: &ScalingCurve) -> String {
    format!("{} {}", curve.side, words::part(&curve.held)).trim_end().to_owned()
}

/// Formats a figure of a curve: a time, or operations per second.
pub fn figure(curve: &ScalingCurve, figure: f64) -> String {
    match curve.figure {
        Growing::Time => duration(figure),
        Growing::Rate => rate(figure),
    }
}

/// Describes the growth: `rate threads^0.93 (0.90 to 0.96) to 4, flat beyond`, or the reason why there is no slope.
pub fn growth(curve: &ScalingCurve) -> String {
    let axis = curve.axis.as_str();
    match &curve.found {
        ScalingFound::Fitted { segments, off, .. } => {
            let what = match curve.figure {
                Growing::Time => "time",
                Growing::Rate => "rate",
            };
            let off = if *off > OFF { format!(", points up to {:.0} % off", off * 100.0) } else { String::new() };
            format!("{what} {}{off}", segments_words(curve, segments))
        }
        ScalingFound::TooFewPoints { have, need } => {
            format!("too few points: {} of {axis}, need {need}", counted(*have, "value"))
        }
        ScalingFound::TooFewRuns { have, need } => {
            format!("too few runs: {have} at a value of {axis}, need {need}")
        }
        ScalingFound::FailedVerification { wrong, runs } => {
            format!("not fitted: {wrong} of {} gave answers that differ from other engines", counted(*runs, "run"))
        }
        ScalingFound::NoLogarithm => "not fitted: 0 has no logarithm".to_owned(),
    }
}

/// Describes the growth for narrow columns: `n^1.04`, `threads^0.93 to 4, flat`.
pub fn short_growth(curve: &ScalingCurve) -> String {
    let axis = axis_word(curve);
    let law = |slope: Slope| match slope.is_flat() {
        true => "flat".to_owned(),
        false => format!("{axis}^{}", decimals(slope.value)),
    };
    match &curve.found {
        ScalingFound::Fitted { segments, .. } => match segments.as_slice() {
            [before, after] => {
                format!("{} to {}, {}", law(before.slope), value_at(&curve.points, before.to.x), law(after.slope))
            }
            all => all.iter().map(|segment| law(segment.slope)).collect(),
        },
        ScalingFound::TooFewPoints { .. } => "too few points".to_owned(),
        ScalingFound::TooFewRuns { .. } => "too few runs".to_owned(),
        ScalingFound::FailedVerification { .. } => "wrong answers".to_owned(),
        ScalingFound::NoLogarithm => "a time of 0".to_owned(),
    }
}

/// Returns the name of the axis in a power law.
fn axis_word(curve: &ScalingCurve) -> &str {
    if curve.figure == Growing::Time { "n" } else { &curve.axis }
}

fn segments_words(curve: &ScalingCurve, segments: &[Segment]) -> String {
    let axis = axis_word(curve);
    let law = |slope: Slope| if slope.is_flat() { "flat".to_owned() } else { format!("{axis}^{}", exponent(slope)) };
    match segments {
        [one] if one.slope.is_flat() => {
            let Slope { low, high, .. } = one.slope;
            format!("flat over {axis} ({} to {})", decimals(low), decimals(high))
        }
        [before, after] => {
            let knee = value_at(&curve.points, before.to.x);
            format!("{} to {knee}, {} beyond", law(before.slope), law(after.slope))
        }
        all => all.iter().map(|segment| law(segment.slope)).collect::<Vec<_>>().join(", "),
    }
}

/// `0.93 (0.90 to 0.96)`.
fn exponent(slope: Slope) -> String {
    format!("{} ({} to {})", decimals(slope.value), decimals(slope.low), decimals(slope.high))
}

/// Formats two decimals, without a minus sign before 0.
fn decimals(value: f64) -> String {
    let text = format!("{value:.2}");
    if text == "-0.00" { "0.00".to_owned() } else { text }
}

/// Returns a value of the axis as it is stored.
fn value_at(points: &[ScalingPoint], x: f64) -> String {
    points.iter().find(|point| point.x == x).map_or_else(|| x.to_string(), |point| point.value.clone())
}

/// Returns the caveats to know before trusting the slope.
pub fn remarks(side: &SideFacts, curve: &ScalingCurve) -> Vec<String> {
    let axis = &curve.axis;
    let fitted = matches!(curve.found, ScalingFound::Fitted { .. });
    let apart = matches!(curve.found, ScalingFound::Fitted { rounds: None, .. });
    let all = [
        cores(side, curve).filter(|_| fitted),
        uneven(curve).filter(|_| fitted),
        apart.then(|| {
            format!(
                "the points share fewer than {MIN_SCALING_RUNS} rounds: the slope includes drift between the points"
            )
        }),
        (!curve.moving.is_empty())
            .then(|| format!("not held fixed, because it follows from {axis}: {}", curve.moving.join(", "))),
        (!curve.no_numbers.is_empty())
            .then(|| format!("without {axis}={}, which is not a positive number", curve.no_numbers.join(" | "))),
        (curve.left_out > 0)
            .then(|| format!("without {}, whose rounds do not have every point", counted(curve.left_out, "run"))),
    ];
    all.into_iter().flatten().collect()
}

/// Returns the side to which a curve belongs.
pub fn of_curve<'c>(comparison: &'c Comparison, curve: &ScalingCurve) -> &'c SideFacts {
    match curve.side {
        SideName::A => &comparison.a,
        SideName::B => &comparison.b,
    }
}

/// Names the number of cores that were available to the threads.
fn cores(side: &SideFacts, curve: &ScalingCurve) -> Option<String> {
    let cores: BTreeSet<u32> = side.sessions.iter().filter_map(|session| session.host.cores).collect();
    let cores: Vec<String> = cores.into_iter().map(|cores| counted(cores, "core")).collect();
    match cores.as_slice() {
        _ if curve.axis != "threads" => None,
        [] => None,
        [cores] => Some(format!("the host has {cores}")),
        several => Some(format!("the hosts have {}", several.join(" and "))),
    }
}

/// Reports that the suite's work does not grow in proportion to its size.
fn uneven(curve: &ScalingCurve) -> Option<String> {
    let slope = |pair: &[ScalingPoint]| {
        (pair[1].operations as f64 / pair[0].operations as f64).ln() / (pair[1].x / pair[0].x).ln()
    };
    let slopes: Vec<f64> = curve.points.windows(2).map(slope).collect();
    let (low, high) = slopes
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), slope| (low.min(*slope), high.max(*slope)));
    let operations: Vec<String> = curve.points.iter().map(|point| point.operations.to_string()).collect();
    (curve.figure == Growing::Time && high - low > FLAT_BAND).then(|| {
        format!(
            "the suite's work does not grow evenly with its size ({} operations), so the time may not either",
            operations.join(", ")
        )
    })
}

/// Returns the curves of a comparison as a table: the test in the first row of its family, the side, the growth with its notes.
pub(super) fn table(comparison: &Comparison, families: &[CurveFamily<'_>], notes: &mut Footnotes) -> Table {
    table_of(families, notes, |curve| (side(curve), of_curve(comparison, curve)))
}

/// Builds the table; the callback returns the name of each curve and its side.
fn table_of<'s>(
    families: &[CurveFamily<'_>],
    notes: &mut Footnotes,
    of: impl Fn(&ScalingCurve) -> (String, &'s SideFacts),
) -> Table {
    let mut rows = Vec::new();
    for family in families {
        for (at, curve) in family.curves.iter().enumerate() {
            let (called, side) = of(curve);
            let notes = remarks(side, curve).into_iter().map(|remark| notes.number(remark)).collect();
            let name = if at == 0 { name(family) } else { String::new() };
            rows.push(Row::Cells(vec![Cell::new(name), Cell::new(called), Cell { notes, ..Cell::new(growth(curve)) }]));
        }
    }
    let columns = [
        ("test", "test", ColumnRole::Name),
        ("side", "side", ColumnRole::Name),
        ("growth", "growth", ColumnRole::Verdict),
    ];
    Table { columns: Column::all(columns), rows, ..Table::default() }
}

/// Returns how the figures of a session grow, as a text table.
pub fn grown_text(grown: &Grown) -> String {
    let mut notes = Footnotes::default();
    let families = curve_families(&grown.curves);
    let table = table_of(&families, &mut notes, |curve| (words::part(&curve.held), &grown.side));
    let growth = Section {
        heading: Some("How figures grow: time, or rate in operations a second".to_owned()),
        before: vec![LEGEND.to_owned()],
        ..Section::table(table)
    };
    let sections = [growth].into_iter().chain(closing(notes, &[])).collect();
    text(&Sheet { sections, ..Sheet::default() }, TableStyle::FILE)
}

/// Explains how the slopes of a test were calculated, with the points behind them.
pub fn explanation(comparison: &Comparison, family: &CurveFamily<'_>) -> Vec<String> {
    let mut text = vec![
        "The exponent p of figure = constant * x^p: the slope of a straight line through the logarithms. Over sizes the figure is the time of the test, over values of an option it is operations a second.".to_owned(),
        format!("Each round that has every point gives a slope by least squares; the result is their mean with Student's 95 % interval. If fewer than {MIN_SCALING_RUNS} rounds have every point, it is the slope through the means of the runs, with Welch's degrees of freedom."),
        format!("Two lines that meet at a knee replace one line if their slopes differ by more than {FLAT_BAND}: shown at p < 0.01 divided by the number of possible knees. Flat means an interval within {FLAT_BAND} of 0."),
    ];
    for curve in family.curves {
        text.extend([String::new(), format!("{}: {}", side(curve), growth(curve))]);
        if let ScalingFound::Fitted { segments, off, rounds } = &curve.found {
            let basis =
                rounds.map_or("slopes of runs".to_owned(), |rounds| format!("slopes of {}", counted(rounds, "round")));
            text.push(format!("  {basis}; the farthest point is {:.1} % off", off * 100.0));
            for Segment { from, to, slope } in segments {
                let [from, to] = [from, to].map(|corner| value_at(&curve.points, corner.x));
                text.push(format!("  {from} to {to}: {}^{}", curve.axis, exponent(*slope)));
            }
        }
        text.extend(remarks(of_curve(comparison, curve), curve).into_iter().map(|remark| format!("  ! {remark}")));
        for point in &curve.points {
            let runs = counted(point.times_ns.len(), "run");
            text.push(format!("  {}={}: median {} of {runs}", curve.axis, point.value, figure(curve, point.figure)));
        }
    }
    text.extend(explain::listed("SQL that fetches these times", sql(family)));
    text
}

/// Returns SQL for the times behind the points.
pub fn sql(family: &CurveFamily<'_>) -> Option<String> {
    let ids = family.curves.iter().flat_map(|curve| &curve.points).flat_map(|point| &point.run_ids).collect();
    let columns = "SELECT run_id, label, size, round, wall_ns / 1e6 AS ms, rate FROM results";
    explain::query_of(columns, &BTreeSet::from([family.test]), ids)
}
