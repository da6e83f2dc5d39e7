//! The folder in which databases are written.

use std::fs::{self, File};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::disk;
use super::mounts::{self, Mount};
use super::text;

/// Network file systems, and folders shared by a virtual machine's host: another machine decides what a sync does. Of the `fuse.*` types,
/// those that use a network.
const NETWORK: &[&str] = &[
    "9p",
    "afs",
    "beegfs",
    "ceph",
    "cifs",
    "coda",
    "drvfs",
    "fuse.afp",
    "fuse.ceph",
    "fuse.davfs",
    "fuse.gcsfuse",
    "fuse.glusterfs",
    "fuse.juicefs",
    "fuse.rclone",
    "fuse.s3fs",
    "fuse.sshfs",
    "fuse.vmhgfs-fuse",
    "glusterfs",
    "gpfs",
    "lustre",
    "ncpfs",
    "nfs",
    "nfs4",
    "orangefs",
    "prl_fs",
    "smb3",
    "smbfs",
    "vboxsf",
    "virtiofs",
    "vmhgfs",
    "wekafs",
];

/// The known facts about the folder with the databases, and about the disk below it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkFolderFacts {
    /// The folder, absolute. Bytes that are not UTF-8 become U+FFFD.
    pub path: String,
    /// The file system's type, such as `ext4` (`/proc/self/mountinfo`).
    pub file_system: Option<String>,
    /// The mount point of that file system (`/proc/self/mountinfo`).
    pub mount_point: Option<String>,
    /// The options of the mount and of the file system, separated by commas (`/proc/self/mountinfo`).
    pub mount_options: Option<String>,
    /// The mounted source: `/dev/sda1`, `server:/folder`, `overlay` (`/proc/self/mountinfo`).
    pub device: Option<String>,
    /// The name of the disk below, or of several joined by ` + ` (`device/model` below `/sys/dev/block/MAJ:MIN`). Virtual disks often
    /// have none.
    pub disk_model: Option<String>,
    /// Whether that disk, or any of them, rotates (`queue/rotational` there). `None` for virtio disks and loop devices, which cannot
    /// know.
    pub rotational: Option<bool>,
    /// Bytes that this user may still write (`statvfs`).
    pub free_bytes: Option<u64>,
    /// Bytes of the whole file system (`statvfs`).
    pub total_bytes: Option<u64>,
    /// Nanoseconds to write 4 KiB and sync them. [`WorkFolderFacts::read`] leaves it `None`, because measuring it writes to the folder
    /// and takes up to a second: set it from [`measure_fsync`](super::measure_fsync).
    pub fsync_ns: Option<u64>,
    /// For an overlay the folder that it writes to, for a loop device the folder of its file, which decides what a sync does. `None` for
    /// other file systems, and if that folder is not visible, as in most containers.
    #[serde(default)]
    pub beneath: Option<Box<WorkFolderFacts>>,
}

/// An overlay on a file in a loop device on an overlay makes three; a longer chain is a loop.
const MOST_LAYERS: usize = 8;

impl WorkFolderFacts {
    /// Reads the facts about `folder`, or if it does not exist yet, about the nearest existing folder above.
    pub fn read(folder: &Path) -> Self {
        Self::read_layers(folder, MOST_LAYERS)
    }

    fn read_layers(folder: &Path, layers: usize) -> Self {
        let path = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        let existing = path.ancestors().find_map(|path| fs::canonicalize(path).ok());
        let mount = existing.as_deref().and_then(mount);
        let disks = mount.as_ref().map(disks_beneath).unwrap_or_default();
        let disk = disk::describe(&disks);
        let space = existing.and_then(|path| rustix::fs::statvfs(path).ok());
        let beneath = mount.as_ref().and_then(|mount| folder_beneath(mount, &disks));
        Self {
            path: path.to_string_lossy().into_owned(),
            beneath: layers.checked_sub(1).and_then(|layers| Some(Box::new(Self::read_layers(&beneath?, layers)))),
            disk_model: disk.model,
            rotational: disk.rotational,
            free_bytes: space.as_ref().map(|space| space.f_bavail.saturating_mul(space.f_frsize)),
            total_bytes: space.as_ref().map(|space| space.f_blocks.saturating_mul(space.f_frsize)),
            fsync_ns: None,
            ..mount.map_or_else(Self::unknown, Self::of_mount)
        }
    }

    /// Whether the folder is in memory, and its name shows that this is intended: /dev/shm is always memory, while /tmp is a disk on
    /// other machines.
    pub fn is_in_memory_by_name(&self) -> bool {
        self.is_memory_backed() && Path::new(&self.path).starts_with("/dev/shm")
    }

    /// Whether the folder is in memory, where a sync does nothing: tmpfs and similar file systems, a memory disk, or a layer above one of
    /// these.
    pub fn is_memory_backed(&self) -> bool {
        let device = self.device.as_deref().unwrap_or_default();
        self.beneath.as_ref().is_some_and(|beneath| beneath.is_memory_backed())
            || matches!(self.file_system.as_deref(), Some("tmpfs" | "ramfs" | "rootfs" | "devtmpfs" | "hugetlbfs"))
            || ["/dev/ram", "/dev/zram"].iter().any(|name| {
                device.strip_prefix(name).is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit()))
            })
    }

    /// Returns the folder and every folder below it in the stack of layers, the topmost first.
    pub fn layers(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |layer| layer.beneath.as_deref())
    }

    /// Returns the file systems of all layers: `overlay on tmpfs`.
    pub fn file_systems(&self) -> String {
        let kind = |layer: &Self| layer.file_system.clone().unwrap_or_else(|| "an unknown file system".to_owned());
        self.layers().map(kind).collect::<Vec<_>>().join(" on ")
    }

    /// Returns the mount options of all layers.
    pub fn all_mount_options(&self) -> impl Iterator<Item = &str> {
        self.layers().filter_map(|layer| layer.mount_options.as_deref()).flat_map(|options| options.split(','))
    }

    /// Whether the folder is on another machine, or shared into this one by its host.
    pub fn is_network(&self) -> bool {
        self.file_system.as_deref().is_some_and(|kind| NETWORK.contains(&kind))
    }

    fn unknown() -> Self {
        Self {
            path: String::new(),
            file_system: None,
            mount_point: None,
            mount_options: None,
            device: None,
            disk_model: None,
            rotational: None,
            free_bytes: None,
            total_bytes: None,
            fsync_ns: None,
            beneath: None,
        }
    }

    fn of_mount(mount: Mount) -> Self {
        Self {
            file_system: Some(mount.file_system),
            mount_point: Some(mount.point),
            mount_options: Some(mount.options),
            device: text::tidy(&mount.source),
            ..Self::unknown()
        }
    }
}

/// Returns the mount of the folder (without symbolic links).
fn mount(folder: &Path) -> Option<Mount> {
    let mountinfo = text::read("/proc/self/mountinfo")?;
    let id = File::open(folder)
        .ok()
        .and_then(|open| text::read(format!("/proc/self/fdinfo/{}", open.as_raw_fd())))
        .and_then(|fdinfo| mounts::id_of_open_file(&fdinfo));
    mounts::of_folder(&mountinfo, id, folder)
}

/// Returns the folder that an overlay writes to, or that contains the file of a loop device.
fn folder_beneath(mount: &Mount, disks: &[PathBuf]) -> Option<PathBuf> {
    // The name is relative to the root of the process that mounted it. Under another root, as in a container, there is no such folder.
    let upper = mount.upper.as_ref().map(PathBuf::from).filter(|upper| upper.is_absolute() && upper.is_dir());
    upper.or_else(|| {
        let file = disks.iter().find_map(|disk| disk::file_of_loop(disk)).filter(|file| file.is_file())?;
        Some(file.parent()?.to_owned())
    })
}

/// Returns the folders in `/sys` of the disks of an existing folder, below all visible layers.
pub(super) fn disks(folder: &Path) -> Vec<PathBuf> {
    let facts = WorkFolderFacts::read(folder);
    let lowest = facts.layers().last().map_or(folder, |layer| Path::new(&layer.path));
    let folder = fs::canonicalize(lowest).ok();
    folder.as_deref().and_then(mount).as_ref().map(disks_beneath).unwrap_or_default()
}

fn disks_beneath(mount: &Mount) -> Vec<PathBuf> {
    let device = mount.source.starts_with("/dev/").then(|| Path::new(&mount.source));
    // btrfs may use several devices and therefore has a number of its own, 0:N, but it names one of them.
    let number = device.filter(|_| mount.device_number.starts_with("0:")).and_then(|device| {
        let number = rustix::fs::stat(device).ok()?.st_rdev;
        Some(format!("{}:{}", rustix::fs::major(number), rustix::fs::minor(number)))
    });
    let name = device.and_then(Path::file_name).and_then(|name| name.to_str());
    disk::beneath(Path::new("/sys"), number.as_deref().unwrap_or(&mount.device_number), name)
}

#[cfg(test)]
mod tests {
    use super::super::scratch::TestFolder;
    use super::*;

    fn on(file_system: &str, device: &str) -> WorkFolderFacts {
        WorkFolderFacts {
            file_system: Some(file_system.to_owned()),
            device: Some(device.to_owned()),
            ..WorkFolderFacts::unknown()
        }
    }

    #[test]
    fn memory() {
        assert!(on("tmpfs", "tmpfs").is_memory_backed());
        assert!(on("ramfs", "none").is_memory_backed());
        assert!(on("ext4", "/dev/zram1").is_memory_backed());
        assert!(on("ext4", "/dev/ram0").is_memory_backed());
        assert!(!on("ext4", "/dev/rambo").is_memory_backed());
        assert!(!on("ext4", "/dev/sda1").is_memory_backed());
        assert!(!on("overlay", "overlay").is_memory_backed());
        assert!(!WorkFolderFacts::unknown().is_memory_backed());
        let below = |path: &str| WorkFolderFacts { path: path.to_owned(), ..on("tmpfs", "tmpfs") };
        assert!(!below("/tmp/work").is_in_memory_by_name() && below("/dev/shm/work").is_in_memory_by_name());
    }

    #[test]
    fn a_layer_is_in_memory_where_what_it_is_above_is() {
        let above = |kind: &str, beneath: WorkFolderFacts| WorkFolderFacts {
            beneath: Some(Box::new(beneath)),
            mount_options: Some("rw,volatile".to_owned()),
            ..on(kind, kind)
        };
        let overlay = above("overlay", on("tmpfs", "tmpfs"));
        assert!(overlay.is_memory_backed() && overlay.file_systems() == "overlay on tmpfs");
        let in_file = above("ext4", above("overlay", on("xfs", "/dev/sda1")));
        assert!(!in_file.is_memory_backed() && in_file.file_systems() == "ext4 on overlay on xfs");
        assert_eq!(in_file.all_mount_options().filter(|option| *option == "volatile").count(), 2);
    }

    #[test]
    fn network() {
        assert!(on("nfs4", "server:/export").is_network());
        assert!(on("fuse.sshfs", "me@server:").is_network());
        assert!(on("9p", "C:\\").is_network());
        assert!(!on("btrfs", "/dev/sda1").is_network());
        assert!(!on("fuseblk", "/dev/sdb1").is_network());
        assert!(!WorkFolderFacts::unknown().is_network());
    }

    #[test]
    fn a_folder_that_is_not_there_yet_has_the_facts_of_the_one_above() {
        let scratch = TestFolder::new("work");
        let there = WorkFolderFacts::read(scratch.path());
        let not_yet = WorkFolderFacts::read(&scratch.path().join("a/b"));
        assert!(not_yet.path.ends_with("/a/b"));
        assert_eq!(not_yet.mount_point, there.mount_point);
        assert!(there.total_bytes >= there.free_bytes);
        assert!(there.free_bytes.is_some());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn symbolic_links_are_followed() {
        let scratch = TestFolder::new("link");
        let link = scratch.path().join("link");
        std::os::unix::fs::symlink("/proc", &link).unwrap();
        assert_eq!(WorkFolderFacts::read(&link).file_system.as_deref(), Some("proc"));
        assert_eq!(WorkFolderFacts::read(Path::new("/proc/self")).mount_point.as_deref(), Some("/proc"));
    }
}
