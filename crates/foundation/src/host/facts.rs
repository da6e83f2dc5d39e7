//! The machine itself.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::virtualisation::VirtualisationEvidence;
use super::{cpu, memory, text};

/// The facts about a machine that stay the same from one session to the next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostFacts {
    /// The name that the user gave the machine, otherwise the host's (`uname -n`). Containers get a new host name each time, unless
    /// configured otherwise.
    pub name: String,
    /// Whether the user gave the name.
    #[serde(default)]
    pub is_named: bool,
    /// The system's identifier (`/etc/machine-id`). It is confidential, and never stored as it is.
    #[serde(skip)]
    pub machine_id: Option<String>,
    /// The CPU's name (`model name` of `/proc/cpuinfo`, or its equivalent on other architectures).
    pub cpu_model: Option<String>,
    /// Logical CPUs that are online (`/sys/devices/system/cpu/online`), whether or not this process may use them.
    pub cores: Option<u32>,
    /// Bytes of memory that the kernel manages (`MemTotal` of `/proc/meminfo`).
    pub memory_bytes: Option<u64>,
    /// The kernel's name and release (`uname -sr`), such as `Linux 6.12.9`.
    pub kernel: String,
    /// The kernel's architecture (`uname -m`), such as `x86_64`.
    pub architecture: String,
    /// The layers between the kernel and the machine, if they are visible: `none`, `kvm`, `firecracker`, `docker`, `wsl`, `vm` for an
    /// unknown hypervisor, `docker on kvm` for both. From the flag `hypervisor` of `/proc/cpuinfo`, `/sys/class/dmi/id`, the clock
    /// sources, `/proc/1/cgroup`, `/proc/self/ns` and the marker files of containers.
    pub virtualisation: Option<String>,
    /// The system's name and version (`PRETTY_NAME` of `/etc/os-release`).
    pub os: Option<String>,
}

/// The name that the user gave this machine.
static GIVEN_NAME: OnceLock<String> = OnceLock::new();

/// Sets the name of this process's machine. It must be called once, before the machine's facts are read.
pub fn name_machine(name: &str) {
    GIVEN_NAME.get_or_init(|| name.to_owned());
}

impl HostFacts {
    pub fn read() -> Self {
        let uname = rustix::system::uname();
        let release = uname.release().to_string_lossy();
        let cpuinfo = text::read("/proc/cpuinfo");
        let meminfo = text::read("/proc/meminfo");
        let os_release = text::read("/etc/os-release").or_else(|| text::read("/usr/lib/os-release"));
        Self {
            name: GIVEN_NAME.get().cloned().unwrap_or_else(|| uname.nodename().to_string_lossy().into_owned()),
            is_named: GIVEN_NAME.get().is_some(),
            machine_id: ["/etc/machine-id", "/var/lib/dbus/machine-id"]
                .into_iter()
                .find_map(|path| machine_id(&text::read(path)?)),
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

    /// Returns 16 hexadecimal digits that identify this machine, the same after a restart or an upgrade of its system.
    ///
    /// The identifier of a machine that the user named depends on that name alone. Any other depends on the system's identifier, CPU,
    /// cores, architecture, virtualisation and installed memory, but not on the host's name.
    pub fn id(&self) -> String {
        match self.is_named {
            true => named_id(&self.name),
            false => short_id(&[self.machine_id.as_deref().unwrap_or("?"), &self.hardware()].join("\n")),
        }
    }

    /// Returns the identifier that versions before 0.3 gave a machine of this name, from the name and the hardware.
    pub fn former_id(&self) -> String {
        format!("{:016x}", fnv1a([&*self.name, &self.hardware()].join("\n").as_bytes()))
    }

    /// Returns both identifiers under which its sessions may be stored.
    pub fn ids(&self) -> [String; 2] {
        [self.id(), self.former_id()]
    }

    /// Returns the facts about the hardware that survive an upgrade of the system, one per line. No fact contains a line break, so two
    /// different lists never give the same text. Memory is the installed size, because the part that the kernel leaves differs slightly
    /// from version to version.
    fn hardware(&self) -> String {
        let unknown = || "?".to_owned();
        [
            self.cpu_model.clone().unwrap_or_else(unknown),
            self.cores.map_or_else(unknown, |cores| cores.to_string()),
            self.memory_bytes.map_or_else(unknown, |bytes| memory::installed_bytes(bytes).to_string()),
            self.architecture.clone(),
            self.virtualisation.clone().unwrap_or_else(unknown),
        ]
        .join("\n")
    }
}

/// Returns the identifier of a machine to which a user gave this name.
pub fn named_id(name: &str) -> String {
    short_id(&format!("named\n{name}"))
}

/// Computes a one-way hash for this program alone, as machine-id(5) requires.
fn short_id(text: &str) -> String {
    let key = blake3::derive_key("dbdyno 2026 identifier of a host", text.as_bytes());
    key[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Parses the system's identifier from its file; `None` if an image has an empty or unfinished one, to be filled at the first start.
fn machine_id(file: &str) -> Option<String> {
    let id = file.trim();
    (id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit())).then(|| id.to_ascii_lowercase())
}

/// Computes FNV-1a with 64 bits. Implemented here because the standard library's hashes may change between versions, and this one is
/// stored.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Parses `PRETTY_NAME` of os-release, whose values are quoted as in a shell.
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
            is_named: false,
            machine_id: Some("0123456789abcdef".repeat(2)),
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
        assert_eq!((upgraded.id(), upgraded.former_id()), (desktop().id(), desktop().former_id()));
        // Stored results are found by these identifiers: a change would separate a machine from its earlier results.
        assert_eq!(desktop().id(), "a01e153c2f140b9f");
        assert_eq!(desktop().former_id(), "969aab4f931142ed");
        assert_eq!(named_id("bench-1"), "45268297106fbd13");
    }

    /// A container gets a new host name each time.
    #[test]
    fn a_host_name_does_not_make_another_machine() {
        let container = |name: &str| HostFacts { name: name.to_owned(), ..desktop() };
        assert_eq!(container("3f2a9c1d0b7e").id(), container("90aa13c2f5d4").id());
        let named = |host: HostFacts| HostFacts { name: "bench-1".to_owned(), is_named: true, ..host };
        let other = HostFacts { machine_id: None, cores: Some(16), ..desktop() };
        assert_eq!(named(desktop()).id(), named(other).id(), "a machine is what its user names it");
        assert_ne!(named(desktop()).id(), desktop().id());
    }

    #[test]
    fn another_machine_has_another_identifier() {
        let others = [
            HostFacts { machine_id: Some("f".repeat(32)), ..desktop() },
            HostFacts { machine_id: None, ..desktop() },
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
    fn identifiers_of_systems() {
        assert_eq!(machine_id("0123456789ABCDEF0123456789abcdef\n"), Some("0123456789abcdef".repeat(2)));
        for none in ["", "\n", "uninitialized\n", "0123"] {
            assert_eq!(machine_id(none), None, "{none}");
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
