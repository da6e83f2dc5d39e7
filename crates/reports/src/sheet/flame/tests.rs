//! Flame graphs of hand-made stacks.

use super::{drawing::DrawnFrame, *};
use crate::{
    format::Format,
    sheet::{ReportStyle, Row, Section, Sheet, Table, TableStyle, text, written},
};

fn side(name: &str, ns_per_sample: f64, stacks: &[(&str, u64)]) -> Stacks {
    let stacks = stacks.iter().map(|(stack, samples)| ((*stack).to_owned(), *samples)).collect();
    Stacks { name: name.to_owned(), stacks, ns_per_sample }
}

fn sqlite() -> Stacks {
    side(
        "sqlite",
        1e3,
        &[
            ("main;run;sqlite3_step", 100),
            ("main;run;sqlite3_step;pread64", 300),
            ("main;run;sqlite3_step;memcpy", 100),
            ("main;run;hash", 90),
        ],
    )
}

fn lmdb() -> Stacks {
    side("lmdb", 2e3, &[("main;run;mdb_get", 30), ("main;run;mdb_get;memcpy", 20), ("main;run;hash", 50)])
}

fn one(stacks: &Stacks) -> Flame {
    Flame::of("Title", stacks).unwrap()
}

fn frames(flame: &Flame) -> Vec<DrawnFrame> {
    drawing(flame, 600.0).frames
}

fn frame<'f>(frames: &'f [DrawnFrame], begin: &str) -> &'f DrawnFrame {
    frames.iter().find(|frame| frame.about.starts_with(begin)).unwrap()
}

fn in_format(flame: Flame, format: Format) -> String {
    let sheet = Sheet { sections: vec![Section { flames: vec![flame], ..Section::default() }], ..Sheet::default() };
    written(&sheet, &(), format, ReportStyle::FILE).unwrap()
}

fn texts(row: &Row) -> Vec<&str> {
    match row {
        Row::Cells(cells) => cells.iter().map(|cell| cell.text.as_str()).collect(),
        _ => Vec::new(),
    }
}

fn rows(table: &Table) -> Vec<Vec<&str>> {
    table.rows.iter().map(texts).collect()
}

#[test]
fn widths_are_times_and_calls_are_below_their_caller() {
    let flame = one(&sqlite());
    assert_eq!((flame.common.as_slice(), flame.root.name.as_str()), (["main".to_owned()].as_slice(), "sqlite"));
    let frames = frames(&flame);
    let places: Vec<(&str, f64, f64)> =
        frames.iter().map(|frame| (frame.about.split(':').next().unwrap(), frame.x, frame.y)).collect();
    let unit = 600.0 / 590.0;
    let at = |samples: f64| (samples * unit * 10.0).round() / 10.0;
    let expected = [
        ("sqlite", 0.0, 0.0),
        ("run", 0.0, 18.0),
        ("sqlite3_step", 0.0, 36.0),
        ("pread64", 0.0, 54.0),
        ("memcpy", at(300.0), 54.0),
        ("hash", at(500.0), 36.0),
    ];
    assert_eq!(places, expected);
    let width = |name| frame(&frames, name).width + 1.0;
    assert!((width("sqlite3_step") + width("hash") - width("run")).abs() < 0.2);
    assert!((width("sqlite3_step") - width("pread64") - width("memcpy") - 100.0 * unit).abs() < 0.2, "its own time");
    assert_eq!(frame(&frames, "sqlite").text, "sqlite 590 µs: main");
    assert_eq!(frame(&frames, "sqlite").about, "sqlite: 590 µs (100 %). All of it is below main");
    assert_eq!(frame(&frames, "pread64").about, "pread64: 300 µs (51 %)");
    assert_eq!(drawing(&flame, 600.0).height, 4.0 * 18.0);
}

#[test]
fn colours_are_differences_beyond_noise() {
    let flame = Flame::difference("Title", &sqlite(), &lmdb()).unwrap();
    let frames = frames(&flame);
    let found = |begin| (frame(&frames, begin).class, frame(&frames, begin).about.split_once(": ").unwrap().1);
    assert_eq!(found("run"), ("flame-much-more", "590 µs (100 %), 390 µs more than lmdb"));
    assert_eq!(found("hash"), ("flame-plain", "90.0 µs (15 %), the same as lmdb within noise"));
    assert_eq!(found("memcpy"), ("flame-only", "100 µs (17 %), lmdb has no such call"));
    assert_eq!(frame(&frames, "sqlite:").text, "sqlite 590 µs, lmdb 200 µs: main");
    assert_eq!(flame.notes[1], "Only lmdb: mdb_get 100 µs.", "with the memcpy that it calls, which sqlite has too");
    assert!(flame.notes[0].ends_with("From 590 samples of sqlite and 100 samples of lmdb."), "{:?}", flame.notes);
    let words: Vec<&str> = legend(&flame).into_iter().map(|(_, words)| words).collect();
    assert_eq!(words, ["only here", "more than twice the time", "the same within noise"]);
    assert!(flame.about.ends_with(
        "The functions of sqlite that differ most: pread64 300 µs more, sqlite3_step 100 µs more, mdb_get 60.0 µs less."
    ));
}

#[test]
fn a_function_may_have_less_time_on_the_slower_side() {
    let slower = side("a", 1.0, &[("f", 1_000), ("g", 100), ("h", 100)]);
    let other = side("b", 1.0, &[("f", 800), ("g", 150), ("h", 300)]);
    let flame = Flame::difference("Title", &slower, &other).unwrap();
    let frames = frames(&flame);
    let classes = ["f:", "g:", "h:"].map(|begin| frame(&frames, begin).class);
    assert_eq!(classes, ["flame-more", "flame-less", "flame-much-less"]);
    assert_eq!(frame(&frames, "h:").about, "h: 100 ns (8.3 %), 200 ns less than b");
    assert_eq!(flame.notes.len(), 1, "no function is only on the other side");
}

#[test]
fn without_samples_there_is_no_graph_and_without_other_samples_no_difference() {
    let empty = side("empty", 1e3, &[]);
    assert_eq!(Flame::of("Title", &empty), None);
    assert_eq!(Flame::of("Title", &side("a", 1e3, &[("f", 0)])), None);
    assert_eq!(Flame::difference("Title", &empty, &sqlite()), None);
    assert_eq!(Flame::difference("Title", &sqlite(), &empty).unwrap(), one(&sqlite()));
    assert_eq!(legend(&one(&sqlite())), []);
    assert_eq!(rows(&heaviest(&empty, Some(&empty), 10)), Vec::<Vec<&str>>::new());
}

#[test]
fn one_function_is_one_frame_below_the_side() {
    for stack in ["f", "main;run;f"] {
        let frames = frames(&one(&side("a", 1.0, &[(stack, 1)])));
        assert_eq!(frames.len(), 2);
        assert_eq!((frames[1].text.as_str(), frames[1].width), ("f", 599.0));
    }
}

#[test]
fn hostile_names_are_escaped_and_shortened() {
    let long = format!("main;{}", "x".repeat(5_000));
    let stacks = side(
        "<b>",
        1.0,
        &[("main;<script>alert(1)</script>", 9), ("main;a\";b", 9), ("main;\u{1b}[2J", 9), (&long, 9)],
    );
    let flame = Flame::difference("<i>", &stacks, &side("&", 1.0, &[("<u>", 9)])).unwrap();
    for format in [Format::Html, Format::Svg] {
        let drawn = in_format(flame.clone(), format);
        assert!(drawn.contains("&lt;script&gt;") && drawn.contains("a&quot;"), "{drawn}");
        assert!(!["<script", "<b>", "<i>", "<u>", "a\"<", "\u{1b}"].iter().any(|text| drawn.contains(text)), "{drawn}");
        assert!(!drawn.contains(&"x".repeat(400)), "a tooltip has an end");
    }
    resvg::usvg::roxmltree::Document::parse(&in_format(flame, Format::Svg)).unwrap();
}

#[test]
fn only_pages_and_pictures_have_flame_graphs() {
    let flame = Flame::difference("Title", &sqlite(), &lmdb()).unwrap();
    let page = in_format(flame.clone(), Format::Html);
    for form in ["flame-wide", "flame-narrow"] {
        assert_eq!(page.matches(&format!("<svg class=\"flame {form}\" viewBox")).count(), 1, "{page}");
    }
    assert!(
        page.contains("role=\"img\" aria-label=\"Call stacks of sqlite with 590 µs of CPU time, compared"),
        "{page}"
    );
    assert!(page.contains("<figcaption>Title</figcaption>") && page.contains("<p>Only lmdb: mdb_get 100 µs.</p>"));
    let picture = in_format(flame.clone(), Format::Svg);
    assert!(picture.contains("<svg class=\"flame\" x=\"16.0\"") && picture.contains("more than twice the time<"));
    assert!(!picture.contains("var("), "{picture}");
    for format in [Format::Table, Format::Markdown, Format::Csv] {
        assert_eq!(in_format(flame.clone(), format), "");
    }
}

#[test]
fn every_class_has_a_colour() {
    let style = include_str!("../../../assets/figures.css");
    let classes = ["0", "1", "2", "3", "plain", "only", "much-more", "more", "less", "much-less"];
    for class in classes.map(|class| format!(".flame-{class} {{")) {
        assert_eq!(style.matches(&class).count(), 1, "{class}");
    }
}

#[test]
fn a_thousand_stacks_are_drawn_by_their_share() {
    let stacks: Vec<(String, u64)> =
        (0..1_000_u64).map(|at| (format!("main;group{};function{at}", at % 10), 1 + at % 3)).collect();
    let stacks: Vec<(&str, u64)> = stacks.iter().map(|(stack, samples)| (stack.as_str(), *samples)).collect();
    let flame = one(&side("a", 1.0, &stacks));
    let wide = drawing(&flame, 4_000.0).frames;
    assert_eq!(wide.len(), 2 + 10 + 1_000);
    let level = |y: f64| wide.iter().filter(move |frame| frame.y == y);
    assert!((level(54.0).map(|frame| frame.width + 1.0).sum::<f64>() - 4_000.0).abs() < 60.0, "nothing is lost");
    let narrow = frames(&flame);
    assert_eq!(narrow.iter().filter(|frame| frame.about.contains("functions: ")).count(), 10, "narrow ones are merged");
    assert!(narrow.iter().all(|frame| frame.width >= 0.5 && frame.x + frame.width <= 600.1), "{narrow:?}");
    let merged = frame(&narrow, "100 functions");
    assert_eq!((merged.text.as_str(), merged.class), ("100 f…", "flame-plain"));
}

#[test]
fn narrow_frames_are_left_out() {
    let flame = one(&side("a", 1.0, &[("main;f", 10_000), ("main;g", 2)]));
    assert_eq!(frames(&flame).len(), 3, "g would be 0.12 wide");
}

#[test]
fn deep_stacks_end_at_sixty_levels_below_their_common_functions() {
    let deep = |begin: &str| std::iter::once(begin.to_owned()).chain((0..5_000).map(|at| format!("f{at}")));
    let stacks = ["a", "b"].map(|begin| deep(begin).collect::<Vec<_>>().join(";"));
    let flame =
        one(&side("a", 1.0, &[(&format!("main;run;{}", stacks[0]), 5), (&format!("main;run;{}", stacks[1]), 5)]));
    assert_eq!(drawing(&flame, 600.0).height, 61.0 * 18.0);
    assert_eq!(flame.notes[1], "Calls more than 60 levels deep belong to the frame above them.");
}

#[test]
fn texts_fit_their_frames() {
    let name = "a_function_with_a_name_of_42_characters_or";
    let of = |share: u64| {
        let flame = one(&side("a", 1.0, &[(&format!("main;{name}"), share), ("main", 600 - share)]));
        frames(&flame).pop().unwrap().text
    };
    assert_eq!(of(300), name);
    assert_eq!(of(150), "a_function_with_a_n…");
    assert_eq!(of(34), "a_…");
    assert_eq!(of(33), "");
    let flame = one(&side("a", 1.0, &[("main;f", 15), ("main;g", 585)]));
    assert_eq!(frames(&flame).pop().unwrap().text, "f", "short names need no room for an ellipsis");
}

#[test]
fn the_heaviest_functions_of_one_side_have_their_share() {
    let table = heaviest(&sqlite(), None, 3);
    assert_eq!(
        rows(&table),
        [["pread64", "300 µs", "51 %"], ["memcpy", "100 µs", "17 %"], ["sqlite3_step", "100 µs", "17 %"]]
    );
    let sheet = Sheet { sections: vec![Section::table(table)], ..Sheet::default() };
    let csv = written(&sheet, &(), Format::Csv, ReportStyle::FILE).unwrap();
    assert!(csv.starts_with("function,ns,share\npread64,300000,0.508"), "{csv}");
}

#[test]
fn the_heaviest_functions_of_two_sides_are_those_that_differ_most() {
    let table = heaviest(&sqlite(), Some(&lmdb()), 10);
    let expected = "function       sqlite     lmdb    change\npread64        300 µs        -   -300 µs\n\
                    sqlite3_step   100 µs        -   -100 µs\nmdb_get             -  60.0 µs  +60.0 µs\n\
                    memcpy         100 µs  40.0 µs  -60.0 µs\nhash          90.0 µs   100 µs      same\n";
    let sheet = Sheet { sections: vec![Section::table(table)], ..Sheet::default() };
    assert_eq!(text(&sheet, TableStyle::FILE), expected);
    let first = heaviest(&sqlite(), Some(&lmdb()), 1);
    assert_eq!(rows(&first).len(), 1);
}

#[test]
fn functions_with_the_same_short_name_are_shown_whole() {
    let of =
        side("a", 1.0, &[("x::tree::Tree<K>::get", 3), ("y::tree::Tree<V>::get", 2), ("x::tree::Tree<K>::put", 1)]);
    let table = heaviest(&of, None, 10);
    let names: Vec<&str> = rows(&table).iter().map(|row| row[0]).collect();
    assert_eq!(names, ["x::tree::Tree<K>::get", "y::tree::Tree<V>::get", "Tree::put"]);
}
