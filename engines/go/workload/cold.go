package workload

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"unsafe"

	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"golang.org/x/sys/unix"
)

// ColdStart is what is left in memory of a database that is closed, after what can be dropped of it was.
type ColdStart struct {
	// Bytes that the files occupy, and those of them that are in memory all the same.
	Bytes, Resident uint64
}

// DropFromMemory syncs the files below a folder and drops them from the page cache. They must be nobody's: what a
// process has mapped or not yet written stays.
func DropFromMemory(folder string) (ColdStart, error) {
	var start ColdStart
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		return start.add(path)
	})
	if err != nil {
		return start, fmt.Errorf("dropping the database from the page cache: %w", err)
	}
	return start, nil
}

// AddTo adds the start to the counters of the test that begins with it.
func (start ColdStart) AddTo(counters protocol.Counters) {
	counters["resident_bytes"], counters["start_bytes"] = start.Resident, start.Bytes
}

func (start *ColdStart) add(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	// A page that is not on the disk yet cannot be dropped.
	if err := file.Sync(); err != nil {
		return err
	}
	if err := unix.Fadvise(int(file.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		return err
	}
	resident, err := residentBytes(file, uint64(info.Size()))
	if err != nil {
		return err
	}
	bytes := occupied(info)
	start.Bytes += bytes
	start.Resident += min(resident, bytes)
	return nil
}

// piece is how much of a file is looked at at once, bytes: a whole number of pages of any size.
const piece = 256 << 20

// residentBytes is what of a file is in the page cache: mincore(2) over a mapping that reads nothing.
func residentBytes(file *os.File, length uint64) (uint64, error) {
	page := uint64(os.Getpagesize())
	var resident uint64
	for offset := uint64(0); offset < length; offset += piece {
		size := min(length-offset, piece)
		mapping, err := unix.Mmap(int(file.Fd()), int64(offset), int(size), unix.PROT_READ, unix.MAP_SHARED)
		if err != nil {
			return 0, err
		}
		pages := make([]byte, (size+page-1)/page)
		_, _, failed := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(&mapping[0])), uintptr(size), uintptr(unsafe.Pointer(&pages[0])))
		if err := unix.Munmap(mapping); err != nil {
			return 0, err
		}
		if failed != 0 {
			return 0, failed
		}
		var inMemory uint64
		for _, is := range pages {
			inMemory += uint64(is & 1)
		}
		resident += min(inMemory*page, size)
	}
	return resident, nil
}

// blocks is how many blocks of 512 bytes a file occupies.
func blocks(info fs.FileInfo) (uint64, bool) {
	stat, found := info.Sys().(*syscall.Stat_t)
	if !found {
		return 0, false
	}
	return uint64(stat.Blocks), true
}
