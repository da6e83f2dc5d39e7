//! The modules of this process: its program and its libraries, and the names of their functions.

use object::{Object, ObjectSegment, ObjectSymbol, SymbolKind};
use std::{
    collections::{BTreeMap, HashMap},
    fs,
    ops::Range,
    path::Path,
};

/// The longest name of a function, characters.
const LONGEST_NAME: usize = 240;

/// The functions that the kernel maps into each process, for reading clocks.
const KERNEL: &str = "[vdso]";

/// A program or library in memory.
#[derive(Debug, Clone)]
pub(super) struct Module {
    pub(super) path: String,
    /// The addresses of its content.
    pub(super) range: Range<u64>,
    /// The difference between its addresses in memory and in its file.
    pub(super) base: u64,
}

impl Module {
    /// Returns the modules that are in memory and not known yet.
    pub(super) fn new_ones(known: &[Self]) -> Vec<Self> {
        let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
        let mut ranges: BTreeMap<&str, Range<u64>> = BTreeMap::new();
        for (range, path) in maps.lines().filter_map(mapped_file) {
            let known = ranges.entry(path).or_insert_with(|| range.clone());
            known.end = known.end.max(range.end);
        }
        let module = |(path, range): (&str, Range<u64>)| {
            let mut module = Self { path: path.to_owned(), range, base: 0 };
            if path == KERNEL {
                return Some(module);
            }
            module.base = module.with_file(|file| module.range.start - lowest(file))?;
            Some(module)
        };
        let is_new = |(path, range): &(&str, Range<u64>)| {
            !known.iter().any(|one| one.path == *path && one.range.start == range.start)
        };
        ranges.into_iter().filter(is_new).filter_map(module).collect()
    }

    /// Returns what `read` makes of its file. `None`: it is no program or library, or cannot be read.
    pub(super) fn with_file<R>(&self, read: impl FnOnce(&object::File<'_>) -> R) -> Option<R> {
        let bytes = fs::read(&self.path).ok()?;
        object::File::parse(&*bytes).ok().map(|file| read(&file))
    }

    /// Returns the names of its functions by their first address in memory, each with its end.
    fn functions(&self) -> BTreeMap<u64, (u64, String)> {
        self.with_file(|file| {
            let mut functions = BTreeMap::new();
            for symbol in file.dynamic_symbols().chain(file.symbols()) {
                if symbol.kind() == SymbolKind::Text && symbol.address() > 0 {
                    let from = symbol.address() + self.base;
                    let name = symbol.name().unwrap_or_default();
                    functions.insert(from, (from + symbol.size().max(1), name.to_owned()));
                }
            }
            functions
        })
        .unwrap_or_default()
    }

    /// Returns the name of its file in brackets, for functions without one.
    fn name(&self) -> String {
        let file = Path::new(&self.path).file_name().unwrap_or_default().to_string_lossy();
        let file = file.trim_matches(['[', ']']);
        format!("[{}]", if file.is_empty() { "unknown" } else { file })
    }
}

/// Returns the range and the path of a line of `/proc/self/maps`, if it maps a file or the kernel's functions.
fn mapped_file(line: &str) -> Option<(Range<u64>, &str)> {
    let path = &line[line.find('/').or_else(|| line.find(KERNEL))?..];
    let (from, to) = line.split_once(' ')?.0.split_once('-')?;
    let hex = |text| u64::from_str_radix(text, 16).ok();
    Some((hex(from)?..hex(to)?, path))
}

/// Returns the lowest address of a file's segments, at the beginning of a page.
fn lowest(file: &object::File<'_>) -> u64 {
    const PAGE: u64 = 4096;
    file.segments().map(|segment| segment.address()).min().unwrap_or(0) / PAGE * PAGE
}

/// Names of functions by their addresses.
#[derive(Debug)]
pub(super) struct Symbols<'m> {
    modules: &'m [Module],
    functions: HashMap<u64, BTreeMap<u64, (u64, String)>>,
    named: HashMap<u64, String>,
}

impl<'m> Symbols<'m> {
    pub(super) fn of(modules: &'m [Module]) -> Self {
        Self { modules, functions: HashMap::new(), named: HashMap::new() }
    }

    /// Returns the name of the function at an address, or its module's name if it has none.
    pub(super) fn name(&mut self, address: u64) -> String {
        if let Some(name) = self.named.get(&address) {
            return name.clone();
        }
        let name = self.look_up(address);
        self.named.insert(address, name.clone());
        name
    }

    fn look_up(&mut self, address: u64) -> String {
        let Some(module) = self.modules.iter().find(|module| module.range.contains(&address)) else {
            return "[unknown]".to_owned();
        };
        let functions = self.functions.entry(module.range.start).or_insert_with(|| module.functions());
        match functions.range(..=address).next_back() {
            Some((_, (end, name))) if address < *end && !name.is_empty() => demangled(name),
            _ => module.name(),
        }
    }
}

/// Returns a function's name as its language writes it, without its arguments.
fn demangled(name: &str) -> String {
    let readable = match rustc_demangle::try_demangle(name) {
        Ok(name) => format!("{name:#}"),
        Err(_) => {
            let options = cpp_demangle::DemangleOptions::new().no_params().no_return_type();
            let symbol = cpp_demangle::Symbol::new(name).ok();
            symbol.and_then(|symbol| symbol.demangle_with_options(&options).ok()).unwrap_or_else(|| name.to_owned())
        }
    };
    // A stack's calls are separated by semicolons.
    readable.chars().map(|c| if c == ';' || c.is_control() { ' ' } else { c }).take(LONGEST_NAME).collect()
}
