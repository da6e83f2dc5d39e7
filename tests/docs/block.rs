//! Fenced blocks of a document, and the comments above them.

/// A fenced block.
pub(super) struct Block {
    /// The line at which it begins, from 1.
    pub(super) line: usize,
    pub(super) language: String,
    pub(super) text: String,
    /// The HTML comments directly above.
    pub(super) comments: Vec<Comment>,
    /// The line of the script directly above whose output this is.
    pub(super) follows: Option<usize>,
}

/// An instruction in a document for running the block below it.
pub(super) enum Comment {
    /// `not run: REASON`.
    NotRun(String),
    /// `needs: NAME`: the block runs only if this program exists, or, for a NAME with `.so`, a library whose file name begins with it.
    Needs(String),
    /// `run: THIS => THAT`: the test measures less than the document shows, or runs elsewhere.
    Run(String, String),
    /// `exit code 2: REASON`.
    ExitCode(i32),
    /// `file: PATH`: the block is this file in the current folder, or below `~` in the home folder.
    File(String),
    /// `output of: COMMAND`.
    OutputOf(String),
}

/// How a block is checked.
pub(super) enum Kind<'a> {
    Script,
    /// Commands after `$`, each followed by its output.
    Dialogue,
    OutputOf(&'a str),
    /// A recipe of continuous integration: dbdyno must understand its commands.
    Workflow,
    /// Text that is not the output of its own command. A script above may print it.
    Drawing,
    Other,
}

impl Comment {
    fn parse(line: &str) -> Option<Self> {
        let text = line.strip_prefix("<!--")?.strip_suffix("-->")?.trim();
        let (name, rest) = text.split_once(": ")?;
        let rest = rest.trim();
        let parsed = match name {
            "not run" => Self::NotRun(rest.to_owned()),
            "needs" => Self::Needs(rest.to_owned()),
            "run" => {
                let (this, that) = rest.split_once(" => ")?;
                Self::Run(this.to_owned(), that.to_owned())
            }
            "file" => Self::File(rest.to_owned()),
            "output of" => Self::OutputOf(rest.to_owned()),
            _ => Self::ExitCode(name.strip_prefix("exit code ")?.parse().ok()?),
        };
        (!rest.is_empty()).then_some(parsed)
    }
}

/// Returns the blocks of a document, or the first wrong line.
pub(super) fn blocks(document: &str) -> Result<Vec<Block>, (usize, String)> {
    let lines: Vec<_> = document.lines().map(str::trim).collect();
    let mut blocks = Vec::new();
    let mut at = 0;
    // The script that ended on the line before last.
    let mut above = None;
    while at < lines.len() {
        let Some(language) = lines[at].strip_prefix("```") else {
            at += 1;
            continue;
        };
        let length = lines[at + 1..].iter().position(|line| *line == "```");
        let length = length.ok_or_else(|| (at + 1, "a block without an end".to_owned()))?;
        let indent = document.lines().nth(at).map_or(0, |line| line.len() - line.trim_start().len());
        let text = document.lines().skip(at + 1).take(length).map(|line| line.get(indent..).unwrap_or_default());
        let follows = above.filter(|(_, end)| language == "text" && end + 2 == at).map(|(line, _)| line);
        blocks.push(Block {
            line: at + 1,
            language: language.to_owned(),
            text: text.map(|line| format!("{line}\n")).collect(),
            comments: comments(&lines, at)?,
            follows,
        });
        above = (language == "sh").then_some((at + 1, at + 1 + length));
        at += length + 2;
    }
    Ok(blocks)
}

/// The comments directly above a line.
fn comments(lines: &[&str], block: usize) -> Result<Vec<Comment>, (usize, String)> {
    let first = lines[..block].iter().rposition(|line| !line.starts_with("<!--")).map_or(0, |before| before + 1);
    let parse = |at: usize| {
        let expected =
            "not run: REASON, needs: NAME, run: THIS => THAT, exit code N: REASON, file: PATH or output of: COMMAND";
        let mistake = || (at + 1, format!("a comment on the block below, `{}`: expected {expected}", lines[at]));
        Comment::parse(lines[at]).ok_or_else(mistake)
    };
    (first..block).map(parse).collect()
}

impl Block {
    pub(super) fn kind(&self) -> Kind<'_> {
        let command = self.comments.iter().find_map(|comment| match comment {
            Comment::OutputOf(command) => Some(command.as_str()),
            _ => None,
        });
        match (self.language.as_str(), command) {
            ("text", Some(command)) => Kind::OutputOf(command),
            ("text", None) if self.text.lines().any(|line| line.starts_with("$ ")) => Kind::Dialogue,
            ("text", None) => Kind::Drawing,
            ("sh", None) => Kind::Script,
            ("yaml", None) => Kind::Workflow,
            _ => Kind::Other,
        }
    }

    /// The exit code that its commands should have.
    pub(super) fn code(&self) -> i32 {
        let code = self.comments.iter().find_map(|comment| match comment {
            Comment::ExitCode(code) => Some(*code),
            _ => None,
        });
        code.unwrap_or(0)
    }

    /// The files that the block represents.
    pub(super) fn files(&self) -> impl Iterator<Item = &str> {
        self.comments.iter().filter_map(|comment| match comment {
            Comment::File(file) => Some(file.as_str()),
            _ => None,
        })
    }

    /// The script after the replacements of its `run` comments.
    pub(super) fn script(&self) -> Result<String, String> {
        let mut script = self.text.clone();
        for comment in &self.comments {
            if let Comment::Run(this, that) = comment {
                if !script.contains(this) {
                    return Err(format!("`{this}` is replaced, and not there"));
                }
                script = script.replace(this, that);
            }
        }
        Ok(script)
    }

    /// The commands with their outputs.
    pub(super) fn dialogue(&self) -> Vec<(String, String)> {
        let mut said: Vec<(String, String)> = Vec::new();
        for line in self.text.lines() {
            match (line.strip_prefix("$ "), said.last_mut()) {
                (Some(command), _) => said.push((command.to_owned(), String::new())),
                (None, Some((command, _))) if command.ends_with('\\') => *command += &format!("\n{line}"),
                (None, Some((_, output))) => *output += &format!("{line}\n"),
                (None, None) => {}
            }
        }
        said
    }

    /// The commands of a workflow, each cut at its shell syntax and extended by `--help`. dbdyno then parses the command without running
    /// it.
    pub(super) fn workflow(&self) -> Vec<(String, String)> {
        let text = without_expressions(&self.text.replace("\\\n", " "));
        let commands = text.lines().filter_map(|line| line.find("dbdyno ").map(|at| &line[at..]));
        let end = |command: &str| command.find([';', '|', '>', '<', '#', '&']).unwrap_or(command.len());
        commands.map(|command| (format!("{} --help", &command[..end(command)]), String::new())).collect()
    }
}

/// Replaces each expression and variable in a workflow's text with a word.
fn without_expressions(text: &str) -> String {
    let mut parts = text.split("${{");
    let first = parts.next().unwrap_or_default().to_owned();
    let rest = parts.map(|part| format!("x{}", part.split_once("}}").map_or("", |(_, rest)| rest)));
    (first + &rest.collect::<String>()).replace('$', "x")
}

/// Removes the punctuation around a word.
pub(super) fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

/// The words of an output that do not depend on the measurement. These are the words of its lines without a change or a figure (a share
/// such as 95 % does not count as one). If there are no such lines, they are the words of its first line that do not follow a figure.
pub(super) fn lasting_words(shown: &str) -> Vec<String> {
    let lines: Vec<Vec<&str>> = shown.lines().map(|line| line.split_whitespace().collect()).collect();
    let lasts = |line: &&Vec<&str>| !line.contains(&"->") && !(0..line.len()).any(|at| is_figure(line, at));
    let found: Vec<_> = lines.iter().filter(lasts).flat_map(|line| words(line)).collect();
    if found.is_empty() { lines.first().map(|line| words(line)).unwrap_or_default() } else { found }
}

fn is_figure(line: &[&str], at: usize) -> bool {
    let share = line.get(at + 1).is_some_and(|next| next.starts_with('%'));
    bare(line[at]).starts_with(|c: char| c.is_ascii_digit()) && !share
}

/// The words of a line that consist of letters (and `-`, `/`, `'`) and do not follow a figure.
fn words(line: &[&str]) -> Vec<String> {
    let is_word = |word: &str| word.len() > 1 && word.chars().all(|c| c.is_alphabetic() || "-/'".contains(c));
    let kept = (0..line.len()).filter(|&at| at == 0 || !is_figure(line, at - 1)).map(|at| bare(line[at]));
    kept.filter(|word| is_word(word)).map(str::to_owned).collect()
}
