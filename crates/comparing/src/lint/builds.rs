//! Linters about builds and preloaded libraries.

use super::{DoubtAbout, LintFinding, Linter, SessionEvidence, by_configuration};
use dbdyno_catalog::engines::HARNESS_ENGINE;
use dbdyno_foundation::host::is_system_allocator;
use dbdyno_store::RunRecord;
use std::collections::{BTreeMap, BTreeSet};

/// dbdyno was built without optimisation.
pub(super) struct DebugBuild;

impl Linter for DebugBuild {
    fn name(&self) -> &'static str {
        "debug build"
    }

    fn about(&self) -> DoubtAbout {
        DoubtAbout::Amount
    }

    fn summary(&self) -> &'static str {
        "sessions were run by a debug build"
    }

    fn explain(&self) -> &'static str {
        "Without optimisation the harness and engines in Rust are many times slower: measure with a release build."
    }

    fn check<'e>(&self, evidence: &SessionEvidence<'e>) -> Vec<LintFinding<'e>> {
        if evidence.session.debug_build {
            vec!["dbdyno was built without optimisation: measure with a release build".to_owned().into()]
        } else {
            Vec::new()
        }
    }
}

/// An engine was built for debugging instead of speed.
pub(super) struct EngineBuild;

/// The name of the finding, which comparisons use.
pub const ENGINE_BUILD: &str = "engine build";

impl Linter for EngineBuild {
    fn name(&self) -> &'static str {
        ENGINE_BUILD
    }

    fn about(&self) -> DoubtAbout {
        DoubtAbout::Amount
    }

    fn summary(&self) -> &'static str {
        "configurations ran an engine built for debugging"
    }

    fn explain(&self) -> &'static str {
        "Assertions and missing optimisation make an engine many times slower than its releases: use a release build."
    }

    fn check<'e>(&self, evidence: &SessionEvidence<'e>) -> Vec<LintFinding<'e>> {
        let mut seen = BTreeSet::new();
        let mut slow: BTreeMap<&str, Vec<(&RunRecord, String)>> = BTreeMap::new();
        for run in evidence.runs.iter().filter(|run| run.engine != HARNESS_ENGINE) {
            if let Some(why) = run.engine_build.as_deref().and_then(built_to_debug)
                && seen.insert((&run.label, &run.size))
            {
                slow.entry(why).or_default().push((run, format!("{} at {}", run.label, run.size)));
            }
        }
        slow.into_iter().flat_map(|(why, places)| by_configuration(why, places)).collect()
    }
}

/// Returns the part of a build (comma-separated) that shows that it was built for debugging; none if there is no such part. Builds of C
/// libraries do not name an optimisation level.
pub fn built_to_debug(build: &str) -> Option<&'static str> {
    let parts: BTreeSet<&str> = build.split(", ").collect();
    let has = |part: &str| parts.contains(part);
    let go_flags = parts.iter().filter_map(|part| part.strip_prefix("-gcflags="));
    let go_words: BTreeSet<&str> = go_flags.flat_map(|flags| flags.split([' ', '='])).collect();
    let c_flags = parts.iter().filter_map(|part| part.strip_prefix("CGO_CFLAGS=")).flat_map(|flags| flags.split(' '));
    let c_level = c_flags.rev().find(|flag| flag.starts_with("-O"));
    match () {
        () if has("DEBUG") => Some("the library checks itself at every step (SQLITE_DEBUG)"),
        () if has("MEMDEBUG") => Some("the library checks every allocation (SQLITE_MEMDEBUG)"),
        () if has("assertions: on") => Some("the library has its assertions on (built without NDEBUG)"),
        () if has("-race=true") => Some("the program looks for data races (go build -race)"),
        () if go_words.contains("-N") => Some("the program was built without optimisation (-gcflags -N)"),
        () if c_level == Some("-O0") => Some("the C in the program was built without optimisation (CGO_CFLAGS -O0)"),
        () if go_words.contains("-l") => Some("the program was built without inlining (-gcflags -l)"),
        () => None,
    }
}

/// Libraries were loaded before the engines' libraries.
pub(super) struct PreloadedLibraries;

impl Linter for PreloadedLibraries {
    fn name(&self) -> &'static str {
        "preloaded"
    }

    fn about(&self) -> DoubtAbout {
        DoubtAbout::Amount
    }

    fn summary(&self) -> &'static str {
        "sessions ran with preloaded libraries"
    }

    fn explain(&self) -> &'static str {
        "A preloaded library may replace the allocator, syncs or locks of every engine, so figures do not apply to \
         other machines. Measure without LD_PRELOAD, unless you measure that library."
    }

    fn check<'e>(&self, evidence: &SessionEvidence<'e>) -> Vec<LintFinding<'e>> {
        let session = evidence.session;
        let replaced = session.allocator.as_deref().filter(|file| !is_system_allocator(file));
        let allocator = replaced.map(|file| format!("malloc comes from {file}"));
        let message = match (&session.preloaded, allocator) {
            (Some(libraries), Some(allocator)) => format!("{libraries} loaded before other libraries, and {allocator}"),
            (Some(libraries), None) => format!("{libraries} loaded before other libraries"),
            (None, Some(allocator)) => allocator,
            (None, None) => return Vec::new(),
        };
        vec![message.into()]
    }
}

#[cfg(test)]
mod tests {
    use super::built_to_debug;

    #[test]
    fn builds_to_debug_are_told_from_those_that_are_shipped() {
        for (build, says) in [
            ("COMPILER=gcc-14, DEBUG, THREADSAFE=1", "SQLITE_DEBUG"),
            ("MEMDEBUG, THREADSAFE=1", "SQLITE_MEMDEBUG"),
            ("Compile date: 2026, assertions: on, compression: zstd, lz4", "NDEBUG"),
            ("go1.26.1, -gcflags=all=-N -l, modernc.org/sqlite v1.40.0", "without optimisation"),
            ("go1.26.1, -gcflags=-l", "without inlining"),
            ("go1.26.1, -race=true", "data races"),
            ("go1.26.1, CGO_CFLAGS=-O2 -O0 -g, x.y/z v1", "CGO_CFLAGS -O0"),
        ] {
            assert!(built_to_debug(build).is_some_and(|slow| slow.contains(says)), "{build}");
        }
        for shipped in [
            "COMPILER=gcc-14, ENABLE_DEBUG_OF_MINE, DEFAULT_MEMSTATUS=0",
            "assertions: off, compression: zstd",
            "go1.26.1, -gcflags=-B -lang=go1.20, x.y/z v1",
            "",
        ] {
            assert_eq!(built_to_debug(shipped), None, "{shipped}");
        }
    }
}
