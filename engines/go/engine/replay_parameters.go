package engine

import (
	"slices"
	"strconv"
	"strings"
)

// mostParameters is SQLite's limit of the numbers of parameters.
const mostParameters = 32_766

// numbered returns a statement whose named parameters are replaced by their numbers, and the number of values that it
// takes. A recording has the values in the order of these numbers. Some drivers accept values without a name only for
// parameters without a name.
func numbered(sql string) (text string, parameters int) {
	var names []string
	var written strings.Builder
	written.Grow(len(sql))
	for len(sql) > 0 {
		length := tokenLength(sql)
		token := sql[:length]
		sql = sql[length:]
		switch {
		case token[0] == '?':
			parameters = max(parameters, parameterNumber(token, parameters))
		case length > 1 && strings.IndexByte(":@$", token[0]) >= 0:
			at := slices.Index(names, token)
			for len(names) < parameters {
				// Parameters without a name have numbers too.
				names = append(names, "")
			}
			if at < 0 {
				at = len(names)
				names = append(names, token)
			}
			parameters = max(parameters, at+1)
			token = "?" + strconv.Itoa(at+1)
		}
		written.WriteString(token)
	}
	return written.String(), parameters
}

// parameterNumber returns the number of the parameter ? or ?NNN. last is the highest number before it.
func parameterNumber(token string, last int) int {
	if token == "?" {
		return last + 1
	}
	number, err := strconv.Atoi(token[1:])
	if err != nil || number > mostParameters {
		// SQLite refuses the statement.
		return last
	}
	return number
}

// tokenLength returns the length of the first token of a text, as exactly as is needed to find parameters. Whatever
// cannot have a parameter in it is one token: strings, quoted names, comments, names and numbers.
func tokenLength(sql string) int {
	switch first := sql[0]; {
	case first == '\'' || first == '"' || first == '`':
		return quotedLength(sql, first)
	case first == '[':
		return through(sql, 1, "]")
	case strings.HasPrefix(sql, "--"):
		return through(sql, 2, "\n")
	case strings.HasPrefix(sql, "/*"):
		return through(sql, 2, "*/")
	case first == '?':
		return 1 + runLength(sql[1:], func(letter byte) bool { return '0' <= letter && letter <= '9' })
	case first == ':' || first == '@' || first == '$':
		return variableLength(sql)
	case isOfName(first):
		return runLength(sql, isOfName)
	}
	return 1
}

// quotedLength returns the length of a quoted text. A doubled quote is a part of it.
func quotedLength(sql string, quote byte) int {
	for at := 1; at < len(sql); at++ {
		if sql[at] != quote {
			continue
		}
		if at+1 == len(sql) || sql[at+1] != quote {
			return at + 1
		}
		at++
	}
	return len(sql)
}

// through returns the length of a text up to and including its end, which begins at an index or later.
func through(sql string, from int, end string) int {
	at := strings.Index(sql[from:], end)
	if at < 0 {
		return len(sql)
	}
	return from + at + len(end)
}

// variableLength returns the length of a named parameter, which may have the form $a::b(c). It is 1 if there is no
// name.
func variableLength(sql string) int {
	at := 1
	for at < len(sql) {
		switch {
		case isOfName(sql[at]):
			at++
		case strings.HasPrefix(sql[at:], "::"):
			at += 2
		case sql[at] == '(' && at > 1:
			if end := strings.IndexAny(sql[at:], ") \t\n\f\r"); end >= 0 && sql[at+end] == ')' {
				return at + end + 1
			}
			return at
		default:
			return at
		}
	}
	return at
}

func runLength(sql string, is func(byte) bool) int {
	at := 0
	for at < len(sql) && is(sql[at]) {
		at++
	}
	return at
}

// isOfName reports whether a byte may be a part of a name.
func isOfName(letter byte) bool {
	return letter == '_' || letter == '$' || letter >= 0x80 || '0' <= letter && letter <= '9' ||
		'a' <= letter && letter <= 'z' || 'A' <= letter && letter <= 'Z'
}
