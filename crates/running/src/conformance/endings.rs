//! How an engine behaves during a test: whether it reports its progress, stops when asked to, and leaves nothing behind when it crashes.

use super::{
    Check, CheckReceiver, answers,
    workspace::{CheckWorkspace, CheckedWorker, Stopped},
};
use dbdyno_engine::protocol::Event;
use dbdyno_foundation::base::units;
use std::time::Duration;
use tokio::time::timeout;

/// How long a test may report no progress.
const PROGRESS_PATIENCE: Duration = Duration::from_secs(5);
/// How long a worker may take to stop after it is asked to.
const STOP_PATIENCE: Duration = Duration::from_millis(2500);
/// The number of progress events that show that a test continues.
const TWO: usize = 2;

pub(super) async fn check(workspace: &CheckWorkspace<'_>, tell: CheckReceiver<'_>) {
    match measuring(workspace).await {
        Err(reason) => tell(Check::failed("progress", reason)),
        Ok(mut attempt) => {
            tell(Check::of("progress", progress(&mut attempt).await));
            tell(Check::of("end of stdin", end_of_stdin(attempt).await));
        }
    }
    tell(Check::of("SIGTERM", terminated(workspace).await));
    tell(Check::of("crash", crashed(workspace).await));
}

/// A worker in the middle of a test that does not end by itself.
async fn measuring(workspace: &CheckWorkspace<'_>) -> Result<CheckedWorker, String> {
    let errand = answers::endless(workspace.description()).ok_or("its description has no kind of suite")?;
    let mut attempt = workspace.begin(errand)?;
    match attempt.measuring().await {
        Ok(()) => Ok(attempt),
        Err(stopped) => Err(stopped.to_string()),
    }
}

/// Waits until two progress events show that more operations were done.
async fn progress(attempt: &mut CheckedWorker) -> Result<String, String> {
    let mut seen: Vec<u64> = Vec::new();
    let mut events = 0;
    let rising = async {
        while seen.len() < TWO {
            if let Event::Progress { operations, total, elapsed_ns, .. } = attempt.next().await? {
                events += 1;
                check_progress(operations, total)?;
                if elapsed_ns > 0 && seen.last().is_none_or(|last| operations > *last) {
                    seen.push(operations);
                }
            }
        }
        Ok::<_, Stopped>(())
    };
    match timeout(PROGRESS_PATIENCE, rising).await {
        Ok(Ok(())) => Ok(format!("reported {} and then {} operations during a test", seen[0], seen[1])),
        Ok(Err(stopped)) => Err(stopped.to_string()),
        Err(_) => {
            let what = if events == 0 {
                "no `progress` event".to_owned()
            } else {
                format!("{events} `progress` events without an increase")
            };
            Err(format!("{what} within {} of a test: a slow test looks stuck", units::clock(PROGRESS_PATIENCE)))
        }
    }
}

fn check_progress(operations: u64, total: Option<u64>) -> Result<(), String> {
    match total {
        Some(total) if operations > total => Err(format!("it reported {operations} operations of only {total}")),
        _ => Ok(()),
    }
}

async fn end_of_stdin(attempt: CheckedWorker) -> Result<String, String> {
    let ended = attempt.end().await;
    if !ended.by_itself {
        return Err("it continued after the end of stdin and was killed: it must stop at the end of stdin".to_owned());
    }
    left_nothing(ended.left_folder)
}

async fn terminated(workspace: &CheckWorkspace<'_>) -> Result<String, String> {
    let mut attempt = measuring(workspace).await?;
    attempt.ask_to_stop();
    let gone = async { while attempt.next().await.is_ok() {} };
    let in_time = timeout(STOP_PATIENCE, gone).await.is_ok();
    let left_folder = attempt.has_databases();
    attempt.end().await;
    if !in_time {
        return Err(format!(
            "it continued for {} after SIGTERM and was killed: it must stop on SIGTERM",
            units::clock(STOP_PATIENCE)
        ));
    }
    left_nothing(left_folder)
}

fn left_nothing(left_folder: bool) -> Result<String, String> {
    match left_folder {
        true => Err("it stopped, but left the job's folder: it must remove it".to_owned()),
        false => Ok("it stopped, and removed the job's folder".to_owned()),
    }
}

/// Kills a worker in the middle of a test, and has another worker do a job.
async fn crashed(workspace: &CheckWorkspace<'_>) -> Result<String, String> {
    let mut attempt = measuring(workspace).await?;
    attempt.kill();
    let told = loop {
        match attempt.next().await {
            Ok(_) => {}
            Err(stopped) => break stopped.to_string(),
        }
    };
    let is_gone = attempt.is_gone();
    attempt.end().await;
    if !is_gone {
        return Err(format!("its worker was killed, but its end was not detected: {told}"));
    }
    let errand = answers::first(workspace.description()).ok_or("its description has no kind of suite")?;
    let after = workspace.done(errand).await.map_err(|stopped| format!("the next run failed: {stopped}"))?;
    Ok(format!("its kill is reported as `{told}`; the next run did {}", units::counted(after.len(), "test")))
}
