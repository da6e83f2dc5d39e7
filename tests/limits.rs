//! Limits of the shell that starts dbdyno, and systems that lack a feature: a message names the cause.

use crate::support::{Place, has_tool};
use std::process::{Command, Output};

const RUN: [&str; 10] = ["run", "--suite", "kv", "--engine", "null", "--size", "1000", "--test", "1", "--repeat=1"];

/// Runs dbdyno through another program, which receives dbdyno's command line as its last arguments.
fn through(place: &Place, program: &str, before: &[&str], arguments: &[&str]) -> Output {
    let own = place.command(arguments);
    let mut command = Command::new(program);
    command.args(before).arg(own.get_program()).args(own.get_args());
    command.envs(own.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.output().unwrap()
}

#[test]
fn too_little_address_space_is_refused_in_a_sentence() {
    for kilobytes in [150_000, 300_000, 600_000, 900_000] {
        let place = Place::new();
        let script = format!("ulimit -v {kilobytes}; exec \"$@\"");
        for arguments in [&RUN[..], &["results"]] {
            let output = through(&place, "sh", &["-c", &script, "sh"], arguments);
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(1), "{kilobytes}: {stderr}");
            assert!(stderr.contains("`ulimit -v`") && stderr.contains("at least 1.00 GiB"), "{stderr}");
        }
    }
}

#[test]
fn without_proc_the_error_says_what_is_missing() {
    if !has_tool("unshare", &["-m", "true"]) {
        return;
    }
    let place = Place::new();
    let script = "mount -t tmpfs none /proc && exec \"$@\"";
    let output = through(&place, "unshare", &["-m", "sh", "-c", script, "sh"], &RUN);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains(place.path("work").to_str().unwrap()) && stderr.contains("mount /proc"), "{stderr}");
}
