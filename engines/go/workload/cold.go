package workload

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"unsafe"

	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"golang.org/x/sys/unix"
)

// ColdStart is what a database has in memory when a test begins that must begin cold.
type ColdStart struct {
	// Bytes is the size that the files occupy while the database is closed. Resident is the part that could not be
	// dropped.
	Bytes, Resident uint64
	// OpenedResident is the number of bytes in memory after the database was opened.
	OpenedResident uint64
}

// DropFromMemory syncs the files below a folder and drops them from the page cache. No process may be using them:
// pages that a process has mapped or not yet written stay.
func DropFromMemory(folder string) (ColdStart, error) {
	bytes, resident, err := inMemory(folder, drop)
	if err != nil {
		err = fmt.Errorf("dropping the database from the page cache: %w", err)
	}
	return ColdStart{Bytes: bytes, Resident: resident}, err
}

// LookAfterOpening measures what is in memory once the database is open, because opening may read all of it. It runs
// in a thread with file descriptors of its own. Closing a file in any other thread would release the locks that
// SQLite has on it (fcntl(2)).
func (start *ColdStart) LookAfterOpening(folder string) error {
	looked := make(chan error)
	go func() {
		// The thread ends with this goroutine, because the goroutine does not unlock it.
		runtime.LockOSThread()
		err := unix.Unshare(unix.CLONE_FILES)
		if err == nil {
			_, start.OpenedResident, err = inMemory(folder, func(*os.File) error { return nil })
		}
		looked <- err
	}()
	if err := <-looked; err != nil {
		return fmt.Errorf("measuring how much of the database is in memory: %w", err)
	}
	return nil
}

// AddTo adds the cold start to the counters of the test that begins with it.
func (start ColdStart) AddTo(counters protocol.Counters) {
	counters["resident_bytes"], counters["start_bytes"] = start.Resident, start.Bytes
	counters["opened_resident_bytes"] = start.OpenedResident
}

func drop(file *os.File) error {
	// A page that is not on the disk yet cannot be dropped.
	if err := file.Sync(); err != nil {
		return err
	}
	return unix.Fadvise(int(file.Fd()), 0, 0, unix.FADV_DONTNEED)
}

// inMemory calls first for each file below a folder. It returns the size that the files occupy, and the part that is
// then in memory.
func inMemory(folder string, first func(*os.File) error) (bytes, resident uint64, err error) {
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		ofFile, inMemory, err := look(path, first)
		bytes, resident = bytes+ofFile, resident+inMemory
		return err
	})
	return bytes, resident, err
}

func look(path string, first func(*os.File) error) (bytes, resident uint64, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, 0, err
	}
	defer file.Close()
	if err := first(file); err != nil {
		return 0, 0, err
	}
	info, err := file.Stat()
	if err != nil {
		return 0, 0, err
	}
	resident, err = residentBytes(file, uint64(info.Size()))
	bytes = occupied(info)
	return bytes, min(resident, bytes), err
}

// piece is how much of a file is checked at once, in bytes: a multiple of every page size.
const piece = 256 << 20

// residentBytes returns how much of a file is in the page cache. It uses mincore(2) over a mapping that reads
// nothing.
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

// blocks returns the number of 512-byte blocks that a file occupies.
func blocks(info fs.FileInfo) (uint64, bool) {
	stat, found := info.Sys().(*syscall.Stat_t)
	if !found {
		return 0, false
	}
	return uint64(stat.Blocks), true
}
