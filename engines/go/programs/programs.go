// Package programs holds tests of the built programs: what they answer, and how they end.
package programs
