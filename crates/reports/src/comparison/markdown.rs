//! A comparison as GitHub's Markdown.

use super::{
    facts, looks, over_several, scaling,
    words::{self, Footnotes},
};
use dbdyno_comparing::compare::{Comparison, JudgedRatio, curve_families};
use dbdyno_foundation::base::units::plain;

/// The document: tables, then everything that belongs to them.
pub fn markdown(comparison: &Comparison) -> String {
    let mut out = String::new();
    for line in facts::head(comparison) {
        out.push_str(&format!("{}  \n", escaped(&line)));
    }
    let mut notes = Footnotes::default();
    out.push('\n');
    let row = |out: &mut String, cells: &[String]| out.push_str(&format!("| {} |\n", cells.join(" | ")));
    let head = |out: &mut String, cells: &[String]| {
        row(out, cells);
        let rules: Vec<String> = (0..cells.len()).map(|at| if at == 0 { ":--" } else { "--:" }.to_owned()).collect();
        row(out, &rules);
    };
    let (a, b) = (words::column(comparison.metric, "A"), words::column(comparison.metric, "B"));
    let form = comparison.ratios;
    let medians = comparison.median_ratios;
    let mut titles = vec!["test", "size", &a, &b, words::ratio_column(form)];
    titles.extend(medians.then_some(looks::MEDIAN_RATIOS));
    titles.extend(["95 %", "verdict"]);
    head(&mut out, &titles.into_iter().map(str::to_owned).collect::<Vec<_>>());
    for mean in &comparison.means {
        for line in comparison.lines.iter().filter(|line| line.part == mean.part && line.size == mean.size) {
            let marks = escaped(&words::marks(&notes.numbers(line)));
            let (ratio, interval, verdict) = match &line.found {
                Some(found) => (
                    words::ratio_as(found.ratio, form),
                    words::range_as(found.interval, form),
                    words::verdict_as(found, comparison.metric, form),
                ),
                None => ("-".to_owned(), "-".to_owned(), "not comparable".to_owned()),
            };
            let name = format!("{} {} {}", line.test, line.name, words::part(&line.part));
            let [a, b] = [&line.a, &line.b].map(|figure| words::value(figure.as_ref(), comparison.metric));
            let mut cells = vec![escaped(name.trim_end()), escaped(&line.size), a, b, ratio];
            let of_medians = |found: &JudgedRatio| words::ratio_as(found.median_ratio, form);
            cells.extend(medians.then(|| line.found.as_ref().map_or("-".to_owned(), of_medians)));
            cells.extend([interval, format!("{} {marks}", escaped(&verdict)).trim_end().to_owned()]);
            row(&mut out, &cells);
        }
        if let Some(ratio) = mean.ratio.filter(|_| mean.tests > 1) {
            let name = format!("geometric mean ({}) {}", mean.tests, words::part(&mean.part));
            let ratio = words::ratio_as(ratio, form);
            let mut cells = vec![escaped(name.trim_end()), escaped(&mean.size), String::new(), String::new(), ratio];
            cells.extend(medians.then(String::new));
            let interval = mean.interval.map_or_else(String::new, |interval| words::range_as(Some(interval), form));
            row(&mut out, &[&cells[..], &[interval, String::new()]].concat());
        }
    }
    let tests = comparison.by_size.clone().unwrap_or_else(|| over_several(comparison));
    if !tests.is_empty() {
        let column = words::ratio_column(form);
        out.push_str(&format!("\nOver sizes, {column}. {}\n\n", words::signs(comparison.metric)));
        head(&mut out, &["test", "sizes", "median", "min", "max"].map(str::to_owned));
        for test in &tests {
            let name = format!("{} {} {}", test.test, test.name, words::part(&test.part));
            let sizes: Vec<String> = test.sizes.iter().map(|size| words::at_size(size, form)).collect();
            let figures = [test.median, test.min, test.max].map(|ratio| words::ratio_as(ratio, form));
            row(&mut out, &[&[escaped(name.trim_end()), escaped(&sizes.join(", "))], &figures[..]].concat());
        }
    }
    if let Some(pivot) = &comparison.pivot {
        let signs = [words::signs(comparison.metric), escaped(words::PIVOT_CELLS)].join(" · ");
        out.push_str(&format!("\n{}, 95 %. {signs}\n\n", words::ratio_column(form)));
        let corner = format!("{} \\ {}", pivot.row, pivot.column);
        let names: Vec<String> = [corner].iter().chain(&pivot.columns).map(|name| escaped(name)).collect();
        head(&mut out, &names);
        for line in &pivot.rows {
            let cell = |cell: &Option<dbdyno_comparing::compare::PivotCell>| {
                let [ratio, interval] = words::pivot_cell(cell.as_ref(), form);
                escaped(&if interval.is_empty() { ratio } else { format!("{ratio} [{interval}]") })
            };
            let cells: Vec<String> = [escaped(&line.value)].into_iter().chain(line.cells.iter().map(cell)).collect();
            row(&mut out, &cells);
        }
    }
    if let Some(curves) = &comparison.scaling {
        let legend = if curves.is_empty() { scaling::NOTHING } else { scaling::LEGEND };
        out.push_str(&format!("\nHow figures grow. {}\n\n", escaped(legend)));
        if !curves.is_empty() {
            head(&mut out, &["test", "side", "growth"].map(str::to_owned));
        }
        for cells in scaling::rows(comparison, &curve_families(curves), &mut notes) {
            row(&mut out, &cells.map(|cell| escaped(&cell)));
        }
    }
    out.push('\n');
    let footnotes = (1..).zip(&notes.texts).map(|(number, note)| format!("[{number}] {note}"));
    let warnings = comparison.warnings.iter().map(|warning| format!("Warning: {warning}"));
    let overall = comparison.overall.iter().map(|overall| words::overall(overall, form));
    let unmatched = comparison.unmatched.iter().map(|what| format!("Left out: {what}"));
    let left_out = comparison.means.iter().filter_map(words::left_out);
    let rest = overall
        .chain(looks::method(comparison))
        .chain(unmatched)
        .chain(footnotes)
        .chain(left_out)
        .chain(warnings)
        .chain(facts::options(comparison))
        .chain(facts::origin(comparison));
    for line in rest {
        out.push_str(&format!("- {}\n", escaped(&line)));
    }
    out
}

/// Text that Markdown and HTML within it leave as it is.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in plain(text).chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '$' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_end_a_cell_or_begin_a_tag() {
        assert_eq!(escaped("a|b <img src=x> [x](y) `c`\n"), "a\\|b &lt;img src=x&gt; \\[x\\](y) \\`c\\`\\\\n");
    }
}
