package workload

import (
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
	// digits is the minimum number of digits. bytes is above 0 if a number is written as that many bytes, and for
	// random bytes. For random bytes, most is above bytes if the number of bytes is drawn.
	digits, bytes, most int
}

// placeholder matches the inside of curly brackets: a name, with digits or bytes if it has them.
var placeholder = regexp.MustCompile(`^([a-z]+)(?::(u?)(\d+)(?:-(\d+))?)?$`)

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
	return fmt.Errorf("format `%s`: expected text with {key}, {op}, {hash} (each alone, with :DIGITS or :uBYTES), {random:BYTES} and {scattered:BYTES} (or :FEWEST-MOST)", format)
}

func newPart(text, inside string) (part, bool) {
	found := placeholder.FindStringSubmatch(inside)
	if found == nil {
		return part{}, false
	}
	number, _ := strconv.Atoi(found[3])
	made, isBytes, isDrawn := part{text: text, kind: found[1]}, found[2] == "u", found[4] != ""
	switch made.kind {
	case "key", "op", "hash":
		if isDrawn {
			return made, false
		}
		if isBytes {
			made.bytes = number
			return made, number >= 1 && number <= 8
		}
		made.digits = number
		return made, number <= 20 && (number > 0 || found[3] == "")
	case "random", "scattered":
		made.bytes, made.most = number, number
		if isDrawn {
			made.most, _ = strconv.Atoi(found[4])
		}
		return made, !isBytes && number >= 1 && made.most >= number
	}
	return made, false
}

// Append appends the format with a record's index and an operation's ordinal inserted.
func (template *Template) Append(text []byte, key, operation uint64, random *SplitMix64) []byte {
	for at := range template.parts {
		part := &template.parts[at]
		text = append(text, part.text...)
		var number uint64
		switch part.kind {
		case "random":
			text = appendRandom(text, part.bytes, part.most, random)
			continue
		case "scattered":
			text = appendRandom(text, part.bytes, part.most, Stream(0, key))
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

// appendRandom appends the bytes of as many random numbers as needed, the lowest byte of each first. If the number
// of bytes is random, it is drawn first.
func appendRandom(text []byte, least, most int, random *SplitMix64) []byte {
	count := least
	if most > least {
		count += int(random.Below(uint64(most-least) + 1))
	}
	for end := len(text) + count; len(text) < end; {
		word := random.Next()
		for range min(8, end-len(text)) {
			text = append(text, byte(word))
			word >>= 8
		}
	}
	return text
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
