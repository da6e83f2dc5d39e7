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
	*digest = Digest(chained(uint64(*digest), word))
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
func (digest Digest) String() string { return fmt.Sprintf("3:%016x", uint64(digest)) }

// longestPiece is the number of bytes of a field that are hashed at a time.
const longestPiece = 1024

// blockKeys are the keys of each block of a piece: the first numbers of the generator.
var blockKeys = func() (keys [longestPiece / 16][2]uint64) {
	random := NewSplitMix64(0)
	for at := range keys {
		keys[at] = [2]uint64{random.Next(), random.Next()}
	}
	return keys
}()

func chained(before, word uint64) uint64 { return (bits.RotateLeft64(before, 5) ^ word) * gamma }

func hash(field []byte) uint64 {
	piece := field[:min(len(field), longestPiece)]
	hashed := hashPiece(piece)
	for rest := field[len(piece):]; len(rest) > 0; rest = rest[len(piece):] {
		piece = rest[:min(len(rest), longestPiece)]
		hashed = chained(hashed, hashPiece(piece))
	}
	return hashed
}

func hashPiece(piece []byte) uint64 {
	a, b := uint64(0), uint64(len(piece))
	add := func(block int, u, v uint64) {
		a += product(u^blockKeys[block][0]) + v
		b += product(v^blockKeys[block][1]) + u
	}
	word := func(at int) uint64 { return binary.LittleEndian.Uint64(piece[at:]) }
	switch length := len(piece); {
	case length < 8:
		var filled [8]byte
		copy(filled[:], piece)
		add(0, binary.LittleEndian.Uint64(filled[:]), 0)
	case length < 16:
		add(0, word(0), word(length-8))
	default:
		for at := 0; at+16 <= length; at += 16 {
			add(at/16, word(at), word(at+8))
		}
		if length%16 > 0 {
			add(length/16, word(length-16), word(length-8))
		}
	}
	return bits.RotateLeft64(a, 32) ^ b
}

func product(keyed uint64) uint64 { return (keyed & math.MaxUint32) * (keyed >> 32) }
