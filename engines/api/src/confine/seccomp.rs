//! Seccomp: system calls that reach other processes or change other people's files, and that Landlock does not know, are refused with
//! `EPERM`. The filter sees numbers only, no paths, so it refuses a call wherever the file is.

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen::Dword, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch,
};
use std::{collections::BTreeMap, env::consts::ARCH, io, iter};

/// A condition on an argument of a system call: its index, and what its lower 32 bits are compared with.
type Condition = (u8, SeccompCmpOp, u64);

/// A system call that is refused where all conditions hold.
struct Refused {
    call: libc::c_long,
    conditions: &'static [Condition],
}

const fn refused(call: libc::c_long, conditions: &'static [Condition]) -> Refused {
    Refused { call, conditions }
}

/// Numbers that are new, and the same on every architecture.
mod new {
    pub(super) const FCHMODAT2: libc::c_long = 452;
    pub(super) const SETXATTRAT: libc::c_long = 463;
    pub(super) const REMOVEXATTRAT: libc::c_long = 466;
    pub(super) const FILE_SETATTR: libc::c_long = 469;
}

/// `FS_IOC_SETFLAGS` and `FS_IOC_FSSETXATTR` of the kernel's `include/uapi/linux/fs.h`: attributes as `chattr` sets them.
const SET_FLAGS: u64 = 0x4008_6602;
const SET_XATTR: u64 = 0x401c_5820;
/// Of `include/uapi/asm-generic/ioctls.h`. C libraries differ in the types of these numbers.
const TIOCSTI: u64 = 0x5412;
const TIOCLINUX: u64 = 0x541c;

const NOT_ITSELF: &[Condition] = &[(0, SeccompCmpOp::Ne, 0)];
/// The kind of a socket without its flags.
const KIND: SeccompCmpOp = SeccompCmpOp::MaskedEq(0xf);
/// `IOPRIO_WHO_PROCESS` of `include/uapi/linux/ioprio.h`.
const ONE_PROCESS: u64 = 1;

const REFUSED: &[Refused] = &[
    // Servers of the user: the screens of dbdyno, the session's bus, containers. A pair of streams reaches nobody else; one of
    // datagrams can be connected again.
    refused(libc::SYS_socket, &[(0, SeccompCmpOp::Eq, libc::AF_UNIX as u64)]),
    refused(libc::SYS_socketpair, &[(1, KIND, libc::SOCK_DGRAM as u64)]),
    refused(libc::SYS_socketpair, &[(1, KIND, libc::SOCK_RAW as u64)]),
    // Does what other calls do, unseen by this filter.
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
    // Modes, owners and attributes, which need no more than a descriptor to read.
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
    // Typing into the terminal, where Landlock does not know of ioctl yet.
    refused(libc::SYS_ioctl, &[(1, SeccompCmpOp::Eq, TIOCSTI)]),
    refused(libc::SYS_ioctl, &[(1, SeccompCmpOp::Eq, TIOCLINUX)]),
];

/// Whether the running kernel filters system calls, and the filter is known for its architecture.
pub fn filters_calls() -> bool {
    let action = libc::SECCOMP_RET_ERRNO;
    #[expect(unsafe_code, reason = "seccomp has no safe wrapper that only asks")]
    // SAFETY: the call reads one number, which is there until it returns.
    let answer = unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_GET_ACTION_AVAIL, 0_u32, &raw const action) };
    answer == 0 && TargetArch::try_from(ARCH).is_ok()
}

/// What a process may ask the kernel for, made before it is started.
#[derive(Debug)]
pub(super) struct CallFilter(Vec<libc::sock_filter>);

impl CallFilter {
    /// None where the kernel filters no calls.
    ///
    /// # Errors
    /// The filter cannot be made.
    pub(super) fn new() -> Result<Option<Self>, String> {
        if !filters_calls() {
            return Ok(None);
        }
        let program = program().map_err(|error| format!("its system calls cannot be filtered: {error}"))?;
        let own = program.iter().map(|one| libc::sock_filter { code: one.code, jt: one.jt, jf: one.jf, k: one.k });
        Ok(Some(Self(other_numbers_refused().into_iter().chain(own).collect())))
    }

    /// Has the kernel hold the calling thread to it from now on, and whatever it becomes or starts. For a process between fork and exec.
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
        // Kernels before 4.17 know no flag for it.
        match set(libc::SECCOMP_FILTER_FLAG_SPEC_ALLOW) == 0 || set(0) == 0 {
            true => Ok(()),
            false => Err(io::Error::last_os_error()),
        }
    }
}

fn program() -> Result<BpfProgram, seccompiler::BackendError> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    for Refused { call, conditions } in REFUSED {
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

/// Instructions before the filter's: the calls of x32, which are those of x86_64 by other numbers, are not there.
fn other_numbers_refused() -> Vec<libc::sock_filter> {
    const X32: u32 = 0x4000_0000;
    let instruction = |code: u32, (jt, jf), k| libc::sock_filter { code: code as u16, jt, jf, k };
    let number = instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, (0, 0), 0);
    let is_x32 = instruction(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, (0, 1), X32);
    let not_there = instruction(libc::BPF_RET | libc::BPF_K, (0, 0), libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32);
    iter::once([number, is_x32, not_there]).filter(|_| ARCH == "x86_64").flatten().collect()
}
