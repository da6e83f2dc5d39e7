//! Recordings that cannot be written: the program does not notice.

#![allow(clippy::unwrap_used, reason = "functions of tests")]

mod support;

use dbdyno_recording::{FileEnding, RecordedLine};
use std::{
    fs,
    os::unix::process::CommandExt,
    path::Path,
    process::{Command, Output},
    thread,
    time::Duration,
};
use support::{Stage, assert_same, files, not_checked, record};

/// Runs the program without the recorder and with it in a folder, and checks that it does the same.
fn same_with(stage: &Stage, recording: &Path, prepare: impl Fn(&mut Command)) -> Output {
    let run = |mut command: Command| {
        prepare(&mut command);
        command.output().unwrap()
    };
    let plain = run(stage.plain("inserts", &["30000"]));
    stage.remove_database();
    let mut command = stage.plain("inserts", &["30000"]);
    record(&mut command, recording);
    let recorded = run(command);
    assert_same(&plain, &recorded);
    recorded
}

/// Checks the lines about lost calls.
fn assert_accounted(recording: &Path, why: &str) {
    let [file] = &files(recording)[..] else { panic!("one process has one file") };
    let reasons: Vec<&str> = file
        .lines
        .iter()
        .filter_map(|line| match line {
            RecordedLine::Lost(lost) => Some(lost.why.as_str()),
            _ => None,
        })
        .collect();
    assert!(reasons.iter().any(|reason| reason.contains(why)), "{reasons:?}");
    // Two pragmas and a table come before the rows.
    assert_eq!(file.calls().count() as u64 + file.lost(), 30_003);
    let FileEnding::Orderly(end) = file.ending else { panic!("{:?}", file.ending) };
    assert_eq!((end.calls, end.dropped), (file.calls().count() as u64, file.lost()));
}

#[test]
fn folders_that_cannot_be_written_are_not_noticed() {
    let Some(stage) = Stage::new() else { return };
    fs::write(stage.path("a file"), "").unwrap();
    for folder in ["missing", "a file"] {
        let output = same_with(&stage, &stage.path(folder), |_| {});
        assert!(output.status.success(), "{output:?}");
        stage.remove_database();
    }
}

#[test]
fn without_a_folder_the_library_does_nothing() {
    let Some(stage) = Stage::new() else { return };
    let mut command = stage.plain("inserts", &["10"]);
    command.env("LD_PRELOAD", support::recorder());
    assert!(command.output().unwrap().status.success());
    assert_eq!(fs::read_dir(stage.recording()).unwrap().count(), 0);
}

#[test]
fn a_folder_that_is_deleted_meanwhile_is_not_noticed() {
    let Some(stage) = Stage::new() else { return };
    let child = stage.recorded("inserts", &["100000"]).spawn().unwrap();
    thread::sleep(Duration::from_millis(100));
    fs::remove_dir_all(stage.recording()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn a_limit_of_file_sizes_stops_the_recording_and_not_the_program() {
    let Some(stage) = Stage::new() else { return };
    // Above the database, which has 2 MB, there is no room for 30,000 calls twice. The limit is for each file.
    let limit = |command: &mut Command| {
        let set = || {
            let limit = libc::rlimit { rlim_cur: 100 << 10, rlim_max: 100 << 10 };
            // SAFETY: the limit is a local variable.
            if unsafe { libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit) } == 0 {
                Ok(())
            } else {
                Err(std::io::Error::last_os_error())
            }
        };
        // SAFETY: only a system call.
        unsafe { command.pre_exec(set) };
    };
    let run = |mut command: Command| {
        limit(&mut command);
        command.output().unwrap()
    };
    let plain = run(stage.plain("threads", &["1", "60000"]));
    let recorded = run(stage.recorded("threads", &["1", "60000"]));
    // Only the printed memory differs.
    assert_eq!((plain.status, recorded.status.code()), (recorded.status, Some(0)));
    let [file] = &files(&stage.recording())[..] else { panic!("one process has one file") };
    assert!(file.lost() > 0);
    // The end fits where the last block did not.
    assert_eq!(file.calls().count() as u64 + file.lost(), 60_000);
}

#[test]
fn a_full_disk_stops_the_recording_and_not_the_program() {
    let Some(stage) = Stage::new() else { return };
    let disk = stage.path("disk");
    fs::create_dir(&disk).unwrap();
    let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"]).arg(&disk).output();
    if !mounted.is_ok_and(|output| output.status.success()) {
        return not_checked("a full disk needs the right to mount one");
    }
    let result = std::panic::catch_unwind(|| {
        let output = same_with(&stage, &disk, |_| {});
        assert!(output.status.success(), "{output:?}");
        let [file] = &files(&disk)[..] else { panic!("one process has one file") };
        assert!(file.calls().count() > 0 && file.calls().count() < 30_000);
        // The lines about the loss may not fit either.
        let is_accounted = file.calls().count() as u64 + file.lost() == 30_003;
        assert!(is_accounted || matches!(file.ending, FileEnding::NoEnd { .. }), "{:?}", file.ending);
    });
    let _ = Command::new("umount").arg(&disk).status();
    if let Err(panic) = result {
        std::panic::resume_unwind(panic);
    }
}

#[test]
fn the_size_limit_of_a_recording_stops_it() {
    let Some(stage) = Stage::new() else { return };
    let output = same_with(&stage, &stage.recording(), |command| {
        command.env("DBDYNO_RECORD_MAX", "100000");
    });
    assert!(output.status.success(), "{output:?}");
    assert_accounted(&stage.recording(), "size limit");
    let bytes: u64 =
        fs::read_dir(stage.recording()).unwrap().map(|entry| entry.unwrap().metadata().unwrap().len()).sum();
    assert!(bytes < 101_000, "{bytes}");
}

#[test]
fn values_above_the_users_limit_are_cut() {
    let Some(stage) = Stage::new() else { return };
    let mut command = stage.recorded("inserts", &["1"]);
    assert!(command.env("DBDYNO_RECORD_VALUE_MAX", "10").output().unwrap().status.success());
    let files = files(&stage.recording());
    let call = files[0].calls().last().unwrap();
    assert!(
        matches!(call.parameters[1], dbdyno_recording::RecordedValue::Cut { is_text: true, bytes: 44, .. }),
        "{call:?}"
    );
}
