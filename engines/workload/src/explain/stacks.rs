//! The calls in copies of stacks, and how often each was seen.

use super::{
    copied::Registers,
    symbols::{Module, Symbols},
};
use dbdyno_engine::protocol::MOST_STACKS;
use framehop::{ExplicitModuleSectionInfo, Unwinder as _};
use object::{Object, ObjectSection};
use std::{
    collections::{BTreeMap, HashMap},
    fmt,
};

#[cfg(target_arch = "aarch64")]
use framehop::aarch64::{CacheAarch64 as RuleCache, UnwindRegsAarch64, UnwinderAarch64 as ArchUnwinder};
#[cfg(not(target_arch = "aarch64"))]
use framehop::x86_64::{CacheX86_64 as RuleCache, UnwindRegsX86_64, UnwinderX86_64 as ArchUnwinder};

/// The most calls of a stack: its innermost.
const DEEPEST: usize = 64;
/// The most text of a test's stacks, bytes.
const MOST_TEXT: usize = 512 << 10;
/// How the names of the measured loop's functions begin.
const LOOP: &str = "dbdyno_workload::";
/// Modules of the loop's crate that an engine's calls go through.
const PASSED: [&str; 3] = ["dbdyno_workload::power::", "dbdyno_workload::parts::", "dbdyno_workload::explain::"];
/// The name of the measured loop in stacks: its outermost function.
const LOOP_NAME: &str = "measured loop";

/// Stands for the callers that could not be found: in code without a description of its frames.
const LOST_NAME: &str = "[callers not found]";

/// Stacks of a test. The modules of the process and how to walk through them stay for the next one.
#[derive(Default)]
pub(super) struct SeenStacks {
    /// Addresses from the innermost call, with their numbers of samples.
    seen: HashMap<Vec<u64>, u64>,
    walker: Walker,
}

/// Finds the calls of stacks.
#[derive(Default)]
struct Walker {
    unwinder: ArchUnwinder<Vec<u8>>,
    rules: RuleCache,
    modules: Vec<Module>,
}

impl fmt::Debug for SeenStacks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SeenStacks").field("seen", &self.seen).finish_non_exhaustive()
    }
}

impl SeenStacks {
    /// Learns what is needed for the stacks of the next test. It reads files, so it is done before the test.
    pub(super) fn get_ready(&mut self) {
        self.walker.learn();
    }

    /// Adds a sample: registers, and the memory from the stack register upwards.
    pub(super) fn add(&mut self, registers: Registers, memory: &[u8]) {
        *self.seen.entry(self.walker.walk(registers, memory)).or_default() += 1;
    }

    /// Returns the stacks of a test, and begins again.
    pub(super) fn take(&mut self) -> Self {
        let walker = Walker { modules: self.walker.modules.clone(), ..Walker::default() };
        Self { seen: std::mem::take(&mut self.seen), walker }
    }

    /// Returns the stacks as texts: functions from the outermost, separated by `;`.
    pub(super) fn named(self) -> BTreeMap<String, u64> {
        let mut symbols = Symbols::of(&self.walker.modules);
        let mut named: BTreeMap<Vec<String>, u64> = BTreeMap::new();
        for (addresses, samples) in self.seen {
            let names = addresses.iter().map(|address| symbols.name(*address)).collect();
            *named.entry(of_engine(names)).or_default() += samples;
        }
        fewer(named).into_iter().map(|(calls, samples)| (calls.join(";"), samples)).collect()
    }
}

/// Returns the calls from the measured loop inwards, the outermost first. `names`: from the innermost.
fn of_engine(mut names: Vec<String>) -> Vec<String> {
    let is_in = |name: &str, module: &str| name.trim_start_matches('<').starts_with(module);
    names.retain(|name| !PASSED.iter().any(|passed| is_in(name, passed)));
    // The functions that `power` defines call the kernel through this one.
    if names.len() > 1 && names[0] == "syscall" {
        names.remove(0);
    }
    match names.iter().position(|name| is_in(name, LOOP)) {
        Some(innermost) => names.truncate(innermost.min(DEEPEST)),
        None => {
            names.truncate(DEEPEST);
            names.push(LOST_NAME.to_owned());
        }
    }
    names.push(LOOP_NAME.to_owned());
    names.reverse();
    names
}

/// Gives the samples of the rarest stacks to their callers, until there are few enough.
fn fewer(mut stacks: BTreeMap<Vec<String>, u64>) -> BTreeMap<Vec<String>, u64> {
    let text = |stacks: &BTreeMap<Vec<String>, u64>| {
        stacks.keys().map(|calls| calls.iter().map(|call| call.len() + 1).sum::<usize>()).sum::<usize>()
    };
    while stacks.len() > MOST_STACKS || text(&stacks) > MOST_TEXT {
        let mut counts: Vec<u64> = stacks.values().copied().collect();
        counts.sort_unstable();
        let rare = counts[counts.len() / 4];
        let (kept, mut rest): (BTreeMap<_, _>, BTreeMap<_, _>) =
            stacks.into_iter().partition(|(calls, samples)| *samples > rare || calls.len() < 2);
        if rest.is_empty() {
            // Nothing has a caller any more.
            return kept.into_iter().take(MOST_STACKS).collect();
        }
        stacks = kept;
        while let Some((mut calls, samples)) = rest.pop_first() {
            calls.pop();
            *stacks.entry(calls).or_default() += samples;
        }
    }
    stacks
}

impl Walker {
    /// Returns the addresses of a stack's calls, the innermost first.
    fn walk(&mut self, registers: Registers, memory: &[u8]) -> Vec<u64> {
        let mut read = |address: u64| {
            let at = address.checked_sub(registers.stack).ok_or(())? as usize;
            let word = at.checked_add(8).and_then(|end| memory.get(at..end)).ok_or(())?;
            word.try_into().map(u64::from_ne_bytes).map_err(drop)
        };
        let Registers { instruction, stack, frame, link } = registers;
        let mut calls = self.unwinder.iter_frames(
            instruction,
            unwound(stack, frame, link, instruction),
            &mut self.rules,
            &mut read,
        );
        let mut addresses = Vec::new();
        while let Ok(Some(call)) = calls.next() {
            addresses.push(call.address_for_lookup());
            if addresses.len() == 4 * DEEPEST {
                break;
            }
        }
        addresses
    }

    /// Reads the modules that were loaded since the last time.
    fn learn(&mut self) {
        for module in Module::new_ones(&self.modules) {
            module.with_file(|file| {
                let sections = |name| {
                    let section = file.section_by_name(name)?;
                    let range = section.address()..section.address() + section.size();
                    Some((range, section.data().ok()?.to_vec()))
                };
                let [text, frames, index] = [".text", ".eh_frame", ".eh_frame_hdr"].map(sections);
                let (eh_frame_svma, eh_frame) = frames.unzip();
                let (eh_frame_hdr_svma, eh_frame_hdr) = index.unzip();
                let (text_svma, text) = text.unzip();
                let sections = ExplicitModuleSectionInfo {
                    base_svma: 0,
                    text_svma,
                    text,
                    eh_frame_svma,
                    eh_frame,
                    eh_frame_hdr_svma,
                    eh_frame_hdr,
                    ..Default::default()
                };
                let walked = framehop::Module::new(module.path.clone(), module.range.clone(), module.base, sections);
                self.unwinder.add_module(walked);
            });
            self.modules.push(module);
        }
    }
}

#[cfg(target_arch = "aarch64")]
fn unwound(stack: u64, frame: u64, link: u64, _: u64) -> UnwindRegsAarch64 {
    UnwindRegsAarch64::new(link, stack, frame)
}

#[cfg(not(target_arch = "aarch64"))]
fn unwound(stack: u64, frame: u64, _: u64, instruction: u64) -> UnwindRegsX86_64 {
    UnwindRegsX86_64::new(instruction, stack, frame)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_stack_begins_at_the_measured_loop() {
        let stack = [
            "syscall",
            "pread64",
            "dbdyno_workload::power::reads::pread",
            "sqlite3_step",
            "<dbdyno_workload::kv::Loop>::run",
            "main",
        ];
        assert_eq!(of_engine(names(&stack)), names(&["measured loop", "sqlite3_step", "pread64"]));
        assert_eq!(of_engine(names(&["step"])), names(&["measured loop", "[callers not found]", "step"]));
    }

    #[test]
    fn the_rarest_stacks_give_their_samples_to_their_callers() {
        let stacks = (0..3 * MOST_STACKS as u64).map(|number| (names(&["a", &format!("f{number}")]), 1 + number));
        let all: u64 = stacks.clone().map(|(_, samples)| samples).sum();
        let fewer = fewer(stacks.collect());
        assert!(fewer.len() <= MOST_STACKS && fewer.contains_key(&names(&["a", "f2999"])), "{}", fewer.len());
        assert_eq!(fewer.values().sum::<u64>(), all);
        assert!(fewer[&names(&["a"])] > 0);
    }

    #[test]
    fn the_function_of_an_address_is_named() {
        let modules = Module::new_ones(&[]);
        let mut symbols = Symbols::of(&modules);
        let own = super::super::begin as *const () as u64;
        assert_eq!(symbols.name(own + 1), "dbdyno_workload::explain::sampler::begin");
        assert!(symbols.name(libc::getpid as *const () as u64).contains("getpid"));
        assert_eq!(symbols.name(8), "[unknown]");
    }
}
