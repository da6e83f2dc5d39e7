//! The layers between the kernel's view of the machine and the machine.
//!
//! Does what `systemd-detect-virt` does, but only with files that every user may read: the result is part of the host's identifier, which
//! must not depend on the user who measured.

use std::fs;
use std::path::Path;

use super::{cpu, text};

/// The initial namespaces of a machine have these fixed numbers (`include/linux/proc_ns.h`).
const FIRST_PID_NAMESPACE: &str = "pid:[4026531836]";
const FIRST_CGROUP_NAMESPACE: &str = "cgroup:[4026531835]";

/// Everything on which the result depends.
#[derive(Debug, Clone, Default)]
pub(super) struct VirtualisationEvidence {
    /// The flag `hypervisor` of `/proc/cpuinfo`.
    pub(super) hypervisor_flag: Option<bool>,
    /// `uname -r`.
    pub(super) kernel_release: String,
    /// `/proc/cmdline`.
    pub(super) command_line: Option<String>,
    /// `/sys/devices/system/clocksource/clocksource0/available_clocksource`.
    pub(super) clock_sources: Option<String>,
    /// `/sys/hypervisor/type`.
    pub(super) hypervisor_type: Option<String>,
    /// `/sys/class/dmi/id/sys_vendor`.
    pub(super) vendor: Option<String>,
    /// `/sys/class/dmi/id/product_name`.
    pub(super) product: Option<String>,
    /// `/run/systemd/container`, or `/run/host/container-manager`.
    pub(super) container_manager: Option<String>,
    /// There is `/run/.containerenv`.
    pub(super) containerenv: bool,
    /// There is `/.dockerenv`.
    pub(super) dockerenv: bool,
    /// `/proc/1/cgroup`.
    pub(super) cgroup: Option<String>,
    /// Target of the link `/proc/self/ns/pid`.
    pub(super) pid_namespace: Option<String>,
    /// Target of the link `/proc/self/ns/cgroup`.
    pub(super) cgroup_namespace: Option<String>,
}

impl VirtualisationEvidence {
    /// Reads the evidence of this machine.
    pub(super) fn read(cpuinfo: Option<&str>, kernel_release: &str) -> Self {
        let link = |path: &str| Some(fs::read_link(path).ok()?.to_string_lossy().into_owned());
        Self {
            hypervisor_flag: cpuinfo.and_then(cpu::hypervisor_flag),
            kernel_release: kernel_release.to_owned(),
            command_line: text::read("/proc/cmdline"),
            clock_sources: text::read("/sys/devices/system/clocksource/clocksource0/available_clocksource"),
            hypervisor_type: text::read("/sys/hypervisor/type"),
            vendor: text::read("/sys/class/dmi/id/sys_vendor"),
            product: text::read("/sys/class/dmi/id/product_name"),
            container_manager: text::read("/run/systemd/container")
                .or_else(|| text::read("/run/host/container-manager")),
            containerenv: Path::new("/run/.containerenv").exists(),
            dockerenv: Path::new("/.dockerenv").exists(),
            cgroup: text::read("/proc/1/cgroup"),
            pid_namespace: link("/proc/self/ns/pid"),
            cgroup_namespace: link("/proc/self/ns/cgroup"),
        }
    }

    /// Returns one word, or `docker on kvm` for a container in a virtual machine, because both change measurements.
    pub(super) fn word(&self) -> Option<String> {
        match (self.container(), self.machine()) {
            (Some(container), None | Some("none")) => Some(container),
            (Some(container), Some(machine)) => Some(format!("{container} on {machine}")),
            (None, machine) => machine.map(str::to_owned),
        }
    }

    fn container(&self) -> Option<String> {
        if let Some(word) = self.cgroup.as_deref().and_then(container_by_cgroup) {
            return Some(word.to_owned());
        }
        if !self.has_own_namespaces() {
            // Images of virtual machines are made from images of containers, and keep their markers.
            return None;
        }
        match self.container_manager.as_deref() {
            // WSL runs its Linux in a PID namespace, but that is reported as the machine.
            Some("wsl") => None,
            Some(manager) => Some(manager.to_owned()),
            None if self.containerenv => Some("podman".to_owned()),
            None if self.dockerenv => Some("docker".to_owned()),
            None if self.is_wsl() || self.pid_namespace.is_none() => None,
            None => Some("container".to_owned()),
        }
    }

    /// Whether this process is in other namespaces than the machine's first process; true if the kernel does not report it.
    fn has_own_namespaces(&self) -> bool {
        self.pid_namespace.as_deref() != Some(FIRST_PID_NAMESPACE)
            || self.cgroup_namespace.as_deref().is_some_and(|namespace| namespace != FIRST_CGROUP_NAMESPACE)
    }

    fn is_wsl(&self) -> bool {
        self.kernel_release.to_ascii_lowercase().contains("microsoft")
    }

    fn machine(&self) -> Option<&'static str> {
        if self.is_wsl() {
            return Some("wsl");
        }
        if self.hypervisor_type.as_deref() == Some("xen") {
            return Some("xen");
        }
        if self.hypervisor_flag == Some(false) {
            return Some("none");
        }
        self.machine_by_firmware()
            .or_else(|| if self.hypervisor_flag == Some(true) { Some(self.machine_by_clock()) } else { None })
    }

    /// Returns the machine that the firmware's tables name.
    fn machine_by_firmware(&self) -> Option<&'static str> {
        let vendor = self.vendor.as_deref().unwrap_or_default();
        let product = self.product.as_deref().unwrap_or_default();
        if vendor == "Amazon EC2" {
            return Some(if product.contains("metal") { "none" } else { "kvm" });
        }
        if vendor == "Microsoft Corporation" && product == "Virtual Machine" {
            return Some("hyperv");
        }
        let known = [
            ("VMware", "vmware"),
            ("VirtualBox", "virtualbox"),
            ("Parallels", "parallels"),
            ("BHYVE", "bhyve"),
            ("Xen", "xen"),
            ("Apple Virtualization", "apple"),
            ("Cloud Hypervisor", "cloud-hypervisor"),
            ("crosvm", "crosvm"),
            ("KVM", "kvm"),
            ("KubeVirt", "kvm"),
            ("OpenStack", "kvm"),
            ("oVirt", "kvm"),
            ("Google Compute Engine", "kvm"),
            ("DigitalOcean", "kvm"),
            ("Alibaba Cloud", "kvm"),
            ("vServer", "kvm"),
        ];
        if let Some((_, word)) = known.iter().find(|(name, _)| vendor.contains(name) || product.contains(name)) {
            return Some(word);
        }
        // QEMU without KVM emulates every instruction, which is far slower.
        let qemu = vendor == "QEMU" || product.contains("QEMU") || product.starts_with("Bochs");
        qemu.then(|| if self.has_clock("kvm-clock") { "kvm" } else { "qemu" })
    }

    /// Detects a hypervisor by its clock, if the firmware tables are missing or name none.
    fn machine_by_clock(&self) -> &'static str {
        if self.has_clock("kvm-clock") {
            return if self.is_firecracker() { "firecracker" } else { "kvm" };
        }
        if self.has_clock("hyperv") {
            return "hyperv";
        }
        if self.has_clock("xen") { "xen" } else { "vm" }
    }

    fn has_clock(&self, name: &str) -> bool {
        self.clock_sources.as_deref().is_some_and(|sources| sources.contains(name))
    }

    /// Detects Firecracker, which has no DMI tables, and signs only ACPI tables that root alone may read. All users may read the kernel's
    /// command line: Firecracker appends its devices there, from a characteristic address, or users start it with its name.
    fn is_firecracker(&self) -> bool {
        let command_line = self.command_line.as_deref().unwrap_or_default().to_ascii_lowercase();
        self.vendor.is_none()
            && (command_line.contains("firecracker") || command_line.contains("virtio_mmio.device=4k@0xd000"))
    }
}

/// Returns the manager that put the first process into a group of its own (control groups version 1, or no namespace).
fn container_by_cgroup(cgroup: &str) -> Option<&'static str> {
    [
        ("kubepods", "kubernetes"),
        ("docker", "docker"),
        ("libpod", "podman"),
        ("/lxc", "lxc"),
        ("containerd", "containerd"),
    ]
    .into_iter()
    .find(|(mark, _)| cgroup.contains(mark))
    .map(|(_, word)| word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    /// A Linux that boots the machine itself, under systemd.
    fn first_namespaces() -> VirtualisationEvidence {
        VirtualisationEvidence {
            kernel_release: "6.12.9-amd64".to_owned(),
            cgroup: some("0::/init.scope"),
            pid_namespace: some(FIRST_PID_NAMESPACE),
            cgroup_namespace: some(FIRST_CGROUP_NAMESPACE),
            ..VirtualisationEvidence::default()
        }
    }

    fn bare_metal() -> VirtualisationEvidence {
        VirtualisationEvidence {
            hypervisor_flag: Some(false),
            clock_sources: some("tsc hpet acpi_pm"),
            vendor: some("ASUSTeK COMPUTER INC."),
            product: some("PRIME X570-P"),
            ..first_namespaces()
        }
    }

    fn guest(vendor: &str, product: &str, clocks: &str) -> VirtualisationEvidence {
        VirtualisationEvidence {
            hypervisor_flag: Some(true),
            vendor: some(vendor),
            product: some(product),
            clock_sources: some(clocks),
            ..first_namespaces()
        }
    }

    fn in_container(machine: VirtualisationEvidence) -> VirtualisationEvidence {
        VirtualisationEvidence {
            cgroup: some("0::/"),
            pid_namespace: some("pid:[4026532631]"),
            cgroup_namespace: some("cgroup:[4026532632]"),
            ..machine
        }
    }

    #[test]
    fn machines() {
        let cases = [
            (bare_metal(), "none"),
            (guest("QEMU", "Standard PC (Q35 + ICH9, 2009)", "kvm-clock tsc acpi_pm"), "kvm"),
            (guest("QEMU", "Standard PC (Q35 + ICH9, 2009)", "tsc hpet acpi_pm"), "qemu"),
            (guest("Amazon EC2", "m6i.large", "kvm-clock tsc acpi_pm"), "kvm"),
            (guest("Google", "Google Compute Engine", "kvm-clock tsc acpi_pm"), "kvm"),
            (guest("Hetzner", "vServer", "kvm-clock tsc"), "kvm"),
            (guest("innotek GmbH", "VirtualBox", "kvm-clock tsc acpi_pm"), "virtualbox"),
            (guest("VMware, Inc.", "VMware7,1", "tsc hpet acpi_pm"), "vmware"),
            (guest("Microsoft Corporation", "Virtual Machine", "hyperv_clocksource_tsc_page acpi_pm"), "hyperv"),
            (guest("Xen", "HVM domU", "xen tsc hpet acpi_pm"), "xen"),
            (guest("Nobody", "Heard Of", "kvm-clock tsc"), "kvm"),
            (guest("Nobody", "Heard Of", "tsc"), "vm"),
        ];
        for (evidence, word) in cases {
            assert_eq!(evidence.word().as_deref(), Some(word), "{evidence:?}");
        }
    }

    #[test]
    fn a_rented_bare_metal_machine_is_one() {
        let x86 = VirtualisationEvidence { hypervisor_flag: Some(false), ..guest("Amazon EC2", "m5.metal", "tsc") };
        let arm =
            VirtualisationEvidence { hypervisor_flag: None, ..guest("Amazon EC2", "c6g.metal", "arch_sys_counter") };
        assert_eq!(x86.word().as_deref(), Some("none"));
        assert_eq!(arm.word().as_deref(), Some("none"));
    }

    #[test]
    fn arm_without_firmware_names_is_unknown() {
        let board = VirtualisationEvidence { clock_sources: some("arch_sys_counter"), ..first_namespaces() };
        assert_eq!(board.word(), None);
        assert_eq!(VirtualisationEvidence::default().word(), None);
    }

    #[test]
    fn firecracker_with_the_marks_of_the_image_it_was_made_from() {
        let evidence = VirtualisationEvidence {
            hypervisor_flag: Some(true),
            clock_sources: some("tsc kvm-clock"),
            command_line: some("reboot=k panic=1 pci=off nomodule root=/dev/vda rw virtio_mmio.device=4K@0xd0000000:5"),
            cgroup: some("0::/"),
            dockerenv: true,
            ..first_namespaces()
        };
        assert_eq!(evidence.word().as_deref(), Some("firecracker"));
        let other = VirtualisationEvidence { command_line: some("console=ttyS0"), ..evidence };
        assert_eq!(other.word().as_deref(), Some("kvm"));
    }

    #[test]
    fn containers() {
        let docker = VirtualisationEvidence { dockerenv: true, ..in_container(bare_metal()) };
        assert_eq!(docker.word().as_deref(), Some("docker"));

        let podman = VirtualisationEvidence {
            containerenv: true,
            ..in_container(guest("Amazon EC2", "m6i.large", "kvm-clock tsc"))
        };
        assert_eq!(podman.word().as_deref(), Some("podman on kvm"));

        let nspawn = VirtualisationEvidence { container_manager: some("systemd-nspawn"), ..in_container(bare_metal()) };
        assert_eq!(nspawn.word().as_deref(), Some("systemd-nspawn"));

        assert_eq!(in_container(bare_metal()).word().as_deref(), Some("container"));

        let version_1 = VirtualisationEvidence {
            cgroup: some("12:pids:/docker/4f6c\n11:memory:/docker/4f6c\n1:name=systemd:/docker/4f6c"),
            ..bare_metal()
        };
        assert_eq!(version_1.word().as_deref(), Some("docker"), "as with --pid=host");

        let pod = VirtualisationEvidence {
            cgroup: some("11:cpu:/kubepods/burstable/pod1b2c/4f6c"),
            ..in_container(guest("Google", "Google Compute Engine", "kvm-clock"))
        };
        assert_eq!(pod.word().as_deref(), Some("kubernetes on kvm"));
    }

    #[test]
    fn wsl_is_no_container_but_may_have_them() {
        let wsl = VirtualisationEvidence {
            kernel_release: "5.15.167.4-microsoft-standard-WSL2".to_owned(),
            hypervisor_flag: Some(true),
            ..in_container(first_namespaces())
        };
        assert_eq!(wsl.word().as_deref(), Some("wsl"));
        assert_eq!(
            VirtualisationEvidence { container_manager: some("wsl"), ..wsl.clone() }.word().as_deref(),
            Some("wsl")
        );
        assert_eq!(VirtualisationEvidence { dockerenv: true, ..wsl }.word().as_deref(), Some("docker on wsl"));
    }
}
