package workload

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"unsafe"
)

// Digest is a checksum of what was read, in order. It is equal for engines that gave equal answers.
type Digest uint64

// Word adds a number.
func (digest *Digest) Word(word uint64) {
	*digest = Digest((bits.RotateLeft64(uint64(*digest), 5) ^ word) * gamma)
}

// Bytes adds a field of bytes.
func (digest *Digest) Bytes(field []byte) { digest.Word(hash(field)) }

// Text adds the bytes of a text.
func (digest *Digest) Text(text string) { digest.Word(HashOf(text)) }

// HashOf returns the word that the bytes of a text add, for texts that are added to several digests.
func HashOf(text string) uint64 { return hash(unsafe.Slice(unsafe.StringData(text), len(text))) }

// Null adds NULL as a value of SQL. Int64, Float64, TextValue and Blob add the kind of a value, and then the value.
func (digest *Digest) Null() { digest.Word(0) }

// Int64 adds an integer as a value of SQL.
func (digest *Digest) Int64(number int64) {
	digest.Word(1)
	digest.Word(uint64(number))
}

// Float64 adds a real number as a value of SQL.
func (digest *Digest) Float64(number float64) {
	digest.Word(2)
	digest.Word(math.Float64bits(number))
}

// TextValue adds a text as a value of SQL.
func (digest *Digest) TextValue(text string) {
	digest.Word(3)
	digest.Text(text)
}

// Blob adds a blob as a value of SQL.
func (digest *Digest) Blob(blob string) {
	digest.Word(4)
	digest.Text(blob)
}

// String returns the digest as it is reported.
func (digest Digest) String() string { return fmt.Sprintf("2:%016x", uint64(digest)) }

func hash(field []byte) uint64 {
	a, b := uint64(len(field)), uint64(gamma)
	if len(field) < 8 {
		var word uint64
		for at := len(field) - 1; at >= 0; at-- {
			word = word<<8 | uint64(field[at])
		}
		return lane(a, word) ^ bits.RotateLeft64(b, 17)
	}
	rest := field
	for ; len(rest) >= 16; rest = rest[16:] {
		a = lane(a, binary.LittleEndian.Uint64(rest))
		b = lane(b, binary.LittleEndian.Uint64(rest[8:]))
	}
	if len(rest) > 8 {
		a = lane(a, binary.LittleEndian.Uint64(rest))
	}
	b = lane(b, binary.LittleEndian.Uint64(field[len(field)-8:]))
	return a ^ bits.RotateLeft64(b, 17)
}

func lane(h, word uint64) uint64 { return bits.RotateLeft64(h^word, 32) * gamma }
