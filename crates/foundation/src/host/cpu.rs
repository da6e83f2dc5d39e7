//! `/proc/cpuinfo` and the lists of CPUs in `/sys/devices/system/cpu`.

use super::text::field;

/// Returns the CPU's name as its maker wrote it. The ARM kernel gives numbers only: then returns their meaning.
pub(super) fn model(cpuinfo: &str) -> Option<String> {
    // x86, LoongArch and MIPS; POWER; RISC-V.
    ["model name", "Model Name", "cpu model", "cpu", "uarch"]
        .into_iter()
        .find_map(|key| field(cpuinfo, key))
        // Some BIOSes pad the middle of the name.
        .map(|name| name.split_whitespace().collect::<Vec<_>>().join(" "))
        .or_else(|| arm(cpuinfo))
}

/// Returns the name of an ARM core by implementer and part number, for the common cores of servers and small boards.
fn arm(cpuinfo: &str) -> Option<String> {
    let implementer = field(cpuinfo, "CPU implementer")?;
    let part = field(cpuinfo, "CPU part")?;
    let known = match (implementer, part) {
        ("0x41", "0xd03") => "ARM Cortex-A53",
        ("0x41", "0xd08") => "ARM Cortex-A72",
        ("0x41", "0xd0b") => "ARM Cortex-A76",
        ("0x41", "0xd0c") => "ARM Neoverse-N1",
        ("0x41", "0xd40") => "ARM Neoverse-V1",
        ("0x41", "0xd49") => "ARM Neoverse-N2",
        ("0x41", "0xd4f") => "ARM Neoverse-V2",
        ("0xc0", "0xac3") => "Ampere-1",
        _ => return Some(format!("ARM implementer {implementer} part {part}")),
    };
    Some(known.to_owned())
}

/// Whether the CPU reports a hypervisor. `None` on architectures other than x86, which do not report it.
pub(super) fn hypervisor_flag(cpuinfo: &str) -> Option<bool> {
    let flags = field(cpuinfo, "flags")?;
    Some(flags.split_whitespace().any(|flag| flag == "hypervisor"))
}

/// Counts the CPUs in a list such as `0-3,8`.
pub(super) fn count_list(list: &str) -> Option<u32> {
    list.trim().split(',').try_fold(0_u32, |count, range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last) = (first.parse::<u32>().ok()?, last.parse::<u32>().ok()?);
        count.checked_add(last.checked_sub(first)?.checked_add(1)?)
    })
}

/// Counts the CPUs in `/proc/cpuinfo`, for systems without `/sys`.
pub(super) fn count_processors(cpuinfo: &str) -> Option<u32> {
    let is_processor = |line: &&str| {
        line.split_once(':')
            .is_some_and(|(key, number)| key.trim() == "processor" && number.trim().parse::<u32>().is_ok())
    };
    u32::try_from(cpuinfo.lines().filter(is_processor).count()).ok().filter(|&count| count > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BARE_METAL: &str = "\
processor\t: 0
vendor_id\t: AuthenticAMD
cpu family\t: 25
model\t\t: 33
model name\t: AMD Ryzen 9 5950X 16-Core Processor            \n\
flags\t\t: fpu vme de pse tsc msr svm cpuid extapic

processor\t: 1
vendor_id\t: AuthenticAMD
model name\t: AMD Ryzen 9 5950X 16-Core Processor            \n";

    const GUEST: &str =
        "processor\t: 0\nmodel name\t: Intel(R) Xeon(R) Processor\nflags\t\t: fpu rdrand hypervisor lahf_lm\n";

    const GRAVITON: &str = "processor\t: 0\nBogoMIPS\t: 243.75\nFeatures\t: fp asimd evtstrm aes\nCPU implementer\t: 0x41\n\
                            CPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\nCPU revision\t: 1\n";

    const POWER: &str = "processor\t: 0\ncpu\t\t: POWER9 (architected), altivec supported\nclock\t\t: 2200.000000MHz\n";

    #[test]
    fn names() {
        assert_eq!(model(BARE_METAL).as_deref(), Some("AMD Ryzen 9 5950X 16-Core Processor"));
        assert_eq!(model(GUEST).as_deref(), Some("Intel(R) Xeon(R) Processor"));
        assert_eq!(model(GRAVITON).as_deref(), Some("ARM Neoverse-N1"));
        assert_eq!(model(POWER).as_deref(), Some("POWER9 (architected), altivec supported"));
        assert_eq!(
            model("CPU implementer : 0x61\nCPU part : 0x022\n").as_deref(),
            Some("ARM implementer 0x61 part 0x022")
        );
        assert_eq!(model(""), None);
    }

    #[test]
    fn only_x86_tells_of_a_hypervisor() {
        assert_eq!(hypervisor_flag(BARE_METAL), Some(false));
        assert_eq!(hypervisor_flag(GUEST), Some(true));
        assert_eq!(hypervisor_flag(GRAVITON), None);
    }

    #[test]
    fn lists_of_cpus() {
        assert_eq!(count_list("0"), Some(1));
        assert_eq!(count_list("0-31\n"), Some(32));
        assert_eq!(count_list("0-3,8,10-11"), Some(7));
        assert_eq!(count_list(""), None);
        assert_eq!(count_list("3-0"), None);
        assert_eq!(count_list("0-4294967295"), None);
    }

    #[test]
    fn processors_are_counted() {
        assert_eq!(count_processors(BARE_METAL), Some(2));
        // s390 lists them in another form, and 32-bit ARM uses this key for the model.
        assert_eq!(count_processors("processor 0: version = FF\nProcessor: ARMv7\n"), None);
    }
}
