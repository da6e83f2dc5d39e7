//! Processes of engines: confining them, ending them together with all processes that they started, and describing how they ended.

mod adopted;
mod cgroup;
mod child;
mod file_holders;
mod heap;
mod mark;
mod memory;
mod stat;
mod words;

pub use adopted::Birth;
pub use cgroup::sweep;
pub use child::FamilyChild;
pub use file_holders::{FileHolder, file_holders, held_by};
pub use heap::share_one_heap;
pub use memory::MemoryControl;
pub use words::in_words;

use crate::base::identifier::identifier;
use cgroup::Cgroup;
use dbdyno_engine::confine::Confinement;
use mark::{Mark, now};
use memory::LimitedGroup;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, kill_process_group, pidfd_open, pidfd_send_signal, waitid,
};
use stat::numbers;
use std::{process::Command, thread, time::Duration};

/// Number of looks for killed processes, and the pause between them: a kill takes a moment.
const LOOKS: usize = 100;
const PAUSE: Duration = Duration::from_millis(2);

/// An engine's process with all processes that it starts: its group, its control group if there can be one, all processes with its mark,
/// and all its descendants.
#[derive(Debug)]
pub struct ProcessFamily {
    name: String,
    /// When it was created: none of its processes is older.
    since: u64,
    cgroup: Option<Cgroup>,
    /// The control group that limits its memory.
    limited: Option<LimitedGroup>,
}

impl ProcessFamily {
    /// Creates a family without a control group, for a process that only answers a request.
    pub fn fresh() -> Self {
        Self { name: identifier(), since: now(), cgroup: None, limited: None }
    }

    /// Creates a family with a control group if possible, for a worker.
    pub fn controlled() -> Self {
        let name = identifier();
        Self { cgroup: Cgroup::create(&name), name, since: now(), limited: None }
    }

    /// Creates a family with a memory limit that includes the page cache of its reads and writes: `limit` bytes.
    ///
    /// # Errors
    /// The system does not accept the limit.
    pub fn limited(control: &MemoryControl, limit: u64) -> Result<Self, String> {
        let mut family = if control.ends_processes() { Self::fresh() } else { Self::controlled() };
        family.limited = Some(control.group(&family.name, limit)?);
        Ok(family)
    }

    /// Returns its memory limit as the system enforces it, bytes; `None` without a limit.
    pub fn memory_limit(&self) -> Option<u64> {
        self.limited.as_ref().map(LimitedGroup::limit)
    }

    /// Returns the memory limit for which the system has killed one of its processes; `None` if it has not.
    pub fn met_limit(&self) -> Option<u64> {
        self.limited.as_ref().filter(|group| group.has_killed()).map(LimitedGroup::limit)
    }

    /// Starts a command as the first process of this family and the leader of a process group, confined.
    ///
    /// # Errors
    /// Why it cannot be confined or started.
    pub fn spawn(&mut self, mut command: Command, confinement: Confinement<'_>) -> Result<FamilyChild, String> {
        command.env(mark::VARIABLE, &self.name);
        if let (Some(group), None) = (&self.cgroup, &self.limited) {
            let mut confined = confinement.prepare(&mut command)?;
            let birth = Birth::begin();
            if let Ok(child) = FamilyChild::born_in(group, &command, &mut confined) {
                birth.end(&self.name, child.process);
                return Ok(child);
            }
        }
        // Older kernels cannot do it, nor can some sandboxes. The program's own error comes again.
        let birth = self.begin(&mut command, confinement)?;
        let child = FamilyChild::spawn(command).map_err(|error| error.to_string())?;
        self.take_in(birth, child.process);
        Ok(child)
    }

    #[cfg(test)]
    fn has_group(&self) -> bool {
        self.cgroup.is_some()
    }

    /// Makes the process that a command starts the first of this family, and confines it. The caller holds the returned value until the
    /// process is [taken in](Self::take_in).
    ///
    /// # Errors
    /// Why it cannot be confined.
    pub fn begin(&self, command: &mut Command, confinement: Confinement<'_>) -> Result<Birth, String> {
        command.env(mark::VARIABLE, &self.name);
        // First, because confinement then restricts writes to its folder.
        if let Some(limited) = &self.limited {
            limited.begin(command);
        }
        confinement.begin(command)?;
        Ok(Birth::begin())
    }

    /// Adds the first process, also to the control group. Processes that it starts from now on cannot leave the group.
    pub fn take_in(&mut self, birth: Birth, first: u32) {
        birth.end(&self.name, first);
        self.cgroup.take_if(|cgroup| !cgroup.take_in(first));
    }

    /// Kills all remaining processes. `first`: the first process if it leads a group, and only while it has not been reaped, because its
    /// number and that of its group may belong to others afterwards. Blocks for some milliseconds.
    pub fn kill(&self, first: Option<u32>) {
        if let Some(cgroup) = &self.cgroup {
            cgroup.kill();
        }
        if let Some(limited) = &self.limited {
            limited.kill();
        }
        if let Some(group) = first.and_then(pid) {
            // A group that has already ended needs no kill.
            let _ = kill_process_group(group, Signal::KILL);
        }
        let mark = Mark::new(&self.name);
        for _ in 0..LOOKS {
            let (below, processes) = adopted::kill_below(&self.name);
            // What is older cannot have the mark, whatever program it becomes. What began meanwhile is younger.
            let young = |process: &u32| processes.get(process).is_none_or(|stat| stat.start >= self.since);
            let seen: Vec<u32> = numbers().filter(|process| young(process) && mark.may_be_on(*process)).collect();
            if seen.is_empty() && !below {
                return;
            }
            for process in seen {
                kill_if(process, || mark.is_on(process));
            }
            thread::sleep(PAUSE);
        }
    }
}

impl Drop for ProcessFamily {
    fn drop(&mut self) {
        adopted::forget(&self.name);
    }
}

/// Waits for the end of a child process without reaping it. Blocks.
pub fn wait_unreaped(process: u32) {
    let Some(pid) = pid(process) else { return };
    // Any other error means that there is nothing to wait for.
    while matches!(
        waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT),
        Err(rustix::io::Errno::INTR)
    ) {}
}

/// Kills a process if it is still the intended one. Its number may belong to another process by now, so this opens a handle to the
/// process first and checks it afterwards.
fn kill_if(process: u32, is_meant: impl FnOnce() -> bool) {
    let Some(Ok(held)) = pid(process).map(|pid| pidfd_open(pid, PidfdFlags::empty())) else { return };
    if is_meant() {
        // A process that has ended meanwhile needs no kill.
        let _ = pidfd_send_signal(held, Signal::KILL);
    }
}

fn pid(process: u32) -> Option<Pid> {
    i32::try_from(process).ok().and_then(Pid::from_raw)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        fs,
        io::{self, BufRead, BufReader},
        os::unix::process::CommandExt,
        process::Stdio,
    };

    /// Starts a shell whose child has left its group and session, and continues with `then`. Returns the family, the shell, and the
    /// number of the child.
    fn with_a_child_that_left(family: ProcessFamily, then: &str) -> (ProcessFamily, std::process::Child, u32) {
        with_a_child(family, "setsid sh -c 'echo $$; eval \"$THEN\"' & wait", then)
    }

    /// Does the same with any script, which writes the child's number.
    fn with_a_child(mut family: ProcessFamily, script: &str, then: &str) -> (ProcessFamily, std::process::Child, u32) {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("read -r go; {script}")]).env("THEN", then);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
        let birth = family.begin(&mut command, Confinement::answering(Duration::from_secs(600))).unwrap();
        let mut first = command.spawn().unwrap();
        family.take_in(birth, first.id());
        io::Write::write_all(&mut first.stdin.take().unwrap(), b"go\n").unwrap();
        let mut line = String::new();
        BufReader::new(first.stdout.take().unwrap()).read_line(&mut line).unwrap();
        (family, first, line.trim().parse().unwrap())
    }

    fn lives(process: u32) -> bool {
        fs::read_to_string(format!("/proc/{process}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
    }

    #[track_caller]
    fn ends(process: u32) {
        // A killed process takes a moment to end.
        let ended = (0..1000).any(|_| {
            thread::sleep(PAUSE);
            !lives(process)
        });
        assert!(ended, "process {process} lives on");
    }

    #[test]
    fn a_child_that_left_its_session_ends_with_its_family() {
        for family in [ProcessFamily::fresh(), ProcessFamily::controlled()] {
            let (family, mut first, child) = with_a_child_that_left(family, "exec sleep 600");
            assert!(lives(child));
            family.kill(Some(first.id()));
            wait_unreaped(first.id());
            first.wait().unwrap();
            ends(child);
        }
    }

    #[test]
    fn a_child_without_its_parent_session_and_environment_ends_with_its_family() {
        let (other, mut others_first, others_child) = with_a_child_that_left(ProcessFamily::fresh(), "exec sleep 600");
        let hidden = "env -i setsid sleep 600 & echo $!";
        for script in [format!("{hidden}; wait"), format!("{hidden}; exit"), format!("({hidden}); exec sleep 600")] {
            let (family, mut first, child) = with_a_child(ProcessFamily::fresh(), &script, "");
            if script.ends_with("exit") {
                wait_unreaped(first.id());
            }
            // An orphan without a mark may already have ended with a family of another test.
            family.kill(Some(first.id()));
            first.wait().unwrap();
            ends(child);
            assert!(lives(others_child) && lives(others_first.id()), "another family is spared");
        }
        other.kill(Some(others_first.id()));
        others_first.wait().unwrap();
        ends(others_child);
    }

    #[test]
    fn what_this_process_starts_itself_is_no_orphan_of_an_engine() {
        let mut own = Command::new("setsid").args(["sleep", "600"]).spawn().unwrap();
        let (family, mut first, _) = with_a_child_that_left(ProcessFamily::fresh(), "exec sleep 600");
        family.kill(Some(first.id()));
        first.wait().unwrap();
        assert!(own.try_wait().unwrap().is_none());
        own.kill().unwrap();
        own.wait().unwrap();
    }

    #[test]
    fn a_child_that_is_always_becoming_another_program_is_not_missed() {
        for _ in 0..20 {
            let (family, mut first, child) = with_a_child_that_left(ProcessFamily::fresh(), r#"exec sh -c "$THEN""#);
            family.kill(Some(first.id()));
            first.wait().unwrap();
            ends(child);
        }
    }

    #[test]
    fn a_control_group_holds_what_has_no_mark() {
        let family = ProcessFamily::controlled();
        if family.cgroup.is_none() {
            dbdyno_engine::say!("not checked: no control group can be made here");
            return;
        }
        let (mut family, mut first, child) = with_a_child_that_left(family, "exec sleep 600");
        family.name = "another".to_owned();
        family.kill(Some(first.id()));
        first.wait().unwrap();
        ends(child);
    }

    #[test]
    fn a_process_that_is_not_meant_is_spared() {
        let mut child = Command::new("sleep").arg("600").spawn().unwrap();
        kill_if(child.id(), || false);
        assert!(child.try_wait().unwrap().is_none());
        kill_if(child.id(), || true);
        child.wait().unwrap();
    }
}
