//! Seccomp: refuses with `EPERM` the system calls that reach other processes or change other people's files, and that Landlock does not
//! cover. The filter sees numbers only, no paths, so it refuses a call wherever the file is.

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen::Dword, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch,
};
use std::{collections::BTreeMap, env::consts::ARCH, io, iter};

/// A condition on an argument of a system call: its index, the comparison, and the value to compare its lower 32 bits with.
type ArgumentCondition = (u8, SeccompCmpOp, u64);

/// A system call that is refused if all conditions hold.
struct RefusedCall {
    call: libc::c_long,
    conditions: &'static [ArgumentCondition],
}

const fn refused(call: libc::c_long, conditions: &'static [ArgumentCondition]) -> RefusedCall {
    RefusedCall { call, conditions }
}

/// Numbers of new system calls, which are the same on every architecture.
mod new {
    pub(super) const FCHMODAT2: libc::c_long = 452;
    pub(super) const SETXATTRAT: libc::c_long = 463;
    pub(super) const REMOVEXATTRAT: libc::c_long = 466;
    pub(super) const FILE_SETATTR: libc::c_long = 469;
}

/// `FS_IOC_SETFLAGS` and `FS_IOC_FSSETXATTR` of the kernel's `include/uapi/linux/fs.h`: attributes as `chattr` sets them.
const SET_FLAGS: u64 = 0x4008_6602;
const SET_XATTR: u64 = 0x401c_5820;
/// From `include/uapi/asm-generic/ioctls.h`. C libraries differ in the types of these numbers.
const TIOCSTI: u64 = 0x5412;
const TIOCLINUX: u64 = 0x541c;

const NOT_ITSELF: &[ArgumentCondition] = &[(0, SeccompCmpOp::Ne, 0)];
/// The kind of a socket without its flags.
const KIND: SeccompCmpOp = SeccompCmpOp::MaskedEq(0xf);
/// `IOPRIO_WHO_PROCESS` of `include/uapi/linux/ioprio.h`.
const ONE_PROCESS: u64 = 1;

const REFUSED: &[RefusedCall] = &[
    // Servers of the user: the screens of dbdyno, the session bus, containers. A pair of stream sockets reaches no other process; a pair
    // of datagram sockets can be reconnected.
    refused(libc::SYS_socket, &[(0, SeccompCmpOp::Eq, libc::AF_UNIX as u64)]),
    refused(libc::SYS_socketpair, &[(1, KIND, libc::SOCK_DGRAM as u64)]),
    refused(libc::SYS_socketpair, &[(1, KIND, libc::SOCK_RAW as u64)]),
    // Does the work of other calls, unseen by this filter.
    refused(libc::SYS_io_uring_setup, &[]),
    // Limits, priorities and processors of other processes.
    refused(libc::SYS_prlimit64, NOT_ITSELF),
    refused(libc::SYS_sched_setaffinity, NOT_ITSELF),
    refused(libc::SYS_sched_setattr, NOT_ITSELF),
    refused(libc::SYS_sched_setparam, NOT_ITSELF),
    refused(libc::SYS_sched_setscheduler, NOT_ITSELF),
    refused(libc::SYS_setpriority, &[(0, SeccompCmpOp::Ne, libc::PRIO_PROCESS as u64)]),
    refused(libc::SYS_setpriority, &[(1, SeccompCmpOp::Ne, 0)]),
    refused(libc::SYS_ioprio_set, &[(0, SeccompCmpOp::Ne, ONE_PROCESS)]),
    refused(libc::SYS_ioprio_set, &[(1, SeccompCmpOp::Ne, 0)]),
    // Modes, owners and attributes: a descriptor opened for reading is enough to change them.
    #[cfg(target_arch = "x86_64")]
    refused(libc::SYS_chmod, &[]),
    refused(libc::SYS_fchmod, &[]),
    refused(libc::SYS_fchmodat, &[]),
    refused(new::FCHMODAT2, &[]),
    #[cfg(target_arch = "x86_64")]
    refused(libc::SYS_chown, &[]),
    #[cfg(target_arch = "x86_64")]
    refused(libc::SYS_lchown, &[]),
    refused(libc::SYS_fchown, &[]),
    refused(libc::SYS_fchownat, &[]),
    refused(libc::SYS_setxattr, &[]),
    refused(libc::SYS_lsetxattr, &[]),
    refused(libc::SYS_fsetxattr, &[]),
    refused(new::SETXATTRAT, &[]),
    refused(libc::SYS_removexattr, &[]),
    refused(libc::SYS_lremovexattr, &[]),
    refused(libc::SYS_fremovexattr, &[]),
    refused(new::REMOVEXATTRAT, &[]),
    refused(new::FILE_SETATTR, &[]),
    refused(libc::SYS_ioctl, &[(1, SeccompCmpOp::Eq, SET_FLAGS)]),
    refused(libc::SYS_ioctl, &[(1, SeccompCmpOp::Eq, SET_XATTR)]),
    // Input into the terminal, for kernels whose Landlock does not cover ioctl yet.
    refused(libc::SYS_ioctl, &[(1, SeccompCmpOp::Eq, TIOCSTI)]),
    refused(libc::SYS_ioctl, &[(1, SeccompCmpOp::Eq, TIOCLINUX)]),
];

/// Whether the running kernel filters system calls, and the filter supports its architecture.
pub fn filters_calls() -> bool {
    let action = libc::SECCOMP_RET_ERRNO;
    #[expect(unsafe_code, reason = "seccomp has no safe wrapper that only asks")]
    // SAFETY: the call reads one number, which is there until it returns.
    let answer = unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_GET_ACTION_AVAIL, 0_u32, &raw const action) };
    answer == 0 && TargetArch::try_from(ARCH).is_ok()
}

/// The system calls that a process may make, prepared before the process starts.
#[derive(Debug)]
pub(super) struct CallFilter(Vec<libc::sock_filter>);

impl CallFilter {
    /// Creates the filter. `None` if the kernel filters no calls.
    ///
    /// # Errors
    /// The filter cannot be built.
    pub(super) fn new() -> Result<Option<Self>, String> {
        if !filters_calls() {
            return Ok(None);
        }
        let program = program().map_err(|error| format!("its system calls cannot be filtered: {error}"))?;
        let own = program.iter().map(|one| libc::sock_filter { code: one.code, jt: one.jt, jf: one.jf, k: one.k });
        Ok(Some(Self(other_numbers_refused().into_iter().chain(own).collect())))
    }

    /// Applies the filter to the calling thread from now on, and to all programs that it executes or starts. For a process between fork
    /// and exec.
    #[expect(
        unsafe_code,
        reason = "the crate's own call slows the processor's speculation down on kernels before 5.16"
    )]
    pub(super) fn enforce(&self) -> io::Result<()> {
        let len = self.0.len() as libc::c_ushort;
        let program = libc::sock_fprog { len, filter: self.0.as_ptr().cast_mut() };
        let set = |flags: libc::c_ulong| {
            // SAFETY: the program is there until the call returns, and is only read.
            unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, flags, &raw const program) }
        };
        // Kernels before 4.17 do not know the flag.
        match set(libc::SECCOMP_FILTER_FLAG_SPEC_ALLOW) == 0 || set(0) == 0 {
            true => Ok(()),
            false => Err(io::Error::last_os_error()),
        }
    }
}

fn program() -> Result<BpfProgram, seccompiler::BackendError> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    for RefusedCall { call, conditions } in REFUSED {
        let of_call = rules.entry(*call).or_default();
        if !conditions.is_empty() {
            let conditions = conditions
                .iter()
                .map(|(at, operator, value)| SeccompCondition::new(*at, Dword, operator.clone(), *value));
            of_call.push(SeccompRule::new(conditions.collect::<Result<_, _>>()?)?);
        }
    }
    let refusal = SeccompAction::Errno(libc::EPERM as u32);
    SeccompFilter::new(rules, SeccompAction::Allow, refusal, ARCH.try_into()?)?.try_into()
}

/// Returns instructions that run before the filter's. They answer that x32 calls do not exist: x32 has the calls of x86_64 under other
/// numbers.
fn other_numbers_refused() -> Vec<libc::sock_filter> {
    const X32: u32 = 0x4000_0000;
    let instruction = |code: u32, (jt, jf), k| libc::sock_filter { code: code as u16, jt, jf, k };
    let number = instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, (0, 0), 0);
    let is_x32 = instruction(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, (0, 1), X32);
    let not_there = instruction(libc::BPF_RET | libc::BPF_K, (0, 0), libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32);
    iter::once([number, is_x32, not_there]).filter(|_| ARCH == "x86_64").flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, os::unix::process::CommandExt, process::Command};

    /// The data that the kernel checks: the call's number and its arguments, and the processor, as in `seccomp_data`.
    #[derive(Clone, Copy)]
    struct Call {
        number: u32,
        arch: u32,
        arguments: [u64; 6],
    }

    /// From `include/uapi/linux/audit.h`.
    const AUDIT_ARCH: u32 = if cfg!(target_arch = "x86_64") { 0xc000_003e } else { 0xc000_00b7 };

    impl Call {
        fn new(number: libc::c_long, arguments: [u64; 2]) -> Self {
            let [first, second] = arguments;
            Self { number: number as u32, arch: AUDIT_ARCH, arguments: [first, second, 0, 0, 0, 0] }
        }

        /// Returns the word at an offset of `struct seccomp_data`, on a little-endian machine.
        fn word(self, offset: u32) -> u32 {
            match offset {
                0 => self.number,
                4 => self.arch,
                16.. => {
                    let argument = self.arguments[(offset as usize - 16) / 8];
                    if offset.is_multiple_of(8) { argument as u32 } else { (argument >> 32) as u32 }
                }
                _ => panic!("no filter looks at offset {offset}"),
            }
        }
    }

    /// Runs a filter and returns its answer: the machine of `Documentation/networking/filter.rst`, as far as seccomp has it.
    fn answer(filter: &[libc::sock_filter], call: Call) -> u32 {
        const LOAD: u32 = libc::BPF_LD | libc::BPF_W | libc::BPF_ABS;
        const AND: u32 = libc::BPF_ALU | libc::BPF_AND | libc::BPF_K;
        const RETURN: u32 = libc::BPF_RET | libc::BPF_K;
        let (mut at, mut accumulator) = (0, 0);
        loop {
            let instruction = filter[at];
            at += 1;
            let value = instruction.k;
            let jump = |taken: bool| usize::from(if taken { instruction.jt } else { instruction.jf });
            match u32::from(instruction.code) {
                LOAD => accumulator = call.word(value),
                AND => accumulator &= value,
                RETURN => return value,
                code if code & 0x07 == libc::BPF_JMP => {
                    at += match code & 0xf0 {
                        libc::BPF_JA => value as usize,
                        libc::BPF_JEQ => jump(accumulator == value),
                        libc::BPF_JGT => jump(accumulator > value),
                        libc::BPF_JGE => jump(accumulator >= value),
                        libc::BPF_JSET => jump(accumulator & value != 0),
                        other => panic!("jump {other:#x}"),
                    };
                }
                other => panic!("instruction {other:#x}"),
            }
        }
    }

    fn filter() -> Option<Vec<libc::sock_filter>> {
        let filter = CallFilter::new().unwrap().map(|filter| filter.0);
        if filter.is_none() {
            crate::say!("not checked: the kernel filters no system calls");
        }
        filter
    }

    const REFUSAL: u32 = libc::SECCOMP_RET_ERRNO | libc::EPERM as u32;

    #[test]
    fn calls_are_refused_by_number_and_argument_and_no_others() {
        let Some(filter) = filter() else { return };
        let own = [0, 0];
        let stranger = 4711;
        for (call, arguments) in [
            (libc::SYS_socket, [libc::AF_UNIX as u64, libc::SOCK_STREAM as u64]),
            (libc::SYS_socketpair, [libc::AF_UNIX as u64, (libc::SOCK_DGRAM | libc::SOCK_CLOEXEC) as u64]),
            (libc::SYS_prlimit64, [stranger, 0]),
            (libc::SYS_setpriority, [libc::PRIO_PROCESS as u64, stranger]),
            (libc::SYS_setpriority, [libc::PRIO_USER as u64, 0]),
            (libc::SYS_fchmod, own),
            (libc::SYS_fsetxattr, own),
            (new::FCHMODAT2, own),
            (libc::SYS_io_uring_setup, own),
            (libc::SYS_ioctl, [0, TIOCSTI]),
        ] {
            assert_eq!(answer(&filter, Call::new(call, arguments)), REFUSAL, "call {call} with {arguments:?}");
        }
        for (call, arguments) in [
            (libc::SYS_socket, [libc::AF_INET as u64, libc::SOCK_STREAM as u64]),
            (libc::SYS_socketpair, [libc::AF_UNIX as u64, libc::SOCK_STREAM as u64]),
            (libc::SYS_prlimit64, own),
            (libc::SYS_setpriority, [libc::PRIO_PROCESS as u64, 0]),
            (libc::SYS_write, [1, 2]),
            (libc::SYS_ioctl, [0, 0x5401]),
            (libc::SYS_getpid, own),
        ] {
            assert_eq!(
                answer(&filter, Call::new(call, arguments)),
                libc::SECCOMP_RET_ALLOW,
                "call {call} with {arguments:?}"
            );
        }
    }

    /// x32 numbers are x86_64 numbers with one bit set, so a filter that checks numbers alone lets them pass.
    #[test]
    fn calls_of_x32_are_not_there() {
        if ARCH != "x86_64" {
            crate::say!("not checked: the processor has no x32");
            return;
        }
        let Some(filter) = filter() else { return };
        let not_there = libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32;
        for number in [0x4000_0000, 0x4000_0000 | libc::SYS_fchmod, 0x4000_0000 | libc::SYS_getpid] {
            assert_eq!(answer(&filter, Call::new(number, [0, 0])), not_there, "{number:#x}");
        }
        assert_eq!(answer(&filter, Call::new(0x3fff_ffff, [0, 0])), libc::SECCOMP_RET_ALLOW);
    }

    #[test]
    fn a_process_of_another_processor_is_not_let_through() {
        let Some(filter) = filter() else { return };
        let other = Call { arch: AUDIT_ARCH ^ 1, ..Call::new(libc::SYS_getpid, [0, 0]) };
        assert_ne!(answer(&filter, other), libc::SECCOMP_RET_ALLOW);
    }

    /// Compares with the kernel's own list of the actions that it supports.
    #[test]
    fn that_calls_are_filtered_is_what_the_kernel_says() {
        let actions = fs::read_to_string("/proc/sys/kernel/seccomp/actions_avail").unwrap_or_default();
        let can = actions.split_whitespace().any(|action| action == "errno");
        assert_eq!(filters_calls(), can && ["x86_64", "aarch64", "riscv64"].contains(&ARCH));
    }

    #[test]
    fn the_kernel_holds_a_process_to_the_filter() {
        let Some(filter) = CallFilter::new().unwrap() else { return };
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        let mut command = Command::new("chmod");
        command.arg("700").arg(&file).stderr(std::process::Stdio::null());
        assert!(command.status().unwrap().success());
        let enforce = move || {
            rustix::thread::set_no_new_privs(true)?;
            filter.enforce()
        };
        #[expect(unsafe_code, reason = "what a process does between fork and exec is unsafe to give")]
        // SAFETY: system calls alone.
        unsafe {
            command.pre_exec(enforce)
        };
        assert!(!command.status().unwrap().success());
    }

    #[test]
    fn a_filter_that_the_kernel_does_not_take_is_an_error() {
        let mut command = Command::new("true");
        #[expect(unsafe_code, reason = "what a process does between fork and exec is unsafe to give")]
        // SAFETY: system calls alone.
        unsafe {
            command.pre_exec(|| {
                rustix::thread::set_no_new_privs(true)?;
                CallFilter(Vec::new()).enforce()
            })
        };
        assert!(command.status().is_err());
    }
}
