//! How figures grow: the axes in which a side varies, the options held fixed, and the report.

use super::{
    command::{dbdyno, ends},
    fixture::{Bench, Stored, Variant, spec},
};
use crate::support::Place;
use dbdyno::{
    compare::{Comparison, Growing, Options, ScalingCurve, ScalingFound, SideName},
    report::{comparison::text, format::Format, sheet::ReportStyle},
};
use dbdyno_engine::durability::Tier;
use std::collections::BTreeMap;

/// A time of this many ns that scatters by up to 1 %, differently for each round and number.
fn about(ns: f64, round: u32, number: usize) -> u64 {
    let scatter = f64::from((round * 7 + number as u32 * 13) % 11) / 5.0 - 1.0;
    (ns * (1.0 + 0.01 * scatter)) as u64
}

const SIZES: [&str; 4] = ["1000", "2000", "4000", "8000"];

/// The times of side A grow by n^1.04, those of side B by n^1.31.
fn sizes(rounds: u32) -> Bench {
    let mut bench = Bench::default();
    let session = bench.session("here");
    for round in 0..rounds {
        for (at, size) in SIZES.into_iter().enumerate() {
            let n: f64 = size.parse().unwrap();
            bench.run(&session, round, &Variant { size, ..spec("x") }, &[about(1e3 * n.powf(1.04), round, at)]);
            bench.run(&session, round, &Variant { size, ..spec("y") }, &[about(1e3 * n.powf(1.31), round, at + 1)]);
        }
    }
    bench
}

const THREADS: [&str; 5] = ["1", "2", "4", "8", "16"];

/// Adds runs of an engine at each number of threads, an option of the suite. More threads speed it up by n^0.93, until 4. `more` are
/// further options.
fn threads(bench: &mut Bench, session: &str, engine: &'static str, rounds: u32, more: &[(&'static str, &'static str)]) {
    for round in 0..rounds {
        for (at, value) in THREADS.into_iter().enumerate() {
            let count: f64 = value.parse().unwrap();
            let suite_options = [&[("threads", value)], more].concat();
            let time = about(1e9 / count.min(4.0).powf(0.93), round, at);
            bench.run(session, round, &Variant { suite_options, ..spec(engine) }, &[time]);
        }
    }
}

/// A comparison whose curves have a slope, a knee, too few points, too few runs, wrong answers and no logarithm.
pub(super) fn every_outcome() -> Comparison {
    let mut bench = sizes(6);
    let session = bench.batch.sessions[0].session_id.clone();
    threads(&mut bench, &session, "x", 6, &[]);
    threads(&mut bench, &session, "y", 2, &[("batch", "1")]);
    for (answers, engine) in [(Some(false), "wrong"), (None, "instant")] {
        for round in 0..3 {
            for size in SIZES {
                let spec = Variant { size, agrees: answers, suite_options: vec![], ..spec(engine) };
                bench.run(&session, round, &spec, &[if engine == "instant" { 0 } else { 1000 }]);
            }
            for limit in ["1", "2"] {
                let spec = Variant { options: vec![("limit", limit)], ..spec(engine) };
                bench.run(&session, round, &Variant { label: format!("{engine} {limit}"), ..spec }, &[1000]);
            }
        }
    }
    scaled(&bench, "engine=x|wrong", "engine=y|instant")
}

fn scaled(bench: &Bench, a: &str, b: &str) -> Comparison {
    bench.compared(a, b, &Options { scaling: true, ..Options::default() })
}

fn curves(comparison: &Comparison) -> &[ScalingCurve] {
    comparison.scaling.as_ref().unwrap()
}

fn shown(comparison: &Comparison) -> String {
    text(comparison, Format::Table, ReportStyle::FILE).unwrap()
}

#[track_caller]
fn says(text: &str, wanted: &[&str]) {
    for wanted in wanted {
        assert!(text.contains(wanted), "`{wanted}` is not said:\n{text}");
    }
}

#[test]
fn time_grows_with_the_size_and_both_sides_are_under_each_other() {
    let comparison = scaled(&sizes(8), "engine=x", "engine=y");
    let curves = curves(&comparison);
    assert_eq!(curves.iter().map(|curve| curve.side).collect::<Vec<_>>(), [SideName::A, SideName::B]);
    assert!(curves.iter().all(|curve| curve.figure == Growing::Time && curve.held.is_empty() && curve.left_out == 0));
    let text = shown(&comparison);
    says(&text, &["1 Writes  A  time n^1.04 (1.0", "          B  time n^1.31 (1."]);
    assert!(
        !text.contains("not comparable") && !text.contains("verdict"),
        "the table of ratios is another view:\n{text}"
    );
    let ScalingFound::Fitted { segments, off, rounds: Some(8) } = &curves[1].found else { panic!("{curves:?}") };
    assert_eq!((segments[0].from.x, segments[0].to.x, segments.len()), (1000.0, 8000.0, 1));
    assert!(segments[0].slope.low < 1.31 && segments[0].slope.high > 1.31 && *off < 0.01, "{segments:?}");
    assert!((segments[0].to.figure / (1e3 * 8000_f64.powf(1.31)) - 1.0).abs() < 0.01);
    assert_eq!(curves[0].points[3].times_ns.len(), 8);
}

#[test]
fn sides_that_are_not_alike_are_beside_each_other_under_a_badge() {
    let mut bench = sizes(4);
    for run in bench.batch.runs.iter_mut().filter(|run| run.engine == "y") {
        run.tier = Tier::ProcessSafe;
    }
    let text = shown(&scaled(&bench, "engine=x", "engine=y"));
    says(&text, &["!  commits are not equally durable: A is tier 3 power-safe, B is tier 1 process-safe"]);
}

#[test]
fn a_rate_has_its_knee_where_more_threads_do_not_pay_and_the_cores_are_said() {
    let mut bench = Bench::default();
    let session = bench.session("here");
    threads(&mut bench, &session, "x", 6, &[]);
    threads(&mut bench, &session, "y", 6, &[]);
    let comparison = scaled(&bench, "engine=x", "engine=y");
    let text = shown(&comparison);
    says(
        &text,
        &[
            "A  rate threads^0.93 (0.9",
            "B  rate threads^0.93 (0.9",
            "to 4, flat beyond [1]",
            "[1] the host has 2 cores",
        ],
    );
    let ScalingFound::Fitted { segments, .. } = &curves(&comparison)[0].found else { panic!("{comparison:?}") };
    assert_eq!((segments[0].to.x, segments[1].from.x, segments[1].to.x), (4.0, 4.0, 16.0));
}

#[test]
fn what_else_was_chosen_is_held_fixed_and_tells_curves_apart() {
    let mut bench = Bench::default();
    let session = bench.session("here");
    threads(&mut bench, &session, "x", 4, &[("value_size", "100")]);
    threads(&mut bench, &session, "x", 4, &[("value_size", "1000")]);
    threads(&mut bench, &session, "x", 4, &[("value_size", "20")]);
    threads(&mut bench, &session, "y", 4, &[]);
    let comparison = scaled(&bench, "engine=x", "engine=y");
    let along = |axis: &str| curves(&comparison).iter().filter(|curve| curve.axis == axis).collect::<Vec<_>>();
    let held: Vec<Option<&String>> = along("threads").iter().map(|curve| curve.held.get("value_size")).collect();
    let text = |value: &str| Some(value.to_owned());
    // B has only one curve, so its held option is not shown.
    assert_eq!(
        held.into_iter().map(Option::<&String>::cloned).collect::<Vec<_>>(),
        [None, text("20"), text("100"), text("1000")]
    );
    let other = along("value_size");
    assert_eq!(other.len(), THREADS.len(), "one for each number of threads");
    assert!(other.iter().all(|curve| curve.held.contains_key("threads") && curve.points.len() == 3));
    says(&shown(&comparison), &["A value_size=100 ", "A threads=16 ", "rate flat over value_size"]);
}

#[test]
fn what_follows_from_the_axis_is_not_held_and_said() {
    let mut bench = Bench::default();
    let session = bench.session("here");
    for round in 0..3 {
        for (at, (memory, cache)) in
            [("1048576", "-1024"), ("4194304", "-4096"), ("16777216", "-16384")].into_iter().enumerate()
        {
            let options = vec![("memory", memory), ("cache_size", cache), ("sync", "full")];
            let time = about(1e6 / 2_f64.powi(at as i32), round, at);
            bench.run(&session, round, &Variant { options, ..spec("x") }, &[time]);
        }
        for memory in ["own", "1048576"] {
            bench.run(&session, round, &Variant { options: vec![("memory", memory)], ..spec("y") }, &[1000]);
        }
    }
    let comparison = scaled(&bench, "engine=x", "engine=y");
    let [curve] = curves(&comparison) else { panic!("{comparison:?}") };
    assert_eq!((curve.axis.as_str(), curve.moving.as_slice()), ("memory", ["cache_size".to_owned()].as_slice()));
    // Four times the memory, twice the rate.
    says(&shown(&comparison), &["rate memory^0.50", "not held fixed, because it follows from memory: cache_size"]);
}

#[test]
fn too_little_is_said_plainly() {
    let text = shown(&scaled(&sizes(8), "engine=x size<=2000", "engine=y size=1000"));
    says(&text, &["A  too few points: 2 values of size, need 3"]);
    assert!(!text.contains("\n          B "), "one size is no axis:\n{text}");
    let text = shown(&scaled(&sizes(2), "engine=x", "engine=y"));
    says(&text, &["A  too few runs: 2 at a value of size, need 3", "B  too few runs"]);
    let text = shown(&scaled(&sizes(8), "engine=x size=1000", "engine=y size=1000"));
    says(&text, &["neither side has several sizes, or several values of a numeric option"]);
}

#[test]
fn wrong_answers_and_times_of_0_have_no_slope() {
    let mut bench = sizes(4);
    bench.batch.results[0].agrees = Some(false);
    says(
        &shown(&scaled(&bench, "engine=x", "engine=y")),
        &["A  not fitted: 1 of 16 runs gave answers", "B  time n^1.31"],
    );
    let mut bench = sizes(4);
    bench.batch.results[0].figures = dbdyno::metric::Figures::default().with(dbdyno::metric::Metric::Wall, 0);
    let comparison = scaled(&bench, "engine=x", "engine=y");
    says(&shown(&comparison), &["A  not fitted: 0 has no logarithm"]);
}

#[test]
fn sizes_of_two_numbers_have_no_place_on_an_axis() {
    let mut bench = sizes(4);
    let session = bench.batch.sessions[0].session_id.clone();
    for round in 0..4 {
        bench.run(&session, round, &Variant { size: "2,3", ..spec("x") }, &[1_000_000]);
    }
    says(&shown(&scaled(&bench, "engine=x", "engine=y")), &["without size=2,3, which is not a positive number"]);
}

#[test]
fn rounds_that_lack_a_point_are_left_out_and_points_of_other_sessions_share_none() {
    let mut bench = sizes(6);
    let session = bench.batch.sessions[0].session_id.clone();
    bench.run(&session, 6, &Variant { size: "1000", ..spec("x") }, &[2_000_000]);
    let comparison = scaled(&bench, "engine=x", "engine=y");
    assert_eq!(curves(&comparison).iter().map(|curve| curve.left_out).collect::<Vec<_>>(), [1, 0]);
    says(&shown(&comparison), &["without 1 run, whose rounds do not have every point", "time n^1.04"]);

    let mut bench = Bench::default();
    for (at, size) in SIZES.into_iter().enumerate() {
        let session = bench.session("here");
        for round in 0..4 {
            bench.run(
                &session,
                round,
                &Variant { size, ..spec("x") },
                &[about(1e6 * 2_f64.powi(at as i32), round, at)],
            );
        }
    }
    says(&shown(&scaled(&bench, "engine=x", "engine=x")), &["time n^1.0", "the points share fewer than 3 rounds"]);
}

#[test]
fn hosts_and_engines_are_never_on_one_curve() {
    let mut bench = Bench::default();
    for host in ["here", "there"] {
        let session = bench.session(host);
        for engine in ["x", "y"] {
            threads(&mut bench, &session, engine, 3, &[]);
        }
    }
    let comparison = scaled(&bench, "suite=kv", "engine=z");
    let held: Vec<&BTreeMap<String, String>> = curves(&comparison).iter().map(|curve| &curve.held).collect();
    assert_eq!(held.len(), 4);
    assert!(held.iter().all(|held| held.keys().collect::<Vec<_>>() == ["engine", "host"]), "{held:?}");
}

#[test]
fn work_that_does_not_keep_in_step_with_the_size_is_said() {
    let mut bench = Bench::default();
    let session = bench.session("here");
    for round in 0..3 {
        for (at, (size, operations)) in [("1000", 1000), ("10000", 1000), ("100000", 5000)].into_iter().enumerate() {
            let time = about(1e3 * operations as f64, round, at);
            bench.run(&session, round, &Variant { size, operations, ..spec("x") }, &[time]);
        }
    }
    let text = shown(&scaled(&bench, "engine=x", "engine=x"));
    says(&text, &["the suite's work does not grow evenly with its size (1000, 1000, 5000 operations)", "% off"]);
}

#[test]
fn every_outcome_is_there_to_be_held_against_the_schema() {
    let comparison = every_outcome();
    let json = serde_json::to_string(&curves(&comparison)).unwrap();
    for word in ["fitted", "too_few_points", "too_few_runs", "failed_verification", "no_logarithm"] {
        assert!(json.contains(&format!("{{\"word\":\"{word}\"")), "{word}: {json}");
    }
}

#[test]
fn every_format_that_has_it_says_the_same() {
    let mut bench = sizes(6);
    let session = bench.batch.sessions[0].session_id.clone();
    threads(&mut bench, &session, "x", 6, &[]);
    let comparison = scaled(&bench, "engine=x", "engine=y");
    let written = |format| text(&comparison, format, ReportStyle::FILE).unwrap();
    let json = written(Format::Json);
    assert_eq!(serde_json::from_str::<Comparison>(&json).unwrap(), comparison);
    says(
        &written(Format::Markdown),
        &["| test | side | growth |", "| 1 Writes | A | time n^1.04 (", "to 4, flat beyond \\["],
    );
    let page = written(Format::Html);
    says(
        &page,
        &[
            "How figures grow",
            "<td class=\"verdict\"><span>time n^1.31 (",
            "to 4, flat beyond",
            "class=\"line\" d=\"M0 ",
            "A threads=16: ",
        ],
    );
    let drawings = page.split("<svg class=\"scaling\"").skip(1).map(|rest| rest.split("</svg>").next().unwrap());
    let laws = drawings.map(|drawing| drawing.matches("class=\"line\"").count()).sum::<usize>();
    assert_eq!(laws, curves(&comparison).len());
    for outside in ["http://", "https://", "<script", "NaN", "inf"] {
        assert!(!page.contains(outside), "{outside}");
    }
}

#[test]
fn hostile_names_stay_text() {
    const HOSTILE: &str = "x\u{1b}[31m<script>alert(1)</script>|`\"'";
    let mut bench = Bench::default();
    let session = bench.session("here");
    for round in 0..3 {
        for (at, value) in THREADS.into_iter().enumerate() {
            let options = vec![(HOSTILE, value), ("sync", HOSTILE)];
            bench.run(&session, round, &Variant { options, ..spec("x") }, &[about(1e6, round, at)]);
        }
    }
    let comparison = scaled(&bench, "engine=x", "engine=x");
    for format in [Format::Table, Format::Markdown, Format::Html] {
        let text = text(&comparison, format, ReportStyle::FILE).unwrap();
        assert!(!text.contains('\u{1b}') && (format == Format::Table || !text.contains("<script")), "{text}");
        assert!(text.contains("flat over"), "{text}");
    }
}

#[test]
fn the_command_shows_growth_and_refuses_formats_without_a_place_for_it() {
    let stored: Stored = sizes(4).stored();
    let sides = ["compare", "--a", "engine=x", "--b", "engine=y", "--scaling"];
    let text = ends(&stored, &sides, 0, "A  time n^1.04 (");
    says(&text, &["B  time n^1.31 (", "n^1: twice as much at twice the size n"]);
    let both = ends(&stored, &[&sides[..], &["--by", "size"]].concat(), 0, "x/y, 95 %");
    says(&both, &["time n^1.04 ("]);
    let refused = "--scaling: --format csv is not supported here: expected table, markdown, json, html, svg or png";
    ends(&stored, &[&sides[..], &["--format", "csv"]].concat(), 2, refused);
    let page = dbdyno(&stored, &[&sides[..], &["--format", "html"]].concat());
    says(&String::from_utf8(page.stdout).unwrap(), &["How figures grow"]);
}

#[test]
fn a_session_beside_its_reference_ends_with_how_its_configurations_grow() {
    let stored: Stored = sizes(6).stored();
    let text = ends(&stored, &["compare", "--reference", "session=last"], 0, "How figures grow: ");
    says(&text, &["engine=x  time n^1.04 (", "engine=y  time n^1.31 ("]);
    let two_sizes = ends(&stored, &["compare", "--reference", "session=last size<3000"], 0, "size 2000");
    assert!(!two_sizes.contains("How figures grow"), "{two_sizes}");
}

#[test]
fn a_bench_ends_with_how_its_figures_grow() {
    let place = Place::new();
    let sizes = ["1000", "2000", "4000"].map(|size| ["--size", size]).concat();
    let bench = ["run", "--suite", "kv", "--engine", "null", "--test", "1", "--repeat", "3"];
    let text = place.ok(&[&bench[..], &sizes].concat());
    says(&text, &["How figures grow: ", "1 Sequential writes"]);
    // Options that only one of the engines has are not shown, because the engine's name implies them.
    let both = place.ok(&[&bench[..], &["--engine", "log"], &sizes].concat());
    let grown = both.split("How figures grow: ").nth(1).unwrap();
    assert!(grown.contains("engine=null  time") && grown.contains("engine=log   time"), "{grown}");
    let events = place.ok(&[&bench[..], &sizes, &["--json"]].concat());
    let verdicts = events.lines().find(|line| line.contains(r#""event":"verdicts""#)).unwrap();
    let verdicts: serde_json::Value = serde_json::from_str(verdicts).unwrap();
    assert_eq!(verdicts["growth"]["curves"][0]["points"].as_array().unwrap().len(), 3, "{verdicts}");
}
