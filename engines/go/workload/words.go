package workload

var small = [...]string{
	"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
	"thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
}

var tens = [...]string{"", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"}

var scales = [...]struct {
	value uint64
	name  string
}{
	{1e18, "quintillion"}, {1e15, "quadrillion"}, {1e12, "trillion"}, {1e9, "billion"}, {1e6, "million"}, {1e3, "thousand"},
}

// AppendWords appends a number in English words: lower case, single spaces, no hyphen, no "and".
func AppendWords(text []byte, number int64) []byte {
	rest := uint64(number)
	if number < 0 {
		text, rest = append(text, "minus "...), -rest
	}
	if rest == 0 {
		return append(text, small[0]...)
	}
	start := len(text)
	for _, scale := range scales {
		if rest >= scale.value {
			text = appendBelowThousand(text, start, rest/scale.value)
			text = appendWord(text, start, scale.name)
			rest %= scale.value
		}
	}
	return appendBelowThousand(text, start, rest)
}

func appendBelowThousand(text []byte, start int, number uint64) []byte {
	if number >= 100 {
		text = appendWord(text, start, small[number/100])
		text = appendWord(text, start, "hundred")
		number %= 100
	}
	if number >= 20 {
		text = appendWord(text, start, tens[number/10])
		number %= 10
	}
	if number > 0 {
		text = appendWord(text, start, small[number])
	}
	return text
}

func appendWord(text []byte, start int, word string) []byte {
	if len(text) > start {
		text = append(text, ' ')
	}
	return append(text, word...)
}

// AppendDigits appends a number padded with zeros to a width, which includes the sign.
func AppendDigits(text []byte, number int64, width int) []byte {
	rest := uint64(number)
	if number < 0 {
		text, rest, width = append(text, '-'), -rest, width-1
	}
	return appendPadded(text, rest, width)
}

func appendPadded(text []byte, number uint64, width int) []byte {
	var digits [20]byte
	start := len(digits)
	for number > 0 || start == len(digits) {
		start--
		digits[start] = byte('0' + number%10)
		number /= 10
	}
	for zeros := width - (len(digits) - start); zeros > 0; zeros-- {
		text = append(text, '0')
	}
	return append(text, digits[start:]...)
}
