//! The disk below a file system, from `/sys`.

use std::fs;
use std::path::{Path, PathBuf};

use super::text;

/// Encryption on a volume of a RAID of partitions makes four; a longer chain is a loop.
const MOST_LAYERS: usize = 8;

/// The known facts about the disk, or about several disks that share the data.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct DiskFacts {
    /// The manufacturer's name; several are joined by ` + `.
    pub(super) model: Option<String>,
    /// Whether any of them rotates.
    pub(super) rotational: Option<bool>,
}

/// Returns the folders of the disks below the device `MAJOR:MINOR`, or else below the device called `name`, with `sys` as `/sys`.
pub(super) fn beneath(sys: &Path, device_number: &str, name: Option<&str>) -> Vec<PathBuf> {
    let by_number = fs::canonicalize(sys.join("dev/block").join(device_number)).ok();
    // A container sees the host's /sys, though it may have none of the host's device files.
    let by_name = || fs::canonicalize(sys.join("class/block").join(name?)).ok();
    let mut disks = Vec::new();
    if let Some(node) = by_number.or_else(by_name) {
        whole_disks(&node, MOST_LAYERS, &mut disks);
    }
    disks
}

/// Describes the disks of these folders.
pub(super) fn describe(disks: &[PathBuf]) -> DiskFacts {
    let mut models: Vec<String> = disks.iter().filter_map(|disk| model(disk)).collect();
    models.dedup();
    let turning: Vec<Option<bool>> = disks.iter().map(|disk| rotational(disk)).collect();
    DiskFacts {
        model: (!models.is_empty()).then(|| models.join(" + ")),
        rotational: match () {
            () if turning.contains(&Some(true)) => Some(true),
            () if turning.is_empty() || turning.contains(&None) => None,
            () => Some(false),
        },
    }
}

/// Follows a partition to its disk, and a mapped device (LVM, encryption, RAID) to its components.
fn whole_disks(node: &Path, layers: usize, found: &mut Vec<PathBuf>) {
    let node = match node.parent() {
        Some(disk) if node.join("partition").exists() => disk,
        _ => node,
    };
    let mut slaves: Vec<PathBuf> = fs::read_dir(node.join("slaves"))
        .into_iter()
        .flatten()
        .filter_map(|entry| fs::canonicalize(entry.ok()?.path()).ok())
        .collect();
    slaves.sort();
    if slaves.is_empty() {
        if !found.iter().any(|disk| disk == node) {
            found.push(node.to_owned());
        }
    } else if let Some(layers) = layers.checked_sub(1) {
        for slave in &slaves {
            whole_disks(slave, layers, found);
        }
    }
}

/// Returns the file behind a loop device (`loop/backing_file`), by the name that was given when the device was set up.
pub(super) fn file_of_loop(disk: &Path) -> Option<PathBuf> {
    text::read(disk.join("loop/backing_file")).map(PathBuf::from)
}

/// Returns `device/model` (SCSI, SATA, USB, NVMe) or `device/name` (memory cards); virtio disks have neither.
fn model(disk: &Path) -> Option<String> {
    let model = text::read(disk.join("device/model")).or_else(|| text::read(disk.join("device/name")))?;
    match text::read(disk.join("device/vendor")) {
        // SCSI reports the vendor ATA for every SATA disk; 0x... is the number of a PCI vendor.
        Some(vendor) if vendor != "ATA" && !vendor.starts_with("0x") && !model.starts_with(&vendor) => {
            Some(format!("{vendor} {model}"))
        }
        _ => Some(model),
    }
}

/// Reads `queue/rotational`. A virtio disk is always reported as rotating, because its driver cannot know what is behind it, and a loop
/// device repeats the value of its file's disk.
fn rotational(disk: &Path) -> Option<bool> {
    let guesses = |name: &str| name.starts_with("virtio") || name.starts_with("loop");
    if disk.components().any(|part| part.as_os_str().to_str().is_some_and(guesses)) {
        return None;
    }
    match text::read(disk.join("queue/rotational"))?.as_str() {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::super::scratch::TestFolder;
    use super::*;

    const NVME: &str = "devices/pci0000:00/0000:00:1d.0/nvme/nvme0/nvme0n1";
    const SATA: &str = "devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block/sda";
    const VIRTIO: &str = "devices/pci0000:00/0000:00:02.0/virtio1/block/vda";

    struct Sys(TestFolder);

    impl Sys {
        fn new() -> Self {
            let sys = Self(TestFolder::new("sys"));
            fs::create_dir_all(sys.path().join("dev/block")).unwrap();
            fs::create_dir_all(sys.path().join("class/block")).unwrap();
            sys
        }

        fn path(&self) -> &Path {
            self.0.path()
        }

        fn file(&self, path: &str, text: &str) {
            let path = self.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }

        fn device(&self, number: &str, folder: &str) {
            fs::create_dir_all(self.path().join(folder)).unwrap();
            symlink(self.path().join(folder), self.path().join("dev/block").join(number)).unwrap();
            let name = Path::new(folder).file_name().unwrap();
            symlink(self.path().join(folder), self.path().join("class/block").join(name)).unwrap();
        }

        fn slave(&self, upper: &str, lower: &str) {
            let slaves = self.path().join(upper).join("slaves");
            fs::create_dir_all(&slaves).unwrap();
            symlink(self.path().join(lower), slaves.join(Path::new(lower).file_name().unwrap())).unwrap();
        }

        fn with_nvme(self) -> Self {
            self.device("259:0", NVME);
            self.file(&format!("{NVME}/device/model"), "Samsung SSD 980 PRO 1TB                 \n");
            self.file(&format!("{NVME}/queue/rotational"), "0\n");
            self.device("259:3", &format!("{NVME}/nvme0n1p3"));
            self.file(&format!("{NVME}/nvme0n1p3/partition"), "3\n");
            self
        }

        fn with_sata(self) -> Self {
            self.device("8:0", SATA);
            self.file(&format!("{SATA}/device/model"), "WDC WD40EFRX-68N\n");
            self.file(&format!("{SATA}/device/vendor"), "ATA     \n");
            self.file(&format!("{SATA}/queue/rotational"), "1\n");
            self.device("8:1", &format!("{SATA}/sda1"));
            self.file(&format!("{SATA}/sda1/partition"), "1\n");
            self
        }

        fn find(&self, number: &str) -> DiskFacts {
            find(self.path(), number, None)
        }
    }

    fn find(sys: &Path, number: &str, name: Option<&str>) -> DiskFacts {
        describe(&beneath(sys, number, name))
    }

    fn disk(model: &str, rotational: bool) -> DiskFacts {
        DiskFacts { model: Some(model.to_owned()), rotational: Some(rotational) }
    }

    #[test]
    fn a_partition_has_the_name_of_its_disk() {
        let sys = Sys::new().with_nvme().with_sata();
        assert_eq!(sys.find("259:0"), disk("Samsung SSD 980 PRO 1TB", false));
        assert_eq!(sys.find("259:3"), disk("Samsung SSD 980 PRO 1TB", false));
        assert_eq!(sys.find("8:1"), disk("WDC WD40EFRX-68N", true));
    }

    #[test]
    fn a_volume_on_an_encrypted_partition() {
        let sys = Sys::new().with_nvme();
        sys.device("253:1", "devices/virtual/block/dm-1");
        sys.device("253:0", "devices/virtual/block/dm-0");
        sys.slave("devices/virtual/block/dm-1", "devices/virtual/block/dm-0");
        sys.slave("devices/virtual/block/dm-0", &format!("{NVME}/nvme0n1p3"));
        assert_eq!(sys.find("253:1"), disk("Samsung SSD 980 PRO 1TB", false));
    }

    #[test]
    fn several_disks_are_all_named() {
        let sys = Sys::new().with_nvme().with_sata();
        sys.device("253:0", "devices/virtual/block/dm-0");
        sys.slave("devices/virtual/block/dm-0", &format!("{NVME}/nvme0n1p3"));
        sys.slave("devices/virtual/block/dm-0", &format!("{SATA}/sda1"));
        assert_eq!(sys.find("253:0"), disk("WDC WD40EFRX-68N + Samsung SSD 980 PRO 1TB", true));
    }

    #[test]
    fn a_virtio_disk_tells_nothing() {
        let sys = Sys::new();
        sys.device("254:0", VIRTIO);
        sys.file(&format!("{VIRTIO}/queue/rotational"), "1\n");
        sys.file(&format!("{VIRTIO}/device/vendor"), "0x1af4\n");
        fs::create_dir_all(sys.path().join(VIRTIO).join("slaves")).unwrap();
        assert_eq!(sys.find("254:0"), DiskFacts::default());
    }

    #[test]
    fn a_loop_device_is_no_witness() {
        let sys = Sys::new();
        sys.device("7:0", "devices/virtual/block/loop0");
        sys.file("devices/virtual/block/loop0/queue/rotational", "1\n");
        assert_eq!(sys.find("7:0"), DiskFacts::default());
    }

    #[test]
    fn the_vendor_of_a_scsi_disk_is_part_of_its_name() {
        let sys = Sys::new();
        sys.device("8:0", SATA);
        sys.file(&format!("{SATA}/device/model"), "Virtual Disk    \n");
        sys.file(&format!("{SATA}/device/vendor"), "Msft    \n");
        assert_eq!(sys.find("8:0"), DiskFacts { model: Some("Msft Virtual Disk".to_owned()), rotational: None });
    }

    #[test]
    fn by_name_where_the_number_says_nothing() {
        let sys = Sys::new().with_nvme();
        assert_eq!(sys.find("0:38"), DiskFacts::default());
        assert_eq!(find(sys.path(), "0:38", Some("nvme0n1p3")), disk("Samsung SSD 980 PRO 1TB", false));
        assert_eq!(find(Path::new("/no/sys"), "8:1", Some("sda1")), DiskFacts::default());
    }

    #[test]
    fn a_ring_of_devices_ends() {
        let sys = Sys::new();
        sys.device("253:0", "devices/virtual/block/dm-0");
        sys.slave("devices/virtual/block/dm-0", "devices/virtual/block/dm-0");
        assert_eq!(sys.find("253:0"), DiskFacts::default());
    }
}
