// Package wire reads the files of a recording, which consist of numbers and bytes.
package wire

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"unicode/utf8"
)

// mostBytes is the most bytes of a text or a blob: SQLite's own limit is 1,000,000,000.
const mostBytes = 1 << 30

// Reader reads the numbers and bytes of a file. Once it has failed, it reads zeros and empty bytes.
type Reader struct {
	file   *os.File
	buffer *bufio.Reader
	err    error
}

// Open opens a file.
func Open(path string) (*Reader, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return &Reader{file: file, buffer: bufio.NewReaderSize(file, 1<<16)}, nil
}

// Close closes the file.
func (reader *Reader) Close() { _ = reader.file.Close() }

// Err returns the first error, with the path of the file.
func (reader *Reader) Err() error { return reader.err }

// Fail makes an error the reader's, unless there is none or it has one already.
func (reader *Reader) Fail(err error) {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("the file ends early")
	}
	if reader.err == nil && err != nil {
		reader.err = fmt.Errorf("%s: %w", reader.file.Name(), err)
	}
}

// IsOver reports whether nothing is left, or whether the file cannot be read.
func (reader *Reader) IsOver() bool {
	_, err := reader.buffer.Peek(1)
	if err != nil && err != io.EOF {
		reader.Fail(err)
	}
	return err != nil
}

// Number reads an unsigned number in LEB128.
func (reader *Reader) Number() uint64 {
	if reader.err != nil {
		return 0
	}
	number, err := binary.ReadUvarint(reader.buffer)
	if err != nil {
		reader.Fail(err)
		return 0
	}
	return number
}

// Signed reads the zigzag of a signed number.
func (reader *Reader) Signed() int64 {
	number := reader.Number()
	return int64(number>>1) ^ -int64(number&1)
}

// Float reads a real number of 8 bytes.
func (reader *Reader) Float() float64 {
	var bytes [8]byte
	reader.read(bytes[:])
	return math.Float64frombits(binary.LittleEndian.Uint64(bytes[:]))
}

// Length reads a length, which is below a limit.
func (reader *Reader) Length() int {
	number := reader.Number()
	if number > mostBytes {
		reader.Fail(fmt.Errorf("a length is %d, above the limit of %d", number, mostBytes))
		return 0
	}
	return int(number)
}

// AppendBytes appends bytes, which have their length before them, to others.
func (reader *Reader) AppendBytes(to []byte) []byte {
	length, from := reader.Length(), len(to)
	to = slices.Grow(to, length)[:from+length]
	reader.read(to[from:])
	return to
}

func (reader *Reader) read(into []byte) {
	if reader.err == nil {
		_, err := io.ReadFull(reader.buffer, into)
		reader.Fail(err)
	}
}

// CheckText fails if a text is not UTF-8.
func (reader *Reader) CheckText(text []byte) {
	if reader.err == nil && !utf8.Valid(text) {
		reader.Fail(errors.New("a text is not UTF-8"))
	}
}
