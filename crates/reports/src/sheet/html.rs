//! A sheet as one web page that needs no other file.

use super::{
    BarInterval, Cell, Column, ColumnPart, ColumnRole, Row, Section, Sense, Sheet, Slice, Table, Tone,
    chart::{self, ChartDrawing, rounded},
    flame::{self, PageFlame},
    forest::{self, ForestDrawing},
    reach,
};
use dbdyno_foundation::base::units::plain;
use minijinja::{AutoEscape, Environment, Value, value::Serde};
use serde::Serialize;

const TEMPLATE: &str = include_str!("../../assets/sheet.html");
/// The style sheet of pages; its first rule has the light palette.
pub(super) const STYLE: &str = include_str!("../../assets/report.css");
/// The drawings of charts and their style, of pages and of pictures.
pub(super) const FIGURES: &str = include_str!("../../assets/figures.svg");
pub(super) const FIGURES_STYLE: &str = include_str!("../../assets/figures.css");

#[derive(Debug, Serialize)]
struct HtmlPage<'s> {
    dbdyno_version: &'static str,
    title: &'s str,
    command: &'s str,
    sections: Vec<PageSection<'s>>,
}

#[derive(Debug, Serialize)]
struct PageSection<'s> {
    tone: Tone,
    heading: Option<&'s str>,
    before: &'s [String],
    table: Option<PageTable<'s>>,
    forests: Vec<ForestDrawing<'s>>,
    charts: Vec<ChartDrawing<'s>>,
    flames: Vec<PageFlame<'s>>,
    after: &'s [String],
}

#[derive(Debug, Serialize)]
struct PageTable<'s> {
    columns: Vec<PageColumn<'s>>,
    /// Whether its cells carry their column's title on a small screen.
    has_labels: bool,
    rows: Vec<PageRow<'s>>,
}

#[derive(Debug, Serialize)]
struct PageColumn<'s> {
    title: &'s str,
    role: ColumnRole,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum PageRow<'s> {
    Cells(Vec<PageCell<'s>>),
    Total(Vec<PageCell<'s>>),
    Title(&'s str),
    Detail(&'s str),
}

#[derive(Debug, Serialize)]
struct PageCell<'s> {
    label: &'s str,
    role: ColumnRole,
    sign: &'static str,
    text: &'s str,
    /// The second line, below the text.
    small: String,
    /// The text shown when the pointer is over the cell.
    about: &'s str,
    sense: Option<Sense>,
    /// The depth of its colour, percent.
    heat: Option<f64>,
    notes: &'s [usize],
    bar: Option<BarInterval>,
    /// Slices of a stacked bar, in a box of 100 by 20.
    slices: Vec<DrawnSlice<'s>>,
}

/// A slice of a stacked bar.
#[derive(Debug, Serialize)]
pub(super) struct DrawnSlice<'s> {
    class: &'static str,
    about: &'s str,
    x: f64,
    width: f64,
}

/// Returns slices one after the other, from a place on.
pub(super) fn drawn_slices(slices: &[Slice], from: f64, unit: f64) -> Vec<DrawnSlice<'_>> {
    let mut end = from;
    let drawn = |slice: &'_ Slice| {
        let x = end;
        end += slice.value * unit;
        (rounded(x), rounded(end - x))
    };
    let places: Vec<(f64, f64)> = slices.iter().map(drawn).collect();
    let with = |(slice, (x, width))| {
        let Slice { class, about, .. }: &Slice = slice;
        DrawnSlice { class, about, x, width }
    };
    slices.iter().zip(places).map(with).collect()
}

/// Returns the longest stacked bar of a column.
pub(super) fn most_stacked(table: &Table, at: usize) -> f64 {
    let sum = |row: &Row| Some(row_cells(row)?.get(at)?.slices.iter().map(|slice| slice.value).sum::<f64>());
    table.rows.iter().filter_map(sum).fold(f64::MIN_POSITIVE, f64::max)
}

/// The deepest colour, percent.
const DEEPEST: f64 = 40.0;

/// Returns a sheet as a page.
///
/// # Errors
/// The template does not fit the sheet.
pub fn html(sheet: &Sheet) -> Result<String, minijinja::Error> {
    // The answer and the head come first.
    let (first, others): (Vec<&Section>, Vec<&Section>) =
        sheet.sections.iter().partition(|section| matches!(section.tone, Tone::Answer | Tone::Head));
    let sections = first.into_iter().chain(others);
    let page = HtmlPage {
        dbdyno_version: env!("CARGO_PKG_VERSION"),
        title: &sheet.title,
        command: &sheet.command,
        sections: sections.map(|one| section(one, &sheet.title)).collect(),
    };
    let mut environment = environment();
    environment.add_global("style", Value::from_safe_string(STYLE.to_owned()));
    environment.add_global("figures_style", Value::from_safe_string(FIGURES_STYLE.to_owned()));
    environment.add_template("figures.svg", FIGURES)?;
    environment.add_template("sheet.html", TEMPLATE)?;
    environment.get_template("sheet.html")?.render(Serde(page))
}

/// Returns templates whose values are escaped.
pub(super) fn environment<'t>() -> Environment<'t> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    // Control characters are not legal HTML, escaped or not.
    environment.set_formatter(|out, state, value| match value.as_str() {
        Some(text) if !value.is_safe() => minijinja::escape_formatter(out, state, &plain(text).into()),
        _ => minijinja::escape_formatter(out, state, value),
    });
    environment
}

fn section<'s>(section: &'s Section, title: &str) -> PageSection<'s> {
    PageSection {
        tone: section.tone,
        // The page's title already contains it.
        heading: section.heading.as_deref().filter(|heading| *heading != title),
        before: &section.before,
        table: section.table.as_ref().map(|rows| table(rows, section)),
        forests: section.forests.iter().map(forest::drawing).collect(),
        charts: section.charts.iter().map(chart::drawing).collect(),
        flames: section.flames.iter().map(flame::page).collect(),
        after: &section.after,
    }
}

/// Columns that share a cell: the first column is its main text, the others add details.
type CellColumns<'t> = Vec<(usize, &'t Column)>;

fn table<'s>(table: &'s Table, section: &Section) -> PageTable<'s> {
    let is_shown = |column: &Column| match column.role {
        ColumnRole::Group => false,
        ColumnRole::Sparkline => section.charts.is_empty(),
        ColumnRole::Bar => section.forests.is_empty(),
        ColumnRole::Name
        | ColumnRole::Figure
        | ColumnRole::Interval
        | ColumnRole::Verdict
        | ColumnRole::Magnitude
        | ColumnRole::Stack => true,
    };
    let columns: Vec<(usize, &Column)> =
        table.columns.iter().enumerate().filter(|(_, column)| is_shown(column)).collect();
    let blocks: Vec<CellColumns<'_>> =
        columns.chunk_by(|_, (_, next)| next.part == ColumnPart::Joined).map(<[_]>::to_vec).collect();
    let reaches: Vec<f64> = (0..table.columns.len())
        .map(|at| {
            let intervals = table.rows.iter().filter_map(|row| row_cells(row)?.get(at)?.interval);
            match table.columns[at].role {
                ColumnRole::Stack => most_stacked(table, at),
                ColumnRole::Magnitude => intervals.map(|interval| interval.high).fold(f64::MIN_POSITIVE, f64::max),
                _ => reach(intervals),
            }
        })
        .collect();
    let group = table.columns.iter().position(|column| column.role == ColumnRole::Group);
    let mut above: Option<&str> = None;
    let mut rows = Vec::new();
    for row in &table.rows {
        let of_group = group.and_then(|at| Some(row_cells(row)?.get(at)?.text.as_str()));
        rows.extend(of_group.filter(|_| of_group != above).map(PageRow::Title));
        above = of_group.or(above);
        let cells = |cells: &'s [Cell]| blocks.iter().map(|block| page_cell(cells, block, &reaches)).collect();
        rows.push(match row {
            Row::Cells(row) => PageRow::Cells(cells(row)),
            Row::Total(row) => PageRow::Total(cells(row)),
            Row::Title(title) => PageRow::Title(title),
            Row::Detail(detail) => PageRow::Detail(detail),
        });
    }
    let column = |block: &CellColumns<'s>| PageColumn { title: &block[0].1.title, role: block[0].1.role };
    PageTable { columns: blocks.iter().map(column).collect(), has_labels: table.is_headed && table.has_titles(), rows }
}

fn row_cells(row: &Row) -> Option<&[Cell]> {
    match row {
        Row::Cells(cells) | Row::Total(cells) => Some(cells),
        Row::Title(_) | Row::Detail(_) => None,
    }
}

fn page_cell<'s>(cells: &'s [Cell], block: &CellColumns<'s>, reaches: &[f64]) -> PageCell<'s> {
    static EMPTY: Cell = Cell {
        text: String::new(),
        long: None,
        below: None,
        value: None,
        sense: None,
        notes: Vec::new(),
        interval: None,
        slices: Vec::new(),
        heat: None,
    };
    let of_block: Vec<(usize, &Column, &Cell)> =
        block.iter().map(|(at, column)| (*at, *column, cells.get(*at).unwrap_or(&EMPTY))).collect();
    let (at, column, first) = of_block[0];
    let said = || of_block.iter().map(|(_, _, cell)| *cell);
    // Beside a ratio, the verdict is only shown under the pointer.
    let has_ratio = block.iter().skip(1).any(|(_, column)| column.role != ColumnRole::Verdict);
    let more = of_block.iter().skip(1).filter_map(|(_, column, cell)| match column.role {
        _ if cell.text.is_empty() => None,
        ColumnRole::Verdict => (!has_ratio).then(|| cell.long().to_owned()),
        ColumnRole::Interval => Some(format!("[{}]", cell.text)),
        _ => Some(cell.long().to_owned()),
    });
    let small: Vec<String> = first.below.iter().cloned().chain(more).collect();
    let verdict = of_block.iter().skip(1).find(|(_, column, _)| has_ratio && column.role == ColumnRole::Verdict);
    let sense = said().find_map(|cell| cell.sense);
    let sign = sense.filter(|_| column.role == ColumnRole::Verdict).map_or("", Sense::sign);
    // A box of 100 by 20: with 1 in the middle, or with 0 on the left.
    let x = |ratio: f64| {
        rounded(match column.role {
            ColumnRole::Magnitude => 100.0 * ratio / reaches[at],
            _ => (50.0 + 48.0 * ratio.ln() / reaches[at].ln()).clamp(0.0, 100.0),
        })
    };
    let bar = first.interval.filter(|_| matches!(column.role, ColumnRole::Bar | ColumnRole::Magnitude));
    PageCell {
        label: &column.title,
        role: column.role,
        sign,
        text: first.long(),
        small: small.join(" "),
        about: verdict.map_or("", |(_, _, cell)| cell.long()),
        sense,
        heat: said().find_map(|cell| cell.heat).map(|heat| (heat * DEEPEST).round()),
        notes: said().map(|cell| cell.notes.as_slice()).find(|notes| !notes.is_empty()).unwrap_or_default(),
        slices: drawn_slices(&first.slices, 0.0, 100.0 / reaches[at]),
        bar: bar.map(|BarInterval { at, low, high }| BarInterval { at: x(at), low: x(low), high: x(high) }),
    }
}
