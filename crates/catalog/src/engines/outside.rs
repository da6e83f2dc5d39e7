//! Engines that are separate programs, named `dbdyno-engine-NAME`.

use super::Unfitness;
use dbdyno_engine::{
    confine::Confinement,
    describe::{Description, Probed},
    protocol::{LONGEST_LINE, OLDEST_PROTOCOL, PROTOCOL},
    settings::Settings,
};
use dbdyno_foundation::{
    base::{scratch::Scratch, units},
    process::ProcessFamily,
};
use serde::Deserialize;
use std::{
    collections::BTreeMap,
    env, fs,
    io::{ErrorKind, Read, Write},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

const PREFIX: &str = "dbdyno-engine-";
/// The engines that belong to dbdyno but are built as separate programs.
const OURS: &str = include_str!("../../outside.toml");
/// Maximum time in which an engine must describe itself.
const PATIENCE: Duration = Duration::from_secs(5);
/// Maximum time for a probe of files: it tests a library on a database, whose commits may wait for a disk that other programs keep busy.
const PROBE_PATIENCE: Duration = Duration::from_secs(30);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Ours {
    engine: Vec<OwnProgram>,
}

/// An engine program that belongs to dbdyno.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OwnProgram {
    pub(super) name: String,
    /// One line about it.
    about: String,
    /// The command that builds it.
    build: String,
}

impl OwnProgram {
    /// Returns why it cannot be used if it was not found.
    pub(super) fn missing(&self) -> String {
        format!("not built ({}): run `{}` in dbdyno's source folder", self.about, self.build)
    }
}

/// Returns the engine programs that belong to dbdyno, built or not.
pub(super) fn ours() -> Vec<OwnProgram> {
    toml::from_str::<Ours>(OURS).map(|list| list.engine).unwrap_or_default()
}

/// Engine programs by name.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Programs {
    pub(super) executable: BTreeMap<String, PathBuf>,
    /// Files with an engine program's name, if no folder has an executable one of that name.
    pub(super) not_executable: BTreeMap<String, PathBuf>,
}

/// Finds engine programs in their folders.
pub(super) fn find() -> Programs {
    find_in(&folders())
}

/// Finds engine programs; the first folder that has a name wins.
fn find_in(folders: &[PathBuf]) -> Programs {
    let mut found = Programs::default();
    for folder in folders {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let file = entry.file_name();
            let Some(name) = file.to_str().and_then(|file| file.strip_prefix(PREFIX)) else { continue };
            let plain = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
            if plain {
                let executable = is_executable(&entry.path());
                let list = if executable { &mut found.executable } else { &mut found.not_executable };
                list.entry(name.to_owned()).or_insert_with(|| entry.path());
            }
        }
    }
    found.not_executable.retain(|name, _| !found.executable.contains_key(name));
    found
}

/// Returns the folder of this program, then `$DBDYNO_ENGINE_PATH`, then PATH. Never a relative folder, which would be the current one.
fn folders() -> Vec<PathBuf> {
    let beside = env::current_exe().ok().and_then(|exe| Some(exe.parent()?.to_owned()));
    let lists = ["DBDYNO_ENGINE_PATH", "PATH"].into_iter().filter_map(env::var_os);
    let listed: Vec<PathBuf> = lists.flat_map(|list| env::split_paths(&list).collect::<Vec<_>>()).collect();
    beside.into_iter().chain(listed).filter(|folder| folder.is_absolute()).collect()
}

fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

/// Why a program gave no answer that can be used.
#[derive(Debug)]
pub(super) struct Unanswered {
    pub(super) kind: Unfitness,
    pub(super) reason: String,
}

impl<S: Into<String>> From<S> for Unanswered {
    fn from(reason: S) -> Self {
        Self { kind: Unfitness::Broken, reason: reason.into() }
    }
}

/// Asks an engine program for its description, and checks the answer.
pub(super) fn describe(name: &str, path: &Path) -> Result<Description, Unanswered> {
    // The runtimes of some languages compile code while a program starts, and write files. Without space for that, the program may still
    // work.
    let scratch = Scratch::temporary().ok();
    let output = output_of(Command::new(path).arg("describe"), "", ProgramRequest::Describe(scratch.as_ref()))?;
    let description: Description =
        serde_json::from_str(&output.text).map_err(|error| output.not_understood("description", &error))?;
    if !(OLDEST_PROTOCOL..=PROTOCOL).contains(&description.protocol) {
        let (spoken, own) = (description.protocol, format!("{OLDEST_PROTOCOL} to {PROTOCOL}"));
        return Err(format!("it speaks protocol {spoken}, dbdyno speaks {own}: rebuild both").into());
    }
    if description.name != name {
        return Err(format!("it calls itself `{}`, its file says `{name}`", description.name).into());
    }
    if let Some(null) = description.harness.as_ref().filter(|null| null.is_empty() || **null == name) {
        return Err(format!(
            "its `harness` is `{null}`: expected the name of an engine that does nothing, or no `harness`"
        )
        .into());
    }
    description.check_options()?;
    Ok(description)
}

/// Asks an engine's program about the files that settings name.
pub(super) fn probe(mut command: Command, settings: &Settings) -> Result<Probed, Unanswered> {
    let question = serde_json::to_string(settings).map_err(|error| error.to_string())?;
    // The program tests a library on a database.
    let scratch = Scratch::temporary()
        .map_err(|error| format!("a temporary folder to test files in cannot be created: {error}"))?;
    let output = output_of(command.arg("probe"), &question, ProgramRequest::Probe(&scratch))?;
    Ok(serde_json::from_str(&output.text).map_err(|error| output.not_understood("answer", &error))?)
}

/// The output of a program that was asked.
struct ProgramOutput {
    text: String,
    /// Its stderr.
    log: String,
}

impl ProgramOutput {
    /// Describes the error in the text, with the last line of stderr, where a failed program says why.
    fn not_understood(&self, what: &str, error: &serde_json::Error) -> String {
        let last = self.log.trim().lines().last().map(|line| format!("; the last line of its stderr: {line}"));
        format!("its {what} is not valid: {error}{}", last.unwrap_or_default())
    }
}

/// A request to a program.
#[derive(Clone, Copy)]
enum ProgramRequest<'s> {
    /// With a folder for temporary files, if there is space for one.
    Describe(Option<&'s Scratch>),
    /// With a folder to try files in.
    Probe(&'s Scratch),
}

/// Runs a program that answers on stdout, with a time limit.
fn output_of(command: &mut Command, input: &str, request: ProgramRequest<'_>) -> Result<ProgramOutput, Unanswered> {
    let (what, patience, scratch) = match request {
        ProgramRequest::Describe(scratch) => ("describe itself", PATIENCE, scratch),
        ProgramRequest::Probe(scratch) => ("answer", PROBE_PATIENCE, Some(scratch)),
    };
    let confinement =
        scratch.map_or(Confinement::answering(patience), |scratch| Confinement::within(scratch.path(), 0, patience));
    let mut family = ProcessFamily::fresh();
    let birth = family.begin(command, confinement)?;
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(|error| {
            Unanswered {
                kind: match error.kind() {
                    ErrorKind::PermissionDenied => Unfitness::NotPermitted,
                    _ => Unfitness::Broken,
                },
                reason: format!("it cannot be started: {error}"),
            }
        })?;
    family.take_in(birth, child.id());
    // If a program does not read its stdin, its answer shows that.
    let _ = child.stdin.take().map(|mut stdin| stdin.write_all(input.as_bytes()));
    // Each is read by its own thread: a program that fills one while only the other is read would wait forever.
    let (text, log) = (child.stdout.take().map(read_all), child.stderr.take().map(read_all));
    let text = text.map_or(Ok(Ok(String::new())), |text| text.recv_timeout(patience));
    // A worker finishes stdout before it writes to stderr why it ends.
    let log = log.filter(|_| text.is_ok()).and_then(|log| log.recv_timeout(patience).ok()?.ok()).unwrap_or_default();
    // The program and the processes that it started are no longer needed, whatever the answer is.
    let _ = child.kill();
    family.kill(None);
    let status = child.wait();
    let text = text.map_err(|_| Unanswered {
        kind: Unfitness::TimedOut,
        reason: format!("it did not {what} within {}", units::clock(patience)),
    })?;
    let text = text.map_err(|error| format!("its answer cannot be read: {error}"))?;
    if text.is_empty() && !log.trim().is_empty() {
        return Err(log.trim().trim_start_matches("error: ").into());
    }
    match status {
        Ok(status) if text.is_empty() && !status.success() => Err(format!("it gave no answer ({status})").into()),
        _ => Ok(ProgramOutput { text, log }),
    }
}

/// Reads to the end in a separate thread, up to the maximum length of an answer.
fn read_all(from: impl Read + Send + 'static) -> mpsc::Receiver<std::io::Result<String>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = from.take(LONGEST_LINE as u64).read_to_end(&mut bytes);
        // Bytes that are not UTF-8 are replaced. The receiver may have timed out.
        let _ = sender.send(read.map(|_| String::from_utf8_lossy(&bytes).into_owned()));
    });
    receiver
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_our_engine_programs_is_read() {
        assert!(ours().iter().any(|known| known.name == "lmdb1" && known.build.contains("dbdyno-engine-lmdb1")));
    }

    #[test]
    fn a_program_that_gives_no_description_is_of_a_kind() {
        let root = tempfile::tempdir().unwrap();
        let kind = |name: &str, mode: u32, text: &str| {
            let path = root.path().join(name);
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            describe(name, &path).map(|_| ()).unwrap_err().kind
        };
        assert_eq!(kind("locked", 0o644, "#!/bin/sh\n"), Unfitness::NotPermitted);
        assert_eq!(kind("broken", 0o755, "#!/bin/sh\necho no >&2; exit 1\n"), Unfitness::Broken);
        assert_eq!(kind("silent", 0o755, "#!/bin/sh\nexit 0\n"), Unfitness::Broken);
    }

    #[test]
    fn a_file_that_cannot_be_executed_hides_no_program_behind_it() {
        let root = tempfile::tempdir().unwrap();
        let file = |folder: &str, name: &str, mode: u32| {
            let path = root.path().join(folder).join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            path
        };
        file("one", "dbdyno-engine-a", 0o644);
        let (a, b) = (file("two", "dbdyno-engine-a", 0o755), file("two", "dbdyno-engine-b", 0o644));
        file("two", "dbdyno-engine-a.d", 0o644);
        let found = find_in(&[root.path().join("one"), root.path().join("two"), root.path().join("none")]);
        assert_eq!(found.executable, BTreeMap::from([("a".to_owned(), a)]));
        assert_eq!(found.not_executable, BTreeMap::from([("b".to_owned(), b)]));
    }
}
