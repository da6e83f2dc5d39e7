package workload

import (
	"encoding/binary"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Template is a format of keys and values: text with numbers and bytes in it.
type Template struct {
	parts  []part
	suffix string
}

// part is a text and the placeholder after it.
type part struct {
	text, kind string
	// digits is the minimum number of digits. bytes is above 0 if a number or a UUID is written as that many bytes.
	digits, bytes int
	// lengths are those of random bytes. One is drawn by its weight if there are several. weights is their sum.
	lengths []length
	weights uint64
	// repeated is the percentage of random bytes that repeats those before.
	repeated int
}

// length is a number of bytes, which is drawn if most is above least.
type length struct {
	least, most int
	weight      uint64
}

var (
	// placeholder matches the inside of curly brackets: a name, with a form if it has one.
	placeholder = regexp.MustCompile(`^(key|op|hash|random|scattered|uuid4|uuid7)(?::(.+))?$`)
	// numberForm matches digits or bytes of a number.
	numberForm = regexp.MustCompile(`^(u?)(\d+)$`)
	// bytesForm matches the lengths of random bytes, and the percentage that repeats.
	bytesForm = regexp.MustCompile(`^([^,]+)(?:,(\d+)%)?$`)
	// lengthForm matches a length: 100, 100-200, 100*9.
	lengthForm = regexp.MustCompile(`^(\d+)(?:-(\d+))?(?:\*(\d+))?$`)
)

// NewTemplate reads a format such as "key_{key:8}".
func NewTemplate(format string) (Template, error) {
	var template Template
	rest := format
	for {
		text, after, found := strings.Cut(rest, "{")
		if !found {
			break
		}
		inside, behind, closed := strings.Cut(after, "}")
		part, known := newPart(text, inside)
		if !closed || !known || strings.Contains(text, "}") {
			return template, unknownFormat(format)
		}
		template.parts = append(template.parts, part)
		rest = behind
	}
	if strings.Contains(rest, "}") {
		return template, unknownFormat(format)
	}
	template.suffix = rest
	return template, nil
}

func unknownFormat(format string) error {
	return fmt.Errorf("format `%s`: expected text with {key}, {op}, {hash} (each alone, with :DIGITS or :uBYTES), {random:BYTES} and {scattered:BYTES} (or :FEWEST-MOST, a list such as 100*9/4000, and ,50%% if half of them repeats), {uuid4} and {uuid7} (alone or with :u16)", format)
}

func newPart(text, inside string) (part, bool) {
	found := placeholder.FindStringSubmatch(inside)
	if found == nil {
		return part{}, false
	}
	made, form := part{text: text, kind: found[1]}, found[2]
	switch made.kind {
	case "random", "scattered":
		return made, made.readBytes(form)
	case "uuid4", "uuid7":
		if form == "u16" {
			made.bytes = 16
		}
		return made, inside == made.kind || form == "u16"
	}
	if inside == made.kind {
		return made, true
	}
	width := numberForm.FindStringSubmatch(form)
	if width == nil {
		return made, false
	}
	number, _ := strconv.Atoi(width[2])
	if width[1] == "u" {
		made.bytes = number
		return made, number >= 1 && number <= 8
	}
	made.digits = number
	return made, number >= 1 && number <= 20
}

// readBytes reads the lengths of random bytes, and the percentage that repeats.
func (part *part) readBytes(form string) bool {
	found := bytesForm.FindStringSubmatch(form)
	if found == nil {
		return false
	}
	part.repeated, _ = strconv.Atoi(found[2])
	for text := range strings.SplitSeq(found[1], "/") {
		found := lengthForm.FindStringSubmatch(text)
		if found == nil {
			return false
		}
		length := length{weight: 1}
		length.least, _ = strconv.Atoi(found[1])
		length.most = length.least
		if found[2] != "" {
			length.most, _ = strconv.Atoi(found[2])
		}
		if found[3] != "" {
			length.weight, _ = strconv.ParseUint(found[3], 10, 32)
		}
		if length.least < 1 || length.most < length.least || length.weight < 1 {
			return false
		}
		part.lengths = append(part.lengths, length)
		part.weights += length.weight
	}
	return part.repeated <= 100
}

// Append appends the format with a record's index and an operation's ordinal inserted.
func (template *Template) Append(text []byte, key, operation uint64, random *SplitMix64) []byte {
	for at := range template.parts {
		part := &template.parts[at]
		text = append(text, part.text...)
		var number uint64
		switch part.kind {
		case "random":
			text = part.appendRandom(text, random)
			continue
		case "scattered":
			text = part.appendRandom(text, Stream(0, key))
			continue
		case "uuid4", "uuid7":
			text = part.appendUUID(text, key)
			continue
		case "key":
			number = key
		case "op":
			number = operation
		case "hash":
			number = fnv1a(key)
		}
		if part.bytes == 0 {
			text = appendPadded(text, number, part.digits)
			continue
		}
		for shift := 8 * (part.bytes - 1); shift >= 0; shift -= 8 {
			text = append(text, byte(number>>shift))
		}
	}
	return append(text, template.suffix...)
}

// appendRandom appends the bytes of as many random numbers as needed, the lowest byte of each first. What is random
// about the length is drawn before: which of several lengths, then the number of bytes. The repeated part copies the
// bytes from its beginning on.
func (part *part) appendRandom(text []byte, random *SplitMix64) []byte {
	count := part.draw(random)
	fresh := count - count*part.repeated/100
	begin := len(text)
	for end := begin + fresh; len(text) < end; {
		word := random.Next()
		for range min(8, end-len(text)) {
			text = append(text, byte(word))
			word >>= 8
		}
	}
	for at := fresh; at < count; at++ {
		if fresh == 0 {
			text = append(text, 'x')
		} else {
			text = append(text, text[begin+at-fresh])
		}
	}
	return text
}

// draw returns a number of bytes.
func (part *part) draw(random *SplitMix64) int {
	length := part.lengths[0]
	if len(part.lengths) > 1 {
		drawn, before := random.Below(part.weights), uint64(0)
		for _, one := range part.lengths {
			before += one.weight
			if drawn < before {
				length = one
				break
			}
		}
	}
	if length.most > length.least {
		return length.least + int(random.Below(uint64(length.most-length.least)+1))
	}
	return length.least
}

// uuidEpochMs is the time in the UUID of version 7 of record 0: 2026-01-01.
const uuidEpochMs = 1_767_225_600_000

// appendUUID appends the UUID of a record (RFC 9562), with all that is random scattered from its index.
func (part *part) appendUUID(text []byte, key uint64) []byte {
	random := Stream(0, key)
	high, low := random.Next(), random.Next()
	version := uint64(4)
	if part.kind == "uuid7" {
		high, version = (uuidEpochMs+key)<<16|high&0xFFFF, 7
	}
	high = high&^0xF000 | version<<12
	low = low&^(3<<62) | 2<<62
	if part.bytes > 0 {
		return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(text, high), low)
	}
	return fmt.Appendf(text, "%08x-%04x-%04x-%04x-%012x", high>>32, high>>16&0xFFFF, high&0xFFFF, low>>48, low&(1<<48-1))
}

// fnv1a returns the 64-bit FNV-1a hash of a number's eight bytes, the lowest first, without its sign.
func fnv1a(number uint64) uint64 {
	hash := uint64(0xCBF29CE484222325)
	for range 8 {
		hash = (hash ^ number&255) * 1099511628211
		number >>= 8
	}
	if int64(hash) < 0 {
		return -hash
	}
	return hash
}
