//! The HTML report: its drawings match the tables, at the right positions, on small screens and on paper too.

use super::{
    fixture::{Bench, CLEAR, Variant, html, spec},
    formats::hostile,
};
use crate::support::Place;
use dbdyno::{
    compare::{Comparison, Figure, Options, RatioRange, SecondaryMetric},
    metric::Metric,
    store::Store,
};
use std::{fs, process::Command};

/// Runs of `x` and `y` at these sizes. At each next size, y takes ten times as long.
fn bench(sizes: &[&'static str]) -> Bench {
    let mut bench = Bench::default();
    let session = bench.session("here");
    for (round, (a, b)) in (0..).zip(CLEAR) {
        for (factor, size) in (0..).map(|power| 10_u64.pow(power)).zip(sizes) {
            bench.run(&session, round, &Variant { size, ..spec("x") }, &[a * 1000, a * 1000]);
            bench.run(&session, round, &Variant { size, ..spec("y") }, &[b * 1000 * factor, a * 1010]);
        }
    }
    bench
}

fn compared(sizes: &[&'static str]) -> Comparison {
    bench(sizes).compared("engine=x", "engine=y", &Options::default())
}

/// The same runs with metrics of costs: x syncs 10 times, and y 20 times.
fn costly() -> Bench {
    let mut bench = bench(&["1000"]);
    let of_y: Vec<String> =
        bench.batch.runs.iter().filter(|run| run.engine == "y").map(|run| run.run_id.clone()).collect();
    for (at, result) in (0..).zip(&mut bench.batch.results) {
        let syncs = if of_y.contains(&result.run_id) { 20 } else { 10 };
        result.figures = result
            .figures
            .with(Metric::Syncs, syncs)
            .with(Metric::PeakMemory, (30 << 20) + at)
            .with(Metric::FloorMemory, 22 << 20);
    }
    bench
}

/// A comparison that has other metrics alongside the time.
pub(super) fn with_beside() -> Comparison {
    let stored = costly().stored();
    let mut comparison = stored.compared("engine=x", "engine=y", &Options::default());
    comparison.beside = SecondaryMetric::metrics(Metric::Wall)
        .filter_map(|metric| {
            SecondaryMetric::of(
                &stored.side_of("engine=x", metric),
                &stored.side_of("engine=y", metric),
                &Options::default(),
            )
        })
        .collect();
    comparison
}

/// Returns every text between `begin` and `end`.
fn between<'t>(text: &'t str, begin: &str, end: &str) -> Vec<&'t str> {
    text.split(begin).skip(1).map(|rest| rest.split(end).next().unwrap()).collect()
}

/// The drawings of a class.
fn drawings<'p>(page: &'p str, class: &str) -> Vec<&'p str> {
    between(page, &format!("<svg class=\"{class}\""), "</svg>")
}

fn number(text: &str, begin: &str) -> f64 {
    between(text, begin, "\"")[0].split(' ').next().unwrap().parse().unwrap()
}

/// The labels and positions of a drawing's ticks.
fn ticks(drawing: &str) -> Vec<(f64, f64)> {
    let label = |tick: &str| between(tick, "\"middle\">", "<")[0].parse().unwrap();
    between(drawing, "<g class=\"tick\">", "</g>")
        .into_iter()
        .map(|tick| (label(tick), number(tick, " x=\"")))
        .collect()
}

#[test]
fn the_forest_plot_has_every_test_on_a_logarithmic_axis_with_labels() {
    let comparison = compared(&["1000", "10000", "100000"]);
    let page = html(&comparison).unwrap();
    let plots = drawings(&page, "forest");
    assert_eq!(plots.len(), 3, "one for each size");
    let first = ticks(plots[0]);
    assert!(first.len() >= 3 && first.iter().any(|(label, _)| *label == 1.0), "{first:?}");
    assert!(plots.iter().all(|plot| ticks(plot) == first), "all have the same axis");
    let ((low, from), (high, to)) = (first[0], first[first.len() - 1]);
    let place = |ratio: f64| from + (to - from) * (ratio / low).ln() / (high / low).ln();
    for (label, at) in &first {
        assert!((place(*label) - at).abs() < 0.2, "{label} is at {at}");
    }
    for (plot, size) in plots.iter().zip(["1000", "10000", "100000"]) {
        let lines = comparison.lines.iter().filter(|line| line.size == size);
        let rows = between(plot, "<g class=\"row\"", "</title>");
        assert_eq!(rows.len(), 3, "two tests and their mean");
        for (line, circle) in lines.zip(between(plot, "<circle", "/>")) {
            let ratio = line.found.as_ref().unwrap().ratio;
            assert!((place(ratio) - number(circle, "cx=\"")).abs() < 0.2, "{ratio}: {circle}");
        }
        assert!(plot.contains("◄ x faster") && plot.contains("y faster ►"), "{plot}");
        assert!(!plot.contains("class=\"arrow\""));
    }
    assert!(plots[0].contains("1 Writes: x&#x2f;y 0.33, 95 % 0.32-0.34: x 3.0x faster</title>"), "{}", plots[0]);
}

#[test]
fn directions_follow_the_metric() {
    let stored = bench(&["1000"]).stored();
    let page = |metric| html(&stored.compared_in(metric, "engine=x", "engine=y", &Options::default())).unwrap();
    assert!(page(Metric::Rate).contains("◄ y faster") && page(Metric::Rate).contains("x faster ►"));
    let memory =
        html(&costly().stored().compared_in(Metric::Syncs, "engine=x", "engine=y", &Options::default())).unwrap();
    assert!(memory.contains("◄ x less") && memory.contains("y less ►"));
}

#[test]
fn what_lies_beyond_the_axis_ends_in_arrows() {
    let mut comparison = compared(&["1000"]);
    let found = comparison.lines[0].found.as_mut().unwrap();
    found.interval = Some(RatioRange { low: 1e-5, high: 1e5, confidence: 0.95 });
    let page = html(&comparison).unwrap();
    assert_eq!(page.matches("class=\"arrow\"").count(), 2);
    assert!(page.contains("0.000-100000"), "the figures are told");
    // An estimate beyond the axis has one arrow and no point.
    let found = comparison.lines[0].found.as_mut().unwrap();
    (found.ratio, found.interval) = (1e-7, Some(RatioRange { low: 0.9e-7, high: 1.1e-7, confidence: 0.95 }));
    let page = html(&comparison).unwrap();
    let plot = drawings(&page, "forest")[0];
    assert_eq!((plot.matches("class=\"arrow\"").count(), plot.matches("<circle").count()), (1, 1), "{plot}");
}

#[test]
fn every_run_has_its_dot() {
    let comparison = compared(&["1000"]);
    let page = html(&comparison).unwrap();
    let charts = drawings(&page, "runs");
    assert_eq!(charts.len(), comparison.lines.len());
    for (line, chart) in comparison.lines.iter().zip(&charts) {
        for (name, side) in [("x", line.a.as_ref().unwrap()), ("y", line.b.as_ref().unwrap())] {
            for (pair, value) in (1..).zip(&side.values) {
                let dot = format!("<title>{name}, pair {pair}: {}</title>", Metric::Wall.shown(*value));
                assert_eq!(chart.matches(&dot).count(), 1, "{dot}: {chart}");
            }
            assert!(chart.contains(&format!("median of {name}: {}", Metric::Wall.shown(side.median))), "{chart}");
        }
        assert_eq!(chart.matches("<circle").count(), 16);
    }
    // Ticks have units, and A below B means that A is less.
    assert!(charts[0].contains(">1.00 ms<") && charts[0].contains(">5.00 ms<"), "{}", charts[0]);
    let heights: Vec<f64> =
        between(charts[0], "class=\"line\" d=\"M0 ", "L").iter().map(|y| y.parse().unwrap()).collect();
    assert!(heights[0] > heights[1], "{heights:?}");
}

#[test]
fn of_very_many_runs_some_are_drawn_and_the_page_says_so() {
    let mut comparison = compared(&["1000"]);
    let many = |figure: &mut Figure| {
        figure.values = (0..5_000).map(|at| 1e6 + f64::from(at % 10) * 1e3).collect();
        figure.values[1_234] = 7e6;
    };
    let line = &mut comparison.lines[0];
    many(line.a.as_mut().unwrap());
    let page = html(&comparison).unwrap();
    assert!(drawings(&page, "runs")[0].matches("<circle").count() <= 200 + 8);
    assert!(page.contains("x, pair 1235: 7.00 ms"), "the outlier is seen");
    assert!(page.contains("If a side has more than 200 runs, only 200 are drawn"));
    assert!(!html(&compared(&["1000"])).unwrap().contains("are drawn, including"));
    // With many lines, fewer runs are drawn for each, and the drawings are folded.
    comparison.lines = (0..100).map(|_| comparison.lines[0].clone()).collect();
    let page = html(&comparison).unwrap();
    assert!(page.contains("<summary>The runs of 100 lines</summary>"));
    // Drawings of latencies are missing as well, because this report is not about latencies.
    comparison
        .lines
        .iter_mut()
        .flat_map(|line| [&mut line.a, &mut line.b])
        .flatten()
        .for_each(|side| side.latency = None);
    comparison.lines = (0..5_000).map(|_| comparison.lines[0].clone()).collect();
    let page = html(&comparison).unwrap();
    assert!(page.contains("The runs of 5,000 lines are too many for a page") && drawings(&page, "runs").is_empty());
    assert!(!page.contains("<summary>The runs"), "nothing is folded where nothing is");
}

#[test]
fn sizes_are_a_chart_of_both_sides() {
    let page = html(&compared(&["1000", "10000", "100000"])).unwrap();
    let charts = drawings(&page, "growth");
    assert_eq!(charts.len(), 2, "one for each test");
    let places =
        |chart: &str| between(chart, "<circle", "/>").iter().map(|dot| number(dot, "cx=\"")).collect::<Vec<_>>();
    let places_of = places(charts[0]);
    assert_eq!(places_of[..3], places_of[3..], "A and B");
    assert!((places_of[2] - 2.0 * places_of[1] + places_of[0]).abs() < 0.3, "{places_of:?} are at even distances");
    assert!(charts[0].contains("y, size 10000: 30.4 ms, runs 29.8 ms to 31.2 ms"), "{}", charts[0]);
    assert!(charts[0].contains(">100000</text>") && charts[0].contains(" ms</text>"));
    // Sizes of two numbers are drawn at even steps.
    let page = html(&compared(&["2,3", "4,5", "400,5"])).unwrap();
    let places_of = places(drawings(&page, "growth")[0]);
    assert!((places_of[2] - 2.0 * places_of[1] + places_of[0]).abs() < 0.3, "{places_of:?} are at even distances");
    assert!(drawings(&html(&compared(&["1000"])).unwrap(), "growth").is_empty());
}

#[test]
fn disk_syncs_and_memory_stand_beside_the_time() {
    let place = Place::new();
    Store::new(place.store()).write(&costly().batch).unwrap();
    let compare = |rest: &[&str]| place.ok(&[&["compare", "--a", "engine=x", "--b", "engine=y"][..], rest].concat());
    let page = compare(&["--format", "html"]);
    for part in ["syncs x &#x2f; y</th>", "10 &#x2f; 20 <small>x&#x2f;y 0.50</small>", "peak memory x &#x2f; y</th>"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!page.contains("disk x"), "what no line has is left out");
    let json: serde_json::Value = serde_json::from_str(&compare(&["--format", "json"])).unwrap();
    let beside = json["beside"].as_array().unwrap();
    let metrics: Vec<&str> = beside.iter().map(|one| one["metric"].as_str().unwrap()).collect();
    assert_eq!(metrics, ["syncs", "engine_memory_bytes"]);
    let line = &beside[0]["lines"][0];
    assert_eq!((line["a"].as_f64(), line["b"].as_f64(), line["ratio"].as_f64()), (Some(10.0), Some(20.0), Some(0.5)));
    // With another metric, the time is shown alongside it.
    assert!(compare(&["--format", "html", "--metric", "syncs"]).contains("time x &#x2f; y</th>"));
}

#[test]
fn nothing_of_the_page_is_off_a_small_screen_or_cut_off_on_paper() {
    let comparison = with_beside();
    let page = html(&comparison).unwrap();
    assert_eq!(
        page.matches("<table").count(),
        page.matches("<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=").count()
    );
    assert_eq!(page.matches("<svg").count(), page.matches("viewBox=").count());
    assert!(page.contains("svg { max-width: 100%; }") && page.contains(".scroll { overflow-x: auto; }"));
    // Rows become cards, whose cells are labelled.
    assert!(page.contains("@media screen and (max-width: 40rem)") && page.contains("content: attr(data-label)"));
    let body = between(&page, "<table class=\"cards\">", "</table>")[0];
    let columns = between(body, "<th ", "</th>").len();
    let rows = between(body, "<tbody>", "<tr class=\"total\">")[0];
    assert_eq!(rows.matches("data-label=").count(), (columns - 1) * comparison.lines.len(), "{rows}");
    let paper = between(&page, "@media print {", "</style>")[0];
    for rule in ["--paper: #fff", ".scroll { overflow: visible; }", "break-inside: avoid", "details::details-content"] {
        assert!(paper.contains(rule), "{rule}");
    }
    assert!(page.contains("@media screen and (prefers-color-scheme: dark)"), "paper is never dark");
}

#[test]
fn pages_are_well_formed_whatever_names_there_are() {
    let folder = tempfile::tempdir().unwrap();
    let check = r#"
import re, sys, xml.etree.ElementTree as tree
from html.parser import HTMLParser
page = open(sys.argv[1], encoding="utf-8").read()
opened = []
class Balanced(HTMLParser):
    def handle_starttag(self, tag, attributes):
        assert tag != "script", "a script"
        if tag != "meta": opened.append(tag)
    def handle_startendtag(self, tag, attributes): pass
    def handle_endtag(self, tag):
        assert opened and opened.pop() == tag, (tag, self.getpos())
Balanced().feed(page)
assert not opened, opened
drawings = re.findall(r"<svg.*?</svg>", page, re.S)
assert drawings
for drawing in drawings:
    drawn = tree.fromstring(drawing)
    left, top, width, height = map(float, drawn.get("viewBox").split())
    for text in drawn.iter("text"):
        x, y = float(text.get("x")), float(text.get("y")) + float(text.get("dy", 0))
        assert left <= x <= left + width and top <= y <= top + height, text.attrib
"#;
    for (name, comparison) in [
        ("hostile", hostile()),
        ("beside", with_beside()),
        ("sizes", compared(&["1000", "20000"])),
        ("growing", super::scaling::every_outcome()),
    ] {
        let path = folder.path().join(name);
        fs::write(&path, html(&comparison).unwrap()).unwrap();
        let Ok(out) = Command::new("python3").args(["-c", check]).arg(&path).output() else {
            assert!(std::env::var_os("DBDYNO_REQUIRE_TOOLS").is_none(), "Python is missing");
            eprintln!("not checked: Python is missing");
            return;
        };
        assert!(out.status.success(), "{name}: {}", String::from_utf8_lossy(&out.stderr));
    }
}
