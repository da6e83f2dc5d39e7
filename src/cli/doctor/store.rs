//! The store: whether it can be read and written, and which work on it is pending. Nothing is changed.

use super::finding::DoctorFinding;
use dbdyno_foundation::{
    base::units::{bytes, counted},
    process::FileHolder,
};
use dbdyno_store::{SCHEMA_VERSION, Store, StoreContents, StoreError, StoreHealth, StoreState, UnimportedJournals};
use std::time::Duration;

/// A program uses the store only for a moment; doctor reports one that takes longer than this.
const PATIENCE: Duration = Duration::from_secs(1);

pub(super) fn findings(store: &Store, host_ids: &[String; 2]) -> Vec<DoctorFinding> {
    let store = store.clone().with_patience(store.patience().min(PATIENCE));
    let health = store.health(host_ids);
    let holders = match &health.state {
        StoreState::Refused(error) if error.is_locked() => store.holders(),
        _ => Vec::new(),
    };
    let place = store.path().display().to_string();
    let mut findings = vec![state(&place, &health, &holders)];
    findings.extend(unfinished(&health.state));
    findings.extend(waiting(&health.waiting));
    if let Err(error) = &health.writable {
        findings.push(DoctorFinding::unfit(error.to_string(), "results cannot be stored (--store or DBDYNO_STORE)"));
    }
    findings
}

fn state(place: &str, health: &StoreHealth, holders: &[FileHolder]) -> DoctorFinding {
    match &health.state {
        StoreState::Missing => {
            DoctorFinding::fit(format!("results will be kept in {place}, which the first session creates"))
        }
        StoreState::Interrupted => DoctorFinding::note(format!(
            "a write to {place} was interrupted: the next command that reads or writes it completes or undoes it"
        )),
        StoreState::Open(contents) => opened(place, health, contents),
        StoreState::Refused(error) if error.is_locked() => held(error, holders),
        StoreState::Refused(error) => DoctorFinding::unfit(error.to_string(), "results cannot be stored"),
    }
}

fn opened(place: &str, health: &StoreHealth, contents: &StoreContents) -> DoctorFinding {
    let log = match health.log_bytes {
        0 => String::new(),
        log => format!(" and a log of {}", bytes(log)),
    };
    let what = format!("results are kept in {place}, {}{log}, schema version {}", bytes(health.bytes), contents.schema);
    if contents.schema < SCHEMA_VERSION {
        return DoctorFinding::advised(what, format!("the next command upgrades it to version {SCHEMA_VERSION}"));
    }
    DoctorFinding::fit(what)
}

fn held(error: &StoreError, holders: &[FileHolder]) -> DoctorFinding {
    let by = match holders {
        [] => String::new(),
        holders => format!("; held by {}", holders.iter().map(FileHolder::to_string).collect::<Vec<_>>().join(", ")),
    };
    DoctorFinding::advised(
        format!("{error}{by}"),
        "results of sessions wait in the journal until the store is free again",
    )
}

fn unfinished(state: &StoreState) -> Vec<DoctorFinding> {
    let StoreState::Open(StoreContents { sessions: Some(sessions), .. }) = state else { return Vec::new() };
    let mut findings = Vec::new();
    if sessions.running > 0 {
        let running = counted(sessions.running, "session");
        findings.push(DoctorFinding::advised(format!("{running} running now"), "measure when they are done"));
    }
    if sessions.resumable > 0 {
        let left = counted(sessions.resumable, "session");
        findings.push(DoctorFinding::advised(
            format!("{left} ended before the last run"),
            "`dbdyno resume` finishes the last one, and `dbdyno delete` removes those that you do not need",
        ));
    }
    findings
}

fn waiting(waiting: &UnimportedJournals) -> Vec<DoctorFinding> {
    let UnimportedJournals { owned_bytes, left_bytes, refused, unreadable } = waiting;
    let mut findings = Vec::new();
    if *owned_bytes > 0 {
        let what = format!("{} of results wait in journals of running sessions", bytes(*owned_bytes));
        findings.push(DoctorFinding::note(what));
    }
    if *left_bytes > 0 {
        findings.push(DoctorFinding::advised(
            format!("{} of results wait in journals of processes that have ended", bytes(*left_bytes)),
            "the next command that reads the store adds them to it",
        ));
    }
    if let Some(file) = refused {
        findings.push(DoctorFinding::advised(
            format!("{} contains lines of a journal that could not be read", file.display()),
            "check them, and remove the file if you do not need them",
        ));
    }
    findings
        .extend(unreadable.as_ref().map(|error| DoctorFinding::unfit(error, "results cannot be stored (--journal)")));
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_store::UnfinishedSessions;
    use std::path::PathBuf;

    fn health(state: StoreState) -> StoreHealth {
        StoreHealth {
            bytes: 12 << 20,
            log_bytes: 2048,
            waiting: UnimportedJournals::default(),
            state,
            writable: Ok(()),
        }
    }

    fn open(schema: i64, sessions: Option<UnfinishedSessions>) -> StoreState {
        StoreState::Open(StoreContents { schema, sessions })
    }

    fn line(state_found: StoreState) -> String {
        state("/data/results.duckdb", &health(state_found), &[]).line()
    }

    #[test]
    fn a_store_is_told_with_its_size_and_schema() {
        let said = line(open(SCHEMA_VERSION, None));
        let expected = format!(
            "✓  results are kept in /data/results.duckdb, 12.0 MiB and a log of 2.00 KiB, schema version {SCHEMA_VERSION}\n"
        );
        assert_eq!(said, expected);
        assert!(line(open(SCHEMA_VERSION - 1, None)).contains(": the next command upgrades it to version"));
        assert!(line(StoreState::Missing).starts_with("✓  ") && line(StoreState::Interrupted).starts_with("·  "));
        let damaged =
            StoreError::Damaged { path: PathBuf::from("/data/results.duckdb"), message: "checksum".to_owned() };
        assert!(line(StoreState::Refused(damaged)).starts_with("!  the store /data/results.duckdb is damaged"));
    }

    #[test]
    fn whoever_holds_the_store_is_named() {
        let locked =
            StoreError::Locked { path: PathBuf::from("s"), message: "another dbdyno holds its lock".to_owned() };
        let holder = FileHolder { process: 12, program: Some("duck\ndb".to_owned()) };
        let said = held(&locked, &[holder, FileHolder { process: 13, program: None }]).line();
        assert!(said.starts_with("·  ") && said.contains("held by duck\\ndb (process 12), process 13"), "{said}");
    }

    #[test]
    fn what_waits_and_what_was_left_is_told() {
        let sessions = UnfinishedSessions { running: 1, resumable: 2 };
        let lines = unfinished(&open(SCHEMA_VERSION, Some(sessions)));
        assert!(
            lines[0].line().contains("1 session running now") && lines[1].line().contains("2 sessions ended before")
        );
        assert_eq!(unfinished(&open(SCHEMA_VERSION, Some(UnfinishedSessions::default()))), []);
        let all = UnimportedJournals {
            owned_bytes: 1,
            left_bytes: 1,
            refused: Some(PathBuf::from("refused.txt")),
            unreadable: Some("no".to_owned()),
        };
        assert_eq!(waiting(&all).iter().filter(|finding| finding.is_unfit()).count(), 1);
        assert_eq!((waiting(&all).len(), waiting(&UnimportedJournals::default()).len()), (4, 0));
    }
}
