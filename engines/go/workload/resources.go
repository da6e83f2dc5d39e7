package workload

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"golang.org/x/sys/unix"
)

// ReadCounters reads the counters of this process since it began. Counters that cannot be read are missing. Sync
// calls are always missing, because the kernel does not count them.
func ReadCounters() protocol.Counters {
	counters := protocol.Counters{}
	io, _ := os.ReadFile("/proc/self/io")
	for name, field := range map[string]string{"read_bytes": "read_bytes:", "written_bytes": "write_bytes:"} {
		if value, found := statusField(string(io), field); found {
			counters[name] = value
		}
	}
	var usage unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &usage) == nil {
		counters["user_ns"] = uint64(usage.Utime.Nano())
		counters["system_ns"] = uint64(usage.Stime.Nano())
		counters["voluntary_switches"] = uint64(usage.Nvcsw)
		counters["involuntary_switches"] = uint64(usage.Nivcsw)
		counters["minor_faults"] = uint64(usage.Minflt)
		counters["major_faults"] = uint64(usage.Majflt)
	}
	return counters
}

// Since returns what was counted since an earlier reading, never below 0.
func Since(later, earlier protocol.Counters) protocol.Counters {
	counted := protocol.Counters{}
	for name, value := range later {
		if before, found := earlier[name]; found {
			counted[name] = value - min(before, value)
		}
	}
	return counted
}

// ResetPeakRss resets the peak of resident memory to the current value, if the kernel supports it. If not, the peak
// is that of the run so far, an upper bound.
func ResetPeakRss() { _ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }

// PeakRssBytes returns the peak of resident memory, in bytes.
func PeakRssBytes() uint64 {
	status, _ := os.ReadFile("/proc/self/status")
	kib, _ := statusField(string(status), "VmHWM:")
	return kib * 1024
}

// RssBytes returns the resident memory, in bytes.
func RssBytes() uint64 {
	status, _ := os.ReadFile("/proc/self/status")
	kib, _ := statusField(string(status), "VmRSS:")
	return kib * 1024
}

func statusField(text, name string) (uint64, bool) {
	for line := range strings.Lines(text) {
		if value, found := strings.CutPrefix(line, name); found {
			fields := strings.Fields(value)
			if len(fields) == 0 {
				return 0, false
			}
			number, err := strconv.ParseUint(fields[0], 10, 64)
			return number, err == nil
		}
	}
	return 0, false
}

// DiskBytes returns the size on disk of the files below a folder, and the part of it in files that are not called
// main. A sparse file counts with the space that it occupies.
func DiskBytes(folder, main string) (all, side uint64, err error) {
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		bytes := occupied(info)
		all += bytes
		if entry.Name() != main {
			side += bytes
		}
		return nil
	})
	return all, side, err
}

func occupied(info fs.FileInfo) uint64 {
	bytes := uint64(info.Size())
	if stat, found := blocks(info); found {
		bytes = min(bytes, stat*512)
	}
	return bytes
}
