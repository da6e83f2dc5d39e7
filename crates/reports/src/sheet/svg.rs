//! The charts of a sheet as a picture that needs no other file.

use super::{
    Chart, ColumnRole, Flame, Forest, Section, Sheet, Table, TableStyle, Tone,
    bar_rows::{DrawnBar, bars_height, drawn_bars},
    chart::{self, ChartDrawing},
    flame::{self, FlameDrawing},
    forest::{self, ForestDrawing},
    html::{FIGURES, FIGURES_STYLE, STYLE, environment},
};
use crate::format::WriteError;
use dbdyno_foundation::base::units::plain;
use minijinja::{Value, value::Serde};
use serde::Serialize;

const TEMPLATE: &str = include_str!("../../assets/picture.svg");

/// The word for all charts.
const ALL: &str = "all";

/// Width of the picture, room around its parts, and width of a drawing that is alone in its row.
const WIDTH: f64 = 720.0;
pub(super) const MARGIN: f64 = 16.0;
const FOREST_WIDTH: f64 = 528.0;
const PANEL_WIDTH: f64 = (WIDTH - 3.0 * MARGIN) / 2.0;
const FULL_WIDTH: f64 = WIDTH - 2.0 * MARGIN;
/// Heights of lines: of the answer, of a caption, and of a note.
const SAID: f64 = 20.0;
const CAPTION: f64 = 20.0;
const NOTE: f64 = 14.0;
/// The largest share of a font's size that a character takes, on average.
pub(super) const LETTER: f64 = 0.56;
/// A chart of a sheet.
enum SheetFigure<'s> {
    /// A table with a bar in each row.
    Bars(&'s Table),
    Forest(&'s Forest),
    Chart(&'s Chart),
    Flame(&'s Flame),
}

impl SheetFigure<'_> {
    /// Returns the width and the height of its drawing.
    fn extent(&self) -> (f64, f64) {
        match self {
            Self::Bars(table) => (FULL_WIDTH, bars_height(table)),
            Self::Flame(flame) => (FULL_WIDTH, flame::drawing(flame, FULL_WIDTH).height),
            Self::Forest(forest) => {
                let drawing = forest::drawing(forest);
                (FOREST_WIDTH, (drawing.height * FOREST_WIDTH / drawing.width).ceil())
            }
            Self::Chart(chart) => {
                let (width, height) = chart::extent(chart);
                let shown = if chart::is_wide(chart) { FULL_WIDTH } else { PANEL_WIDTH };
                (shown, (height * shown / width).ceil())
            }
        }
    }

    /// Returns the names of its series, each with its class.
    fn legend(&self) -> Vec<(String, String)> {
        match self {
            Self::Chart(chart) => {
                let named = chart.series.iter().filter(|series| !series.name.is_empty());
                named.map(|series| (series.style.class(), series.name.clone())).collect()
            }
            Self::Flame(flame) => {
                flame::legend(flame).into_iter().map(|(class, words)| (class.to_owned(), words.to_owned())).collect()
            }
            Self::Bars(_) | Self::Forest(_) => Vec::new(),
        }
    }

    fn notes(&self) -> &[String] {
        match self {
            Self::Chart(chart) => &chart.notes,
            Self::Flame(flame) => &flame.notes,
            Self::Bars(_) | Self::Forest(_) => &[],
        }
    }
}

/// A chart with its caption, and the heading of its section.
struct NamedFigure<'s> {
    heading: &'s str,
    caption: String,
    figure: SheetFigure<'s>,
}

impl NamedFigure<'_> {
    /// Whether it shows single tests rather than where the time of one went.
    fn is_detailed(&self) -> bool {
        matches!(self.figure, SheetFigure::Forest(_) | SheetFigure::Chart(_))
    }

    fn name(&self) -> String {
        let parts = [self.heading, &self.caption].into_iter().filter(|part| !part.is_empty());
        plain(&parts.collect::<Vec<_>>().join(": "))
    }
}

/// Returns the charts of a section.
fn of_section(section: &Section) -> impl Iterator<Item = NamedFigure<'_>> {
    let heading = section.heading.as_deref().unwrap_or_default();
    let has_bars = |table: &&Table| {
        table.columns.iter().any(|column| matches!(column.role, ColumnRole::Magnitude | ColumnRole::Stack))
    };
    let bars = section.table.as_ref().filter(has_bars).map(move |table| NamedFigure {
        heading,
        caption: section.before.last().map_or("", |line| line.trim_end_matches(':')).to_owned(),
        figure: SheetFigure::Bars(table),
    });
    let forests = section.forests.iter().map(move |forest| NamedFigure {
        heading,
        caption: forest.name.clone(),
        figure: SheetFigure::Forest(forest),
    });
    let charts = section.charts.iter().map(move |chart| NamedFigure {
        heading,
        caption: chart.name.clone(),
        figure: SheetFigure::Chart(chart),
    });
    let flames = section.flames.iter().map(move |flame| NamedFigure {
        heading,
        caption: flame.name.clone(),
        figure: SheetFigure::Flame(flame),
    });
    bars.into_iter().chain(forests).chain(charts).chain(flames)
}

/// Returns the charts whose names contain `wanted`. By default, these are the charts of the first section that shows single tests, or of
/// the first section with charts.
///
/// # Errors
/// There is none, or none with this name; the message has the names.
fn chosen<'s>(sheet: &'s Sheet, wanted: Option<&str>) -> Result<Vec<NamedFigure<'s>>, WriteError> {
    let sections = || sheet.sections.iter().map(|section| of_section(section).collect::<Vec<_>>());
    let all = || sections().flatten();
    let found: Vec<NamedFigure<'_>> = match wanted {
        // Bars summarise what another chart shows test by test.
        None => {
            let is_detailed = |figures: &Vec<NamedFigure<'_>>| figures.iter().any(NamedFigure::is_detailed);
            sections().find(is_detailed).or_else(|| sections().find(|figures| !figures.is_empty())).unwrap_or_default()
        }
        Some(ALL) => all().collect(),
        Some(words) => {
            let words = words.to_lowercase();
            all().filter(|figure| figure.name().to_lowercase().contains(&words)).collect()
        }
    };
    match (found.is_empty(), wanted) {
        (false, _) => Ok(found),
        (true, Some(words)) if all().next().is_some() => {
            Err(WriteError::UnknownChart { words: words.to_owned(), charts: names(all()) })
        }
        (true, _) => Err(WriteError::NoChart),
    }
}

/// Returns the names of charts, each once, and not more than can be read.
fn names<'s>(figures: impl Iterator<Item = NamedFigure<'s>>) -> Vec<String> {
    const MOST: usize = 12;
    let mut names: Vec<String> = figures.map(|figure| figure.name()).collect();
    names.dedup();
    let more = names.len().saturating_sub(MOST);
    names.truncate(MOST);
    names.extend((more > 0).then(|| format!("{more} more")));
    names
}

#[derive(Debug, Default, Serialize)]
struct Picture<'s> {
    width: f64,
    height: f64,
    /// The whole report as text.
    about: String,
    ink: String,
    paper: String,
    lines: Vec<PlacedLine>,
    keys: Vec<PlacedKey>,
    figures_placed: Vec<PlacedFigure<'s>>,
}

#[derive(Debug, Serialize)]
struct PlacedLine {
    class: &'static str,
    x: f64,
    y: f64,
    text: String,
}

/// The sign of a series in the legend.
#[derive(Debug, Serialize)]
struct PlacedKey {
    class: String,
    x: f64,
    y: f64,
}

#[derive(Debug, Default, Serialize)]
struct PlacedFigure<'s> {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
    forest: Option<ForestDrawing<'s>>,
    chart: Option<ChartDrawing<'s>>,
    flame: Option<FlameDrawing<'s>>,
    bars: Vec<DrawnBar<'s>>,
}

/// Returns charts of a sheet as an SVG picture: those whose names contain the wanted words, or `all`, or those of the first section that has any.
///
/// # Errors
/// The sheet has no such chart, or the template does not fit it.
pub(super) fn svg(sheet: &Sheet, wanted: Option<&str>) -> Result<String, WriteError> {
    let picture = picture(sheet, &chosen(sheet, wanted)?);
    let mut environment = environment();
    environment.add_global("style", Value::from_safe_string(resolved(FIGURES_STYLE)));
    environment.add_template("figures.svg", FIGURES)?;
    environment.add_template("picture.svg", TEMPLATE)?;
    Ok(environment.get_template("picture.svg")?.render(Serde(picture))?)
}

/// Places the answer, then the charts, small ones in two columns and each other one in a row of its own, then the command.
fn picture<'s>(sheet: &Sheet, figures: &[NamedFigure<'s>]) -> Picture<'s> {
    let colour = |name| palette(name).to_owned();
    let about = super::text(sheet, TableStyle::FILE);
    let made =
        if sheet.command.is_empty() { about.trim_end().lines().last().unwrap_or_default() } else { &sheet.command };
    let mut picture = Picture {
        width: WIDTH,
        about: about.clone(),
        ink: colour("--ink"),
        paper: colour("--paper"),
        ..Picture::default()
    };
    let mut y = MARGIN;
    let answers = sheet.sections.iter().filter(|section| section.tone == Tone::Answer);
    let mut said: Vec<&str> = answers.flat_map(|section| &section.before).map(String::as_str).collect();
    if said.is_empty() {
        said.push(&sheet.title);
    }
    for line in said.into_iter().flat_map(|line| broken(line, FULL_WIDTH, 14.0)) {
        y += SAID;
        picture.lines.push(PlacedLine { class: "say", x: MARGIN, y: y - 6.0, text: line });
    }
    let mut rest = figures;
    while let Some(first) = rest.first() {
        let (width, _) = first.figure.extent();
        let beside =
            rest.iter().take_while(|one| width == PANEL_WIDTH && one.figure.extent().0 == width).take(2).count();
        let (row, others) = rest.split_at(beside.max(1));
        y += MARGIN;
        let ends = row
            .iter()
            .enumerate()
            .map(|(at, one)| picture.place(one, (MARGIN + at as f64 * (PANEL_WIDTH + MARGIN), y)));
        y = ends.fold(y, f64::max);
        rest = others;
    }
    y += MARGIN;
    for text in broken(made, FULL_WIDTH, 10.0) {
        y += NOTE;
        picture.lines.push(PlacedLine { class: "note", x: MARGIN, y, text });
    }
    picture.height = y + MARGIN;
    picture
}

impl<'s> Picture<'s> {
    /// Places a chart, its caption above it, legend and notes below, and returns where it ends.
    fn place(&mut self, named: &NamedFigure<'s>, (x, top): (f64, f64)) -> f64 {
        let (width, height) = named.figure.extent();
        let mut y = top;
        for text in broken(&named.name(), width, 12.0) {
            y += CAPTION;
            self.lines.push(PlacedLine { class: "caption", x, y: y - 6.0, text });
        }
        let mut placed = PlacedFigure { x, y, width, height, ..PlacedFigure::default() };
        match named.figure {
            SheetFigure::Bars(table) => placed.bars = drawn_bars(table),
            SheetFigure::Forest(forest) => placed.forest = Some(forest::drawing(forest)),
            SheetFigure::Chart(chart) => placed.chart = Some(chart::drawing(chart)),
            SheetFigure::Flame(flame) => placed.flame = Some(flame::drawing(flame, FULL_WIDTH)),
        }
        self.figures_placed.push(placed);
        y += height;
        let mut key_x = x + 5.0;
        for (class, name) in named.figure.legend() {
            let text = plain(&name);
            let length = 24.0 + text.chars().count() as f64 * 10.0 * LETTER;
            self.keys.push(PlacedKey { class, x: key_x, y: y + NOTE - 4.0 });
            self.lines.push(PlacedLine { class: "note", x: key_x + 8.0, y: y + NOTE, text });
            key_x += length;
        }
        if key_x > x + 5.0 {
            y += NOTE + 2.0;
        }
        for text in named.figure.notes().iter().flat_map(|note| broken(note, width, 10.0)) {
            y += NOTE;
            self.lines.push(PlacedLine { class: "note", x, y, text });
        }
        y
    }
}

/// Returns a colour of the page's light palette.
fn palette(name: &str) -> &'static str {
    let light = STYLE.split('}').next().unwrap_or_default();
    let value = light.split([';', '{']).find_map(|rule| rule.trim().strip_prefix(name)?.strip_prefix(':'));
    value.map_or("#000", str::trim)
}

/// Returns a style sheet with the colours of the light palette: few programs for pictures know variables.
fn resolved(style: &str) -> String {
    let mut parts = style.split("var(");
    let mut resolved = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once(')').unwrap_or((part, ""));
        resolved.push_str(palette(name));
        resolved.push_str(rest);
    }
    resolved
}

/// Breaks a text into lines that fit a width at a size of the font.
fn broken(text: &str, width: f64, size: f64) -> Vec<String> {
    let most = (width / (size * LETTER)) as usize;
    let mut lines = vec![String::new()];
    for word in plain(text).split(' ') {
        let line =
            lines.last_mut().filter(|line| line.is_empty() || line.chars().count() + 1 + word.chars().count() <= most);
        match line {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) => *line += &format!(" {word}"),
            None => lines.push(word.to_owned()),
        }
    }
    lines
}
