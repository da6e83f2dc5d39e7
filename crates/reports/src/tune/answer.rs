//! The recommended settings in usable forms: statements, Rust, an engine with options, a preset.

use super::words::{change, confidence, durability, shown_interval, shown_ratio, verdict};
use dbdyno_foundation::base::units::{counted, plain};
use dbdyno_running::tune::{Setting, Trial, TuneAnswer};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerForm {
    /// SQL statements.
    Pragma,
    /// A piece of a Rust program.
    Rust,
    /// An engine with options: `ENGINE:OPTION=VALUE,...`
    Engine,
    /// A TOML file for the user's presets.
    Preset,
}

impl AnswerForm {
    pub const ALL: &[Self] = &[Self::Pragma, Self::Rust, Self::Engine, Self::Preset];

    pub fn name(self) -> &'static str {
        match self {
            Self::Pragma => "pragma",
            Self::Rust => "rust",
            Self::Engine => "engine",
            Self::Preset => "preset",
        }
    }

    /// Returns a short description of the form.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Pragma => "the engine's own statements: PRAGMAs",
            Self::Rust => "Rust that opens the database with them",
            Self::Engine => "an engine with its options, as a bench takes it",
            Self::Preset => "a preset that measures the settings beside those they came from",
        }
    }
}

/// Rounds of the preset: more than enough for an interval.
const REPEATS: u32 = 10;

/// Returns the answer in a form. `command`: the command that requested it, which the text contains.
pub fn answer_text(answer: &TuneAnswer, format: AnswerForm, command: &str) -> String {
    match format {
        AnswerForm::Pragma => statements(answer, command),
        AnswerForm::Rust => rust(answer, command),
        AnswerForm::Engine => format!("{}{}\n", comment("# ", answer, command), engine(answer)),
        AnswerForm::Preset => preset(answer, command),
    }
}

/// Returns the evidence as comment lines.
fn comment(mark: &str, answer: &TuneAnswer, command: &str) -> String {
    let mut lines: Vec<String> = answer.evidence.iter().flat_map(evidence).collect();
    if let Some(last) = answer.evidence.last() {
        lines.push(format!("A commit survives {}: {}", last.tier.after, last.tier_reason.after));
    }
    for setting in &answer.settings {
        lines.extend(setting.risk.iter().map(|risk| format!("Risk of {}={}: {risk}", setting.option, setting.value)));
    }
    lines.push(format!("Made by `{command}`; measured on one machine: try it on yours."));
    lines.iter().map(|line| format!("{mark}{}\n", plain(line))).collect()
}

/// Describes the findings of a trial in sentences.
fn evidence(trial: &Trial) -> Vec<String> {
    let place = format!("{} {}, {} at {}", trial.engine, trial.engine_version, trial.suite, trial.size);
    let mut lines = vec![format!("{place}: {}; {}", change(trial), durability(trial))];
    let level = confidence(trial).unwrap_or_else(|| "no interval".to_owned());
    for effect in trial.overall.iter().chain(&trial.effects) {
        lines.push(format!(
            "  {}: {} (ratio {}, interval {} at {level}, {})",
            effect.name,
            verdict(effect),
            shown_ratio(effect),
            shown_interval(effect),
            counted(effect.pairs, "round")
        ));
    }
    lines
}

/// Lists settings that no statement sets, as comment lines.
fn others(mark: &str, settings: &[Setting]) -> String {
    let line = |setting: &Setting| {
        let Setting { option, value, help, .. } = setting;
        format!("{mark}{}\n", plain(&format!("no statement sets {option}={value}: {help}")))
    };
    settings.iter().filter(|setting| setting.statement.is_none()).map(line).collect()
}

fn statements(answer: &TuneAnswer, command: &str) -> String {
    let mut text = comment("-- ", answer, command);
    for setting in &answer.settings {
        if let Some(statement) = &setting.statement {
            let fresh = if setting.fresh { " -- before the first table is made, else VACUUM after it" } else { "" };
            text += &format!("{}{fresh}\n", plain(statement));
        }
    }
    text + &others("-- ", &answer.settings)
}

fn rust(answer: &TuneAnswer, command: &str) -> String {
    let mut text = comment("// ", answer, command);
    // The statement becomes part of a Rust string.
    let literal = |statement: &str| plain(&statement.replace('\\', "\\\\").replace('"', "\\\""));
    let statements: Vec<String> =
        answer.settings.iter().filter_map(|setting| setting.statement.as_deref().map(literal)).collect();
    if statements.is_empty() {
        return text + &others("// ", &answer.settings);
    }
    text += "let connection = rusqlite::Connection::open(path)?;\n";
    text += "connection.execute_batch(\n    \"";
    text += &statements.join("\n     ");
    text += "\",\n)?;\n";
    text + &others("// ", &answer.settings)
}

/// `sqlite:journal_mode=wal,synchronous=normal`
fn engine(answer: &TuneAnswer) -> String {
    let options: Vec<String> =
        answer.settings.iter().map(|setting| format!("{}={}", setting.option, setting.value)).collect();
    let colon = if options.is_empty() { "" } else { ":" };
    plain(&format!("{}{colon}{}", answer.engine, options.join(",")))
}

fn preset(answer: &TuneAnswer, command: &str) -> String {
    let Some(trial) = answer.evidence.last() else { return String::new() };
    let tests: Vec<String> = trial.tests.iter().map(ToString::to_string).collect();
    let title =
        format!("{} as tuned for {} at {}, beside what it was tuned from", answer.engine, trial.suite, trial.size);
    let mut text = comment("# ", answer, command);
    text += &format!("\ntitle = {}\nsuite = {}\n", quoted(&title), quoted(&trial.suite));
    text += &format!("sizes = [{}]\nrepeats = {REPEATS}\ntests = [{}]\n", quoted(&trial.size), tests.join(", "));
    if !trial.suite_options.is_empty() {
        text += &format!("suite_options = {}\n", table(trial.suite_options.iter()));
    }
    let name = quoted(&answer.engine);
    let tuned: Vec<(&String, &String)> =
        answer.settings.iter().map(|setting| (&setting.option, &setting.value)).collect();
    for options in [table(answer.base.iter()), table(tuned.into_iter())] {
        text += &format!("\n[[engine]]\nname = {name}\noptions = {options}\n");
    }
    text
}

fn table<'o>(options: impl Iterator<Item = (&'o String, &'o String)>) -> String {
    let entries: Vec<String> = options.map(|(name, value)| format!("{} = {}", quoted(name), quoted(value))).collect();
    if entries.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", entries.join(", ")) }
}

/// Quotes a text as a TOML string.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn what_an_engine_says_of_an_option_is_text_and_no_code() {
        let evil = "\"); drop(x); (\"\n\u{1b}[2J".to_owned();
        let (option, value, help, risk) = (evil.clone(), evil.clone(), evil.clone(), Some(evil.clone()));
        let told = Setting { option, value, statement: Some(evil.clone()), help, fresh: false, risk };
        let settings = vec![Setting { statement: None, ..told.clone() }, told];
        let answer = TuneAnswer { engine: "x".to_owned(), settings, base: BTreeMap::new(), evidence: Vec::new() };
        for form in [AnswerForm::Pragma, AnswerForm::Rust, AnswerForm::Engine] {
            let text = answer_text(&answer, form, &evil);
            assert!(!text.contains('\u{1b}') && !text.contains("(\"\n"), "{text}");
        }
        assert!(answer_text(&answer, AnswerForm::Rust, "").contains("\n    \"\\\"); drop(x); (\\\"\\n"));
    }
}
