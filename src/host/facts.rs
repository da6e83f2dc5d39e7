//! The machine itself.

use serde::{Deserialize, Serialize};

use super::virtualisation::VirtualisationEvidence;
use super::{cpu, memory, text};

/// What a machine is: the part of a result's circumstances that stays the same from one session to the next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostFacts {
    /// The host's name (`uname -n`). Containers are given a new one each time, unless asked otherwise.
    pub name: String,
    /// The CPU's name (`model name` of `/proc/cpuinfo`, or its equal on other architectures).
    pub cpu_model: Option<String>,
    /// Logical CPUs that are online (`/sys/devices/system/cpu/online`), whatever this process may use of them.
    pub cores: Option<u32>,
    /// Bytes of memory that the kernel has to give (`MemTotal` of `/proc/meminfo`).
    pub memory_bytes: Option<u64>,
    /// The kernel's name and release (`uname -sr`), such as `Linux 6.12.9`.
    pub kernel: String,
    /// The kernel's architecture (`uname -m`), such as `x86_64`.
    pub architecture: String,
    /// What is between the kernel and the machine, as far as it shows: `none`, `kvm`, `firecracker`, `docker`, `wsl`,
    /// `vm` for a hypervisor without a name, `docker on kvm` for both at once. From the flag `hypervisor` of
    /// `/proc/cpuinfo`, `/sys/class/dmi/id`, the clock sources, `/proc/1/cgroup`, `/proc/self/ns` and the files that
    /// containers are marked with.
    pub virtualisation: Option<String>,
    /// The system's name and version (`PRETTY_NAME` of `/etc/os-release`).
    pub os: Option<String>,
}

impl HostFacts {
    pub fn read() -> Self {
        let uname = rustix::system::uname();
        let release = uname.release().to_string_lossy();
        let cpuinfo = text::read("/proc/cpuinfo");
        let meminfo = text::read("/proc/meminfo");
        let os_release = text::read("/etc/os-release").or_else(|| text::read("/usr/lib/os-release"));
        Self {
            name: uname.nodename().to_string_lossy().into_owned(),
            cpu_model: cpuinfo.as_deref().and_then(cpu::model),
            cores: text::read("/sys/devices/system/cpu/online")
                .and_then(|list| cpu::count_list(&list))
                .or_else(|| cpu::count_processors(cpuinfo.as_deref()?)),
            memory_bytes: meminfo.and_then(|meminfo| memory::bytes(&meminfo, "MemTotal")),
            kernel: format!("{} {release}", uname.sysname().to_string_lossy()),
            architecture: uname.machine().to_string_lossy().into_owned(),
            virtualisation: VirtualisationEvidence::read(cpuinfo.as_deref(), &release).word(),
            os: os_release.and_then(|os_release| pretty_name(&os_release)),
        }
    }

    /// 16 hexadecimal digits that name this machine, the same after a restart or an upgrade of its system.
    ///
    /// From the name, the CPU, the cores, the architecture, the virtualisation and the memory as it was bought: what
    /// the kernel leaves of that differs a little from one version to the next.
    pub fn id(&self) -> String {
        let unknown = || "?".to_owned();
        let facts = [
            self.name.clone(),
            self.cpu_model.clone().unwrap_or_else(unknown),
            self.cores.map_or_else(unknown, |cores| cores.to_string()),
            self.memory_bytes.map_or_else(unknown, |bytes| memory::installed_bytes(bytes).to_string()),
            self.architecture.clone(),
            self.virtualisation.clone().unwrap_or_else(unknown),
        ];
        // A line break parts them: none of them has one, so no two lists of facts make one text.
        format!("{:016x}", fnv1a(facts.join("\n").as_bytes()))
    }
}

/// FNV-1a, 64 bits. Written here because the standard library's hashes may change with its version, and this one is
/// stored.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// `PRETTY_NAME` of os-release, whose values are quoted as in a shell.
fn pretty_name(os_release: &str) -> Option<String> {
    let value = os_release.lines().find_map(|line| line.trim().strip_prefix("PRETTY_NAME="))?.trim();
    let unquoted =
        ['"', '\''].into_iter().find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote)).unwrap_or(value);
    text::tidy(&unquoted.replace('\\', ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn desktop() -> HostFacts {
        HostFacts {
            name: "desk".to_owned(),
            cpu_model: Some("AMD Ryzen 9 5950X 16-Core Processor".to_owned()),
            cores: Some(32),
            memory_bytes: Some(65_758_884 * 1024),
            kernel: "Linux 6.12.9-amd64".to_owned(),
            architecture: "x86_64".to_owned(),
            virtualisation: Some("none".to_owned()),
            os: Some("Debian GNU/Linux 13 (trixie)".to_owned()),
        }
    }

    #[test]
    fn the_identifier_survives_an_upgrade() {
        let upgraded = HostFacts {
            kernel: "Linux 6.18.1-amd64".to_owned(),
            os: Some("Debian GNU/Linux 14 (forky)".to_owned()),
            memory_bytes: Some(65_601_172 * 1024),
            ..desktop()
        };
        assert_eq!(upgraded.id(), desktop().id());
        // Stored results are found by it: a change of this figure parts a machine from its past.
        assert_eq!(desktop().id(), "969aab4f931142ed");
    }

    #[test]
    fn another_machine_has_another_identifier() {
        let others = [
            HostFacts { name: "desk2".to_owned(), ..desktop() },
            HostFacts { cpu_model: None, ..desktop() },
            HostFacts { cores: Some(16), ..desktop() },
            HostFacts { memory_bytes: Some(32_768_000 * 1024), ..desktop() },
            HostFacts { virtualisation: Some("docker".to_owned()), ..desktop() },
        ];
        for other in others {
            assert_ne!(other.id(), desktop().id(), "{other:?}");
        }
    }

    #[test]
    fn published_values_of_fnv1a() {
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a(b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn names_of_systems() {
        let debian = "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nNAME=\"Debian GNU/Linux\"\nID=debian\n";
        assert_eq!(pretty_name(debian).as_deref(), Some("Debian GNU/Linux 12 (bookworm)"));
        assert_eq!(pretty_name("NAME=Void\nPRETTY_NAME='Void Linux'\n").as_deref(), Some("Void Linux"));
        assert_eq!(pretty_name("PRETTY_NAME=Alpine\n").as_deref(), Some("Alpine"));
        assert_eq!(pretty_name("PRETTY_NAME=\"Joe\\'s Linux\"\n").as_deref(), Some("Joe's Linux"));
        assert_eq!(pretty_name("PRETTY_NAME=\"\"\nID=x\n"), None);
        assert_eq!(pretty_name("ID=x\n"), None);
    }

    #[test]
    fn this_machine_has_a_name_and_a_kernel() {
        let facts = HostFacts::read();
        assert!(!facts.kernel.trim().is_empty());
        assert_eq!(facts.id().len(), 16);
        assert_eq!(facts.id(), HostFacts::read().id());
    }
}
