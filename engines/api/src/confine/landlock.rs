//! Landlock: the kernel allows a process, and all that it starts, to write below one folder only. Reading is not restricted.

use ::landlock::{
    ABI, Access, AccessFs, BitFlags, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreatedAttr, Scope,
};
use std::{
    ffi::CStr,
    io,
    os::fd::{AsRawFd, FromRawFd, OwnedFd},
    path::Path,
    ptr,
};

/// The first version that allows renaming into another folder, as engines do: Linux 5.19.
const OLDEST: u32 = 2;
/// The first version that covers truncation: Linux 6.2.
const TRUNCATES: u32 = 3;
/// The file that every program may write to.
const NOWHERE: &str = "/dev/null";
/// The file through which a process resets its memory peak: a test's peak is measured with it.
const OWN_PEAK: &CStr = c"/proc/self/clear_refs";

/// Returns the version that the running kernel enforces. `None` if it has none, or one that engines could not work under.
pub fn version() -> Option<u32> {
    /// LANDLOCK_CREATE_RULESET_VERSION of the kernel's `include/uapi/linux/landlock.h`: queries the version, and creates nothing.
    const ASK: libc::c_uint = 1;
    #[expect(unsafe_code, reason = "the crate tells nobody which version it found")]
    // SAFETY: with this flag and no attributes the call only returns a number.
    let version = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, ptr::null::<()>(), 0_usize, ASK) };
    u32::try_from(version).ok().filter(|version| *version >= OLDEST)
}

/// The places that a process may write to, prepared before the process starts.
#[derive(Debug)]
pub(super) struct WriteRules {
    ruleset: OwnedFd,
    /// The access rights to [`OWN_PEAK`], in the kernel's bits.
    own_peak: u64,
}

impl WriteRules {
    /// Creates rules that allow files to be written, created and removed below a folder, or nowhere without one. `None` if the kernel has
    /// no Landlock.
    ///
    /// # Errors
    /// The kernel has Landlock, but rejects the rules.
    pub(super) fn new(folder: Option<&Path>) -> Result<Option<Self>, String> {
        let Some(version) = version() else { return Ok(None) };
        let ruleset = ruleset(folder).map_err(|error| format!("it cannot be confined to its folder: {error}"))?;
        let mut own_peak: BitFlags<AccessFs> = AccessFs::WriteFile.into();
        if version >= TRUNCATES {
            own_peak |= AccessFs::Truncate;
        }
        Ok(ruleset.map(|ruleset| Self { ruleset, own_peak: own_peak.bits() }))
    }

    /// Applies the rules to the calling thread from now on, and to all programs that it executes or starts. For a process between fork
    /// and exec, so it only makes system calls.
    #[expect(unsafe_code, reason = "the crate's own call may allocate, which a process between fork and exec must not")]
    pub(super) fn enforce(&self) -> io::Result<()> {
        self.allow_own_peak();
        // SAFETY: the descriptor is a ruleset's, and the call takes nothing else.
        match unsafe { libc::syscall(libc::SYS_landlock_restrict_self, self.ruleset.as_raw_fd(), 0_u32) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Adds the rule for a file that differs in each process, so that only the process itself can add it. Without the rule, a test's
    /// memory peak is the peak of its whole run: an upper bound, and no reason to fail.
    #[expect(unsafe_code, reason = "the crate's own call may allocate, which a process between fork and exec must not")]
    fn allow_own_peak(&self) {
        /// `struct landlock_path_beneath_attr` of the kernel's `include/uapi/linux/landlock.h`.
        #[repr(C, packed)]
        struct PathRule {
            access: u64,
            file: libc::c_int,
        }
        /// LANDLOCK_RULE_PATH_BENEATH of the same file.
        const PATH_BENEATH: libc::c_uint = 1;
        // SAFETY: the path ends with a zero; a descriptor that is returned has no other owner.
        let file = unsafe {
            match libc::open(OWN_PEAK.as_ptr(), libc::O_PATH | libc::O_CLOEXEC) {
                file @ 0.. => OwnedFd::from_raw_fd(file),
                _ => return,
            }
        };
        let rule = PathRule { access: self.own_peak, file: file.as_raw_fd() };
        // SAFETY: the rule is there until the call returns, and has the kernel's layout.
        unsafe {
            libc::syscall(libc::SYS_landlock_add_rule, self.ruleset.as_raw_fd(), PATH_BENEATH, &raw const rule, 0_u32)
        };
    }
}

fn ruleset(folder: Option<&Path>) -> Result<Option<OwnedFd>, Box<dyn std::error::Error>> {
    let written = AccessFs::from_write(ABI::V5);
    // A device node would be a way around the folder.
    let devices = AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::IoctlDev;
    let mut rules = Ruleset::default().handle_access(written)?.scope(Scope::from_all(ABI::V6))?.create()?;
    rules = rules.add_rule(PathBeneath::new(PathFd::new(NOWHERE)?, AccessFs::WriteFile))?;
    if let Some(folder) = folder {
        rules = rules.add_rule(PathBeneath::new(PathFd::new(folder)?, written & !devices))?;
    }
    Ok(rules.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::landlock::{CompatLevel, Compatible};

    /// Compares with rulesets that must be applied exactly. Renaming into other folders is the feature of the oldest supported version.
    #[test]
    fn the_version_is_the_kernels() {
        let takes = |access: BitFlags<AccessFs>| {
            Ruleset::default()
                .set_compatibility(CompatLevel::HardRequirement)
                .handle_access(access)
                .and_then(|rules| rules.create())
                .is_ok()
        };
        assert_eq!(version().is_some(), takes(AccessFs::Refer.into()));
        assert_eq!(version().is_some_and(|version| version >= TRUNCATES), takes(AccessFs::Truncate.into()));
        let Ok(Some(rules)) = WriteRules::new(None) else {
            return crate::say!("not checked: the kernel has no Landlock");
        };
        let bits = |access: BitFlags<AccessFs>| access.bits();
        let expected = if takes(AccessFs::Truncate.into()) {
            bits(AccessFs::WriteFile | AccessFs::Truncate)
        } else {
            bits(AccessFs::WriteFile.into())
        };
        assert_eq!(rules.own_peak, expected);
    }
}
