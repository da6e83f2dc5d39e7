//! The engines: which are available, and why others are not.

use super::finding::DoctorFinding;
use dbdyno_catalog::engines::{Launch, Registry};
use dbdyno_comparing::lint::built_to_debug;
use std::{env, ffi::OsStr, path::Path};

/// `path`: what `DBDYNO_ENGINE_PATH` has.
pub(super) fn findings(registry: &Registry, path: Option<&OsStr>) -> Vec<DoctorFinding> {
    let mut findings = vec![built_in(registry)];
    for engine in &registry.engines {
        if let Launch::Program(program) = &engine.launch {
            let (name, version) = (&engine.description.name, &engine.description.version);
            let what = format!("engine {name} {version}: {}", program.display());
            findings.push(match built_to_debug(&engine.description.build.join(", ")) {
                Some(why) => DoctorFinding::unfit(what, format!("{why}; build it with the options of a release build")),
                None => DoctorFinding::fit(what),
            });
        }
    }
    let others = registry.unavailable.iter();
    findings.extend(
        others.map(|engine| DoctorFinding::advised(format!("engine {} cannot run", engine.name), &engine.reason)),
    );
    findings.extend(env::split_paths(path.unwrap_or_default()).filter_map(|folder| folder_of_path(&folder)));
    findings
}

fn built_in(registry: &Registry) -> DoctorFinding {
    let engines = registry.engines.iter().filter(|engine| engine.launch == Launch::BuiltIn);
    let names: Vec<String> =
        engines.map(|engine| format!("{} {}", engine.description.name, engine.description.version)).collect();
    DoctorFinding::fit(format!("engines built in: {}", names.join(", ")))
}

/// What is wrong with a folder of `DBDYNO_ENGINE_PATH`.
fn folder_of_path(folder: &Path) -> Option<DoctorFinding> {
    let what = || format!("DBDYNO_ENGINE_PATH contains {}", folder.display());
    match () {
        () if folder.as_os_str().is_empty() => None,
        () if !folder.is_absolute() => {
            Some(DoctorFinding::advised(what(), "relative folders are not searched; give an absolute path"))
        }
        () if !folder.is_dir() => Some(DoctorFinding::advised(what(), "the folder does not exist")),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_catalog::engines::{Unavailable, Unfitness};
    use dbdyno_engine::describe::Description;
    use std::{path::PathBuf, sync::Arc};

    #[test]
    fn engines_are_told_whether_they_can_be_run_or_not() {
        let mut registry = Registry::built_in();
        let mut outside = registry.engines[0].clone();
        outside.launch = Launch::Program(PathBuf::from("/opt/dbdyno-engine-other"));
        let name = registry.engines[0].description.name.clone();
        let mut slow = outside.clone();
        let build = vec!["go1.26.1".to_owned(), "-gcflags=all=-N -l".to_owned()];
        slow.description = Arc::new(Description { build, ..Description::clone(&outside.description) });
        registry.engines.extend([outside, slow]);
        registry.unavailable.push(Unavailable {
            name: "odd".to_owned(),
            kind: Unfitness::Broken,
            reason: "it gave no answer".to_owned(),
        });
        let lines: Vec<String> = findings(&registry, None).iter().map(DoctorFinding::line).collect();
        assert!(lines[0].starts_with("✓  engines built in: ") && lines[0].contains(&name), "{lines:?}");
        assert!(lines[1].ends_with(": /opt/dbdyno-engine-other\n"), "{lines:?}");
        assert!(lines[2].starts_with("!  engine ") && lines[2].contains("without optimisation"), "{lines:?}");
        assert_eq!(lines[3..], ["·  engine odd cannot run: it gave no answer\n"]);
    }

    #[test]
    fn folders_that_are_not_looked_into_are_told() {
        let path = OsStr::new("/:engines:/no/such/folder:");
        let lines: Vec<String> = findings(&Registry::default(), Some(path)).iter().map(DoctorFinding::line).collect();
        assert_eq!(lines.len(), 3, "{lines:?}");
        assert!(
            lines[1].contains("contains engines: relative folders")
                && lines[2].contains("contains /no/such/folder: the folder does not exist")
        );
    }
}
