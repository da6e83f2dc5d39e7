package engine

import (
	"fmt"
	"slices"

	"github.com/dbdyno/dbdyno/engines/go/driver"
	"github.com/dbdyno/dbdyno/engines/go/protocol"
	"github.com/dbdyno/dbdyno/engines/go/workload"
)

// input is a parameter with everything resolved that can be resolved in advance.
type input struct {
	*protocol.Parameter
	// literals are the values of one_of.
	literals []driver.Value
	// template is set if the parameter has a format.
	template *workload.Template
}

// keptValue is a value to bind that belongs to a kept row.
type keptValue struct {
	// at is the place among the values to bind.
	at int
	// row is the number of the kept row, from 1.
	row    int
	column uint
}

// bind sets the inputs of a statement.
func (program *program) bind(statement *statement, parameters []protocol.Parameter) error {
	for at := range parameters {
		made := input{Parameter: &parameters[at]}
		switch {
		case made.OneOf != nil:
			for _, literal := range made.OneOf {
				made.literals = append(made.literals, valueOf(literal))
			}
		case made.Format != nil:
			template, err := workload.NewTemplate(*made.Format)
			if err != nil {
				return fmt.Errorf("%s: %w", statement.sql, err)
			}
			made.template = &template
		case made.Kept != nil:
			statement.kept = append(statement.kept, keptValue{at, program.keptRow(*made.Kept), made.Column})
		}
		statement.bind = append(statement.bind, made)
	}
	return nil
}

// isMore reports whether the value belongs to a kept row or may be a blob.
func (input input) isMore() bool {
	return input.Kept != nil || input.Blob || slices.ContainsFunc(input.literals, isBlob)
}

func isBlob(value driver.Value) bool { return value.Kind == driver.Blob }

func valueOf(literal protocol.Literal) driver.Value {
	switch {
	case literal.Integer != nil:
		return driver.IntegerValue(*literal.Integer)
	case literal.Real != nil:
		return driver.RealValue(*literal.Real)
	case literal.Text != nil:
		return driver.TextValue(*literal.Text)
	case literal.Blob != nil:
		return driver.BlobValue(literal.Blob)
	}
	return driver.Value{}
}

// number draws a random number.
func (draw *draw) number(variables []protocol.Variable, random *workload.SplitMix64) int64 {
	if draw.popular != nil {
		return int64(draw.popular.Record(random))
	}
	return int64(random.Below(uint64(max(draw.below.Value(variables), 0))))
}

// draw returns the nodes of the first entry whose sum of weights is above a random number.
func (mix *mix) draw(random *workload.SplitMix64) []node {
	drawn := random.Below(mix.weights)
	at := slices.IndexFunc(mix.entries, func(entry entry) bool { return entry.weights > drawn })
	return mix.entries[at].nodes
}

// add appends the value of a parameter to the block. It appends NULL for a value of a kept row, which is known only
// when the statement is run.
func (block *block) add(input *input, variables []protocol.Variable, random *workload.SplitMix64) {
	switch {
	case input.Integer != nil:
		block.values = append(block.values, driver.IntegerValue(input.Integer.Value(variables)))
	case input.Real != nil:
		block.values = append(block.values, driver.RealValue(realOf(input.Parameter, variables)))
	case input.Text != nil:
		block.values = append(block.values, driver.TextValue(*input.Text))
	case input.literals != nil:
		at := remainder(input.At.Value(variables), len(input.literals))
		block.values = append(block.values, input.literals[at])
	case input.Kept != nil:
		block.values = append(block.values, driver.Value{})
	default:
		from, kind := len(block.bytes), driver.Text
		if input.template == nil {
			block.bytes = appendText(block.bytes, input.Parameter, variables)
		} else {
			block.bytes = input.template.Append(block.bytes, uint64(input.Key.Value(variables)), 0, random)
			if input.Blob {
				kind = driver.Blob
			} else {
				makePrintable(block.bytes[from:])
			}
		}
		block.texts = append(block.texts, span{len(block.values), from, len(block.bytes)})
		block.values = append(block.values, driver.Value{Kind: kind})
	}
}

// remainder returns a number modulo a count, which is never negative.
func remainder(number int64, count int) int {
	rest := int(number % int64(count))
	if rest < 0 {
		rest += count
	}
	return rest
}

// makePrintable replaces the bytes that are not printable ASCII by letters.
func makePrintable(text []byte) {
	for at, letter := range text {
		if letter < 0x20 || letter > 0x7e {
			text[at] = 'a' + letter%26
		}
	}
}

func realOf(parameter *protocol.Parameter, variables []protocol.Variable) float64 {
	return float64(parameter.Real.Value(variables)) / parameter.Per
}

// appendText appends the value of a parameter that is a text.
func appendText(text []byte, parameter *protocol.Parameter, variables []protocol.Variable) []byte {
	switch {
	case parameter.Text != nil:
		return append(text, *parameter.Text...)
	case parameter.Repeat != nil:
		for range max(parameter.Times.Value(variables), 0) {
			text = append(text, *parameter.Repeat...)
		}
		return text
	}
	text = append(text, parameter.Prefix...)
	if parameter.Words != nil {
		text = workload.AppendWords(text, parameter.Words.Value(variables))
	} else {
		text = workload.AppendDigits(text, parameter.Digits.Value(variables), parameter.Width)
	}
	return append(text, parameter.Suffix...)
}
