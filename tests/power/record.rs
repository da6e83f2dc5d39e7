//! Records the operations of a program on a folder with strace.

use super::model::{Entry, Log, Node, Op, ROOT, apply, change};
use std::{
    collections::{BTreeMap, HashMap},
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// Calls that change files or folders, and calls that identify the file and the position.
const CALLS: &str = "open,openat,creat,close,dup,dup2,dup3,lseek,read,write,pwrite64,writev,pwritev,pwritev2,ftruncate,truncate,fallocate,\
    rename,renameat,renameat2,link,linkat,symlink,symlinkat,unlink,unlinkat,mkdir,mkdirat,rmdir,fsync,fdatasync,sync_file_range,sync,\
    syncfs,mmap,copy_file_range,sendfile,splice,io_uring_setup";

/// The operations of a command, and how it ended.
pub(crate) struct Recording {
    pub(crate) log: Log,
    pub(crate) code: Option<i32>,
    pub(crate) stderr: String,
}

/// Runs a command and records its operations below a folder, and its standard output. `scratch` is a folder elsewhere.
pub(crate) fn record(command: &Command, folder: &Path, scratch: &Path) -> Recording {
    let root = fs::canonicalize(folder).unwrap();
    let mut recorder = Recorder::new(root, fs::canonicalize(scratch).unwrap().join("said"));
    let trace = scratch.join("trace");
    let mut strace = Command::new("strace");
    strace
        .args(["-f", "--seccomp-bpf", "-xx", "-y", "-s", "100000000", "-e"])
        .arg(format!("trace={CALLS}"))
        .arg("-o")
        .arg(&trace)
        .arg(command.get_program())
        .args(command.get_args())
        .envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))))
        .stdin(Stdio::null())
        .stdout(fs::File::create(&recorder.said).unwrap());
    let output = strace.stderr(Stdio::piped()).output().unwrap();
    recorder.read(&fs::read_to_string(&trace).unwrap());
    fs::remove_file(trace).unwrap();
    Recording {
        log: recorder.log,
        code: output.status.code(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// An open file.
#[derive(Debug, Clone, Copy)]
struct Open {
    node: Node,
    position: usize,
    appends: bool,
    syncs: bool,
}

/// Builds a log from a trace.
struct Recorder {
    root: PathBuf,
    /// The file that receives standard output.
    said: PathBuf,
    log: Log,
    /// Entries and contents as the program sees them.
    entries: BTreeMap<Entry, Node>,
    contents: Vec<Option<Vec<u8>>>,
    /// Open files below the root. Only one of the recorded processes has any, so descriptors need no process.
    open: HashMap<u32, Open>,
    /// The line of output that is still incomplete.
    line: Vec<u8>,
}

/// One system call.
struct Call<'t> {
    name: &'t str,
    arguments: Vec<&'t str>,
    result: &'t str,
    /// The number of operations that were done before the call began.
    began: usize,
}

impl Recorder {
    fn new(root: PathBuf, said: PathBuf) -> Self {
        let log = start(&root);
        let (entries, contents) = (log.entries.clone(), log.nodes.clone());
        Self { root, said, log, entries, contents, open: HashMap::new(), line: Vec::new() }
    }

    /// Reads the trace. Calls appear in the order in which they ended, with calls of other threads in between.
    fn read(&mut self, trace: &str) {
        let mut unfinished: HashMap<&str, (&str, usize)> = HashMap::new();
        for line in trace.lines() {
            let Some((thread, line)) = line.split_once(' ') else { continue };
            let line = line.trim_start();
            if let Some(begun) = line.strip_suffix("<unfinished ...>") {
                unfinished.insert(thread, (begun, self.log.ops.len()));
            } else if line.starts_with("<... ") {
                let rest = line.split_once("resumed>").unwrap().1;
                if let Some((begun, began)) = unfinished.remove(thread) {
                    self.finished(&format!("{begun}{rest}"), began);
                }
            } else {
                self.finished(line, self.log.ops.len());
            }
        }
    }

    fn finished(&mut self, line: &str, began: usize) {
        let Some((name, rest)) = line.split_once('(') else { return };
        let Some((arguments, result)) = rest.rsplit_once(" = ") else { return };
        if result.starts_with(['-', '?']) {
            return;
        }
        let arguments = split(arguments.trim_end().strip_suffix(')').unwrap());
        self.call(&Call { name, arguments, result, began });
    }

    fn call(&mut self, call: &Call<'_>) {
        let Call { name, arguments, result, began } = call;
        match *name {
            "open" | "openat" | "creat" => self.opened(call),
            "close" => {
                if let Some((number, _)) = self.inside(arguments[0]) {
                    self.open.remove(&number);
                }
            }
            "dup" | "dup2" | "dup3" => {
                if let Some((number, _)) = self.inside(arguments[0]) {
                    self.open.insert(self.inside(result).unwrap().0, self.open[&number]);
                }
            }
            "lseek" => {
                if let Some((number, _)) = self.inside(arguments[0])
                    && let Some(open) = self.open.get_mut(&number)
                {
                    open.position = result.parse().unwrap();
                }
            }
            "read" => {
                if let Some((number, _)) = self.inside(arguments[0])
                    && let Some(open) = self.open.get_mut(&number)
                {
                    open.position += result.parse::<usize>().unwrap();
                }
            }
            "write" | "writev" => self.written(call, None),
            "pwrite64" => self.written(call, Some(arguments[3].parse().unwrap())),
            "pwritev" | "pwritev2" => self.written(call, Some(arguments[3].parse().unwrap())),
            "ftruncate" => {
                if let Some(open) = self.file(arguments[0]) {
                    self.change(open, Op::Resize { file: open.node, size: arguments[1].parse().unwrap() });
                }
            }
            "truncate" => {
                if let Some(entry) = self.entry("AT_FDCWD", arguments[0]) {
                    self.done(Op::Resize { file: self.entries[&entry], size: arguments[1].parse().unwrap() });
                }
            }
            "fallocate" => self.allocated(call),
            "rename" => self.renamed(["AT_FDCWD", arguments[0]], ["AT_FDCWD", arguments[1]]),
            "renameat" | "renameat2" => self.renamed([arguments[0], arguments[1]], [arguments[2], arguments[3]]),
            "link" => self.linked(["AT_FDCWD", arguments[0]], ["AT_FDCWD", arguments[1]]),
            "linkat" => self.linked([arguments[0], arguments[1]], [arguments[2], arguments[3]]),
            "unlink" | "rmdir" => self.removed("AT_FDCWD", arguments[0]),
            "unlinkat" => self.removed(arguments[0], arguments[1]),
            "mkdir" => self.made_folder("AT_FDCWD", arguments[0]),
            "mkdirat" => self.made_folder(arguments[0], arguments[1]),
            "fsync" | "fdatasync" => {
                if let Some((number, path)) = self.inside(arguments[0]) {
                    let node = self.open.get(&number).map_or_else(|| self.node(&path), |open| Some(open.node));
                    self.done(Op::Sync { node: node.unwrap(), covers: *began });
                }
            }
            "copy_file_range" => self.copied(call),
            // To start writing back guarantees nothing.
            "sync_file_range" => {}
            "mmap" => {
                let writes = arguments[2].contains("PROT_WRITE") && arguments[3].contains("MAP_SHARED");
                let inside = arguments.get(4).and_then(|file| self.inside(file));
                assert!(!(writes && inside.is_some()), "what is written to a mapped file is not seen");
            }
            other => {
                let inside = arguments.iter().any(|argument| {
                    self.inside(argument).is_some()
                        || argument.starts_with('"') && self.below(&decoded(argument)).is_some()
                });
                let of_all = ["sync", "syncfs", "io_uring_setup"].contains(&other);
                assert!(!inside && !of_all, "{other} is not known to the recorder");
            }
        }
    }

    fn done(&mut self, op: Op) {
        apply(&mut self.entries, &op);
        if let Op::Write { file, .. } | Op::Resize { file, .. } = op {
            change(self.contents[file].as_mut().unwrap(), file, &op);
        }
        self.log.ops.push(op);
    }

    /// Records a change of a file's content, and a sync if the file was opened for synchronous writes.
    fn change(&mut self, open: Open, op: Op) {
        self.done(op);
        if open.syncs {
            self.done(Op::Sync { node: open.node, covers: self.log.ops.len() });
        }
    }

    fn make(&mut self, entry: Entry, content: Option<Vec<u8>>) -> Node {
        let node = self.contents.len();
        self.log.nodes.push(content.clone());
        self.contents.push(content);
        self.done(Op::Enter { entry, node });
        node
    }

    fn opened(&mut self, call: &Call<'_>) {
        let Some((number, path)) = self.inside(call.result) else { return };
        let has =
            |flag| call.name == "creat" || call.arguments.iter().any(|argument| argument.split('|').any(|f| f == flag));
        let Some(entry) = self.entry_of(&path) else { return };
        let known = self.entries.get(&entry).copied();
        let node = known.unwrap_or_else(|| {
            assert!(has("O_CREAT"), "{} was opened, and nothing had made it", path.display());
            self.make(entry, Some(Vec::new()))
        });
        if self.contents[node].is_none() {
            return;
        }
        let open = Open {
            node,
            position: 0,
            appends: call.name != "creat" && has("O_APPEND"),
            syncs: call.name != "creat" && (has("O_SYNC") || has("O_DSYNC")),
        };
        self.open.insert(number, open);
        if has("O_TRUNC") && self.contents[node].as_ref().is_some_and(|content| !content.is_empty()) {
            self.change(open, Op::Resize { file: node, size: 0 });
        }
    }

    /// The open file that an argument refers to.
    fn file(&self, argument: &str) -> Option<Open> {
        let (number, path) = self.inside(argument)?;
        let open = self.open.get(&number);
        Some(*open.unwrap_or_else(|| panic!("{} is written to, and nothing had opened it", path.display())))
    }

    fn size(&self, node: Node) -> usize {
        self.contents[node].as_ref().map_or(0, Vec::len)
    }

    fn written(&mut self, call: &Call<'_>, offset: Option<usize>) {
        let length: usize = call.result.parse().unwrap();
        let path = path_of(call.arguments[0]);
        if path.as_ref() == Some(&self.said) {
            return self.says(&decoded(call.arguments[1]));
        }
        let Some(open) = self.file(call.arguments[0]) else { return };
        let mut bytes = decoded(call.arguments[1]);
        bytes.truncate(length);
        let place = match offset {
            _ if open.appends => self.size(open.node),
            Some(offset) => offset,
            None => open.position,
        };
        self.change(open, Op::Write { file: open.node, offset: place, bytes });
        if offset.is_none() {
            self.open.get_mut(&number_of(call.arguments[0])).unwrap().position = place + length;
        }
    }

    fn says(&mut self, bytes: &[u8]) {
        self.line.extend(bytes);
        while let Some(end) = self.line.iter().position(|byte| *byte == b'\n') {
            let rest = self.line.split_off(end + 1);
            let line = String::from_utf8_lossy(&std::mem::replace(&mut self.line, rest)).trim_end().to_owned();
            self.done(Op::Said(line));
        }
    }

    fn allocated(&mut self, call: &Call<'_>) {
        let Some(open) = self.file(call.arguments[0]) else { return };
        let [offset, length] = [2, 3].map(|at| call.arguments[at].parse::<usize>().unwrap());
        let (size, end) = (self.size(open.node), offset + length);
        let mode = call.arguments[1];
        if mode.contains("PUNCH_HOLE") || mode.contains("ZERO_RANGE") {
            let bytes = vec![0; end.min(size).saturating_sub(offset)];
            self.change(open, Op::Write { file: open.node, offset, bytes });
        }
        if !mode.contains("KEEP_SIZE") && end > size {
            self.change(open, Op::Resize { file: open.node, size: end });
        }
    }

    fn copied(&mut self, call: &Call<'_>) {
        let Some(to) = self.file(call.arguments[2]) else { return };
        let from = self.file(call.arguments[0]).expect("what is copied lies in the folder");
        assert!([1, 3].iter().all(|at| call.arguments[*at] == "NULL"), "copies begin where the files stand");
        let length: usize = call.result.parse().unwrap();
        let content = self.contents[from.node].as_ref().unwrap();
        let bytes = content[from.position..from.position + length].to_vec();
        self.change(to, Op::Write { file: to.node, offset: to.position, bytes });
        for at in [0, 2] {
            self.open.get_mut(&number_of(call.arguments[at])).unwrap().position += length;
        }
    }

    fn renamed(&mut self, from: [&str; 2], to: [&str; 2]) {
        let [from, to] = [from, to].map(|[folder, path]| self.entry(folder, path));
        assert_eq!(from.is_some(), to.is_some(), "nothing is moved into the folder or out of it");
        let (Some(from), Some(to)) = (from, to) else { return };
        self.done(Op::Rename { node: self.entries[&from], from, to });
    }

    fn linked(&mut self, from: [&str; 2], to: [&str; 2]) {
        let Some(entry) = self.entry(to[0], to[1]) else { return };
        let from = self.entry(from[0], from[1]).expect("what is linked lies in the folder");
        self.done(Op::Enter { entry, node: self.entries[&from] });
    }

    fn removed(&mut self, folder: &str, path: &str) {
        if let Some(entry) = self.entry(folder, path) {
            self.done(Op::Remove { entry });
        }
    }

    fn made_folder(&mut self, folder: &str, path: &str) {
        if let Some(entry) = self.entry(folder, path) {
            self.make(entry, None);
        }
    }

    /// The path below the root.
    fn below(&self, path: &[u8]) -> Option<PathBuf> {
        let path = Path::new(std::str::from_utf8(path).ok()?);
        path.strip_prefix(&self.root).ok().map(Path::to_owned)
    }

    /// The descriptor and the path below the root of an argument like `3<PATH>`.
    fn inside(&self, argument: &str) -> Option<(u32, PathBuf)> {
        let path = path_of(argument)?;
        Some((number_of(argument), path.strip_prefix(&self.root).ok()?.to_owned()))
    }

    /// The entry of a path in quotes, relative to a folder like `AT_FDCWD<PATH>` or `3<PATH>`.
    fn entry(&self, folder: &str, path: &str) -> Option<Entry> {
        let path = PathBuf::from(String::from_utf8(decoded(path)).unwrap());
        let path = path_of(folder).map_or_else(|| path.clone(), |folder| folder.join(&path));
        self.entry_of(path.strip_prefix(&self.root).ok()?)
    }

    fn entry_of(&self, below: &Path) -> Option<Entry> {
        let name = below.file_name()?.to_str().unwrap().to_owned();
        Some((self.node(below.parent()?)?, name))
    }

    fn node(&self, below: &Path) -> Option<Node> {
        below.iter().try_fold(ROOT, |folder, name| self.entries.get(&(folder, name.to_str()?.to_owned())).copied())
    }
}

/// A log of a folder without any operation.
pub(crate) fn start(folder: &Path) -> Log {
    let mut log = Log { nodes: vec![None], ..Log::default() };
    enter_all(&mut log, folder, ROOT);
    log
}

fn enter_all(log: &mut Log, folder: &Path, node: Node) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let made = log.nodes.len();
        log.entries.insert((node, entry.file_name().into_string().unwrap()), made);
        if entry.path().is_dir() {
            log.nodes.push(None);
            enter_all(log, &entry.path(), made);
        } else {
            log.nodes.push(Some(fs::read(entry.path()).unwrap()));
        }
    }
}

/// Splits the arguments of a call. All strings are in hexadecimal, so they contain no comma or bracket.
fn split(arguments: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut begin) = (Vec::new(), 0_u32, 0);
    for (at, byte) in arguments.bytes().enumerate() {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth -= 1,
            b',' if depth == 0 => {
                parts.push(arguments[begin..at].trim());
                begin = at + 1;
            }
            _ => {}
        }
    }
    parts.push(arguments[begin..].trim());
    parts
}

/// Returns the bytes of all strings in an argument, concatenated.
fn decoded(argument: &str) -> Vec<u8> {
    assert!(!argument.contains("\"..."), "strace cut a string off");
    argument.split('"').skip(1).step_by(2).flat_map(from_hexadecimal).collect()
}

/// Decodes `\x2f\x61` to bytes.
fn from_hexadecimal(text: &str) -> Vec<u8> {
    let digit = |byte: u8| (byte as char).to_digit(16).unwrap() as u8;
    text.as_bytes().as_chunks::<4>().0.iter().map(|code| digit(code[2]) << 4 | digit(code[3])).collect()
}

/// The path in `3<PATH>`.
fn path_of(argument: &str) -> Option<PathBuf> {
    let (begin, end) = (argument.find('<')?, argument.rfind('>')?);
    let text = &argument[begin + 1..end];
    // Pipes and similar files have no path.
    let path = text.starts_with("\\x").then(|| String::from_utf8(from_hexadecimal(text)).unwrap())?;
    Some(PathBuf::from(path.strip_suffix(" (deleted)").unwrap_or(&path)))
}

/// The number in `3<PATH>`.
fn number_of(argument: &str) -> u32 {
    argument.split('<').next().unwrap().parse().unwrap_or(u32::MAX)
}
