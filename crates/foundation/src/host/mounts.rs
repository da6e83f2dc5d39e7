//! `/proc/self/mountinfo`: the file system of a folder.

use std::path::Path;

/// One line of `/proc/self/mountinfo`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mount {
    /// The kernel's number of this mount.
    pub(super) id: u64,
    /// `MAJOR:MINOR` of the file system's device; major 0 if the file system has no single device of its own.
    pub(super) device_number: String,
    /// Where it is mounted.
    pub(super) point: String,
    /// The options of the mount, then those of the file system that the mount does not have.
    pub(super) options: String,
    /// Its type, such as `ext4`.
    pub(super) file_system: String,
    /// The mounted source: a device, a server's folder, or any word.
    pub(super) source: String,
    /// The folder that an overlay writes to, by the name that was used to mount it.
    pub(super) upper: Option<String>,
}

/// Returns the mount of `folder` (absolute, without symbolic links).
///
/// Uses the kernel's mount number of the open folder, if it is known; otherwise the longest mount point that leads to the folder. If
/// several mounts have the same point, the last one is on top.
pub(super) fn of_folder(mountinfo: &str, id: Option<u64>, folder: &Path) -> Option<Mount> {
    let mounts = || mountinfo.lines().filter_map(parse);
    mounts().find(|mount| Some(mount.id) == id).or_else(|| {
        mounts()
            .filter(|mount| folder.starts_with(&mount.point))
            // With equal keys, max_by_key returns the last.
            .max_by_key(|mount| mount.point.len())
    })
}

/// Returns the number of the mount from the text of `/proc/self/fdinfo/N`.
pub(super) fn id_of_open_file(fdinfo: &str) -> Option<u64> {
    super::text::field(fdinfo, "mnt_id")?.parse().ok()
}

/// Parses `36 35 98:0 /root /point options optional... - type source super-options`, separated by single spaces: a field may be empty.
fn parse(line: &str) -> Option<Mount> {
    let (mount, file_system) = line.split_once(" - ")?;
    let mut mount = mount.split(' ');
    let id = mount.next()?.parse().ok()?;
    let device_number = mount.nth(1)?.to_owned();
    let point = unescape(mount.nth(1)?);
    let options = mount.next()?;
    let mut file_system = file_system.split(' ');
    let kind = unescape(file_system.next()?);
    let source = unescape(file_system.next()?);
    let of_file_system = file_system.next().unwrap_or_default();
    let upper = of_file_system.split(',').find_map(|option| option.strip_prefix("upperdir=")).map(unescape);
    let options = unescape(&join_options(options, of_file_system));
    Some(Mount { id, device_number, point, options, file_system: kind, source, upper })
}

/// Joins both lists. A mount may be read-only on a file system that is not: then the mount's option applies.
///
/// The folders of an overlay are left out: they have new names for every container and thousands of characters, and are no options.
fn join_options(of_mount: &str, of_file_system: &str) -> String {
    let mut all: Vec<&str> = of_mount.split(',').collect();
    for option in of_file_system.split(',') {
        let is_folder = ["lowerdir=", "upperdir=", "workdir="].iter().any(|key| option.starts_with(key));
        if !option.is_empty() && !matches!(option, "rw" | "ro") && !is_folder && !all.contains(&option) {
            all.push(option);
        }
    }
    all.join(",")
}

/// Decodes a text in which the kernel wrote space, tab, line break and backslash as a backslash and three octal digits.
fn unescape(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        if let ([b'\\', ..], Some(byte)) = (rest, octal(tail)) {
            bytes.push(byte);
            rest = &tail[3..];
        } else {
            bytes.push(*first);
            rest = tail;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Parses the byte that the first three characters give in octal.
fn octal(text: &[u8]) -> Option<u8> {
    let [a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', ..] = text else { return None };
    Some((a - b'0') << 6 | (b - b'0') << 3 | (c - b'0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A laptop: LVM root, NVMe boot partition, btrfs subvolumes, a USB disk with spaces in its name, NFS, tmpfs.
    const LAPTOP: &str = "\
22 28 0:20 / /sys rw,nosuid,nodev,noexec,relatime shared:7 - sysfs sysfs rw
23 28 0:21 / /proc rw,nosuid,nodev,noexec,relatime shared:14 - proc proc rw
28 1 253:0 / / rw,relatime shared:1 - ext4 /dev/mapper/vg-root rw,errors=remount-ro,data=ordered
31 28 0:26 / /tmp rw,nosuid,nodev shared:11 - tmpfs tmpfs rw,size=8083972k,inode64
40 28 259:1 / /boot/efi rw,relatime shared:31 - vfat /dev/nvme0n1p1 rw,fmask=0077,codepage=437
44 28 0:38 /@home /home rw,noatime shared:40 - btrfs /dev/nvme0n1p3 rw,compress=zstd:1,ssd,subvolid=256,subvol=/@home
52 44 8:17 / /home/me/USB\\040disk\\134one rw,nosuid,nodev,relatime shared:51 master:3 - exfat /dev/sdb1 rw
60 28 0:50 / /srv/data rw,relatime shared:60 - nfs4 server:/export/data rw,vers=4.2,hard,proto=tcp
70 28 0:60 / /nothing rw - tmpfs  rw
";

    /// A container on overlay, with one folder of the host in it.
    const CONTAINER: &str = "\
1025 871 0:97 / / rw,relatime master:300 - overlay overlay rw,lowerdir=/var/lib/docker/overlay2/l/AB:/var/lib/docker/overlay2/l/CD,upperdir=/var/lib/docker/overlay2/4f/diff,workdir=/var/lib/docker/overlay2/4f/work
1026 1025 0:100 / /proc rw,nosuid,nodev,noexec,relatime - proc proc rw
1040 1025 259:2 /var/lib/docker/volumes/v/_data /data rw,relatime master:1 - xfs /dev/nvme0n1p2 rw,attr2,inode64
";

    fn find(text: &str, folder: &str) -> Mount {
        of_folder(text, None, Path::new(folder)).unwrap()
    }

    #[test]
    fn the_longest_mount_point_holds() {
        let root = find(LAPTOP, "/var/lib");
        assert_eq!((root.point.as_str(), root.file_system.as_str()), ("/", "ext4"));
        assert_eq!((root.source.as_str(), root.device_number.as_str()), ("/dev/mapper/vg-root", "253:0"));
        assert_eq!(root.options, "rw,relatime,errors=remount-ro,data=ordered");
        assert_eq!(find(LAPTOP, "/tmp").file_system, "tmpfs");
        assert_eq!(find(LAPTOP, "/tmpfile").file_system, "ext4", "names are compared whole");
        assert_eq!(find(LAPTOP, "/srv/data/x").source, "server:/export/data");
        assert_eq!(of_folder(LAPTOP, None, Path::new("relative")), None);
        assert_eq!(of_folder("", None, Path::new("/")), None);
    }

    #[test]
    fn a_subvolume() {
        let home = find(LAPTOP, "/home/me/.cache/dbdyno");
        assert_eq!((home.file_system.as_str(), home.device_number.as_str()), ("btrfs", "0:38"));
        assert_eq!(home.source, "/dev/nvme0n1p3");
        assert!(home.options.ends_with("subvol=/@home"));
    }

    #[test]
    fn escapes() {
        let usb = find(LAPTOP, "/home/me/USB disk\\one/work");
        assert_eq!((usb.id, usb.file_system.as_str()), (52, "exfat"));
        assert_eq!(usb.point, "/home/me/USB disk\\one");
        assert_eq!(unescape("caf\\303\\251\\011x"), "café\tx");
        assert_eq!(unescape("a\\04"), "a\\04");
        assert_eq!(unescape("a\\999\\"), "a\\999\\");
    }

    #[test]
    fn an_empty_source() {
        let nothing = find(LAPTOP, "/nothing");
        assert_eq!((nothing.source.as_str(), nothing.options.as_str()), ("", "rw"));
    }

    #[test]
    fn a_container() {
        let root = find(CONTAINER, "/root/.cache");
        assert_eq!((root.file_system.as_str(), root.source.as_str()), ("overlay", "overlay"));
        assert_eq!(root.options, "rw,relatime");
        assert_eq!(root.upper.as_deref(), Some("/var/lib/docker/overlay2/4f/diff"));
        assert_eq!(find(CONTAINER, "/data").device_number, "259:2");
    }

    #[test]
    fn of_mounts_on_one_point_the_last_is_on_top() {
        let text =
            "25 24 0:23 / /dev/shm rw - tmpfs old rw\n30 25 0:27 / /dev/shm ro,relatime - tmpfs new rw,size=1k\n";
        let top = find(text, "/dev/shm");
        assert_eq!(top.source, "new");
        assert_eq!(top.options, "ro,relatime,size=1k");
        assert_eq!(of_folder(text, Some(25), Path::new("/dev/shm")).unwrap().source, "old");
    }

    #[test]
    fn the_number_in_fdinfo() {
        assert_eq!(id_of_open_file("pos:\t0\nflags:\t0100000\nmnt_id:\t44\nino:\t2\n"), Some(44));
        assert_eq!(id_of_open_file("pos:\t0\nflags:\t0100000\n"), None, "kernels before 3.15");
    }

    #[test]
    fn broken_lines_are_passed_over() {
        let text = "garbage\n1 2 3:4 / /x rw\n5 4 1:1 / / rw - ext4\n28 1 8:1 / / rw - ext4 /dev/sda1 rw\n";
        assert_eq!(find(text, "/x").source, "/dev/sda1");
    }
}
