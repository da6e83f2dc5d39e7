package protocol

import (
	"encoding/json"
	"fmt"
)

// Expression is an integer expression: a number, a name, or an operator with two expressions.
type Expression struct {
	operator    byte
	number      int64
	name        string
	left, right *Expression
}

// Variable is a name with its value.
type Variable struct {
	Name  string
	Value int64
}

// Number returns the expression of a constant number.
func Number(number int64) Expression { return Expression{number: number} }

// UnmarshalJSON reads a number, a name as text, or ["+", left, right].
func (expression *Expression) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &expression.number) == nil {
		return nil
	}
	if json.Unmarshal(text, &expression.name) == nil {
		expression.operator = 'n'
		return nil
	}
	var tree []json.RawMessage
	var operator string
	if json.Unmarshal(text, &tree) != nil || len(tree) != 3 || json.Unmarshal(tree[0], &operator) != nil ||
		len(operator) != 1 || operator[0] == 'n' {
		return fmt.Errorf("expression %s: expected a number, a name, or an operator with two expressions", text)
	}
	expression.operator = operator[0]
	expression.left, expression.right = new(Expression), new(Expression)
	if err := json.Unmarshal(tree[1], expression.left); err != nil {
		return err
	}
	if _, known := apply(expression.operator, 1, 1); !known {
		return fmt.Errorf("operator `%s` of an expression: expected one of + - * / %%", operator)
	}
	return json.Unmarshal(tree[2], expression.right)
}

// Value returns the value of the expression. If variables has a name twice, the last one counts. A name that is
// missing counts as 0.
func (expression *Expression) Value(variables []Variable) int64 {
	switch expression.operator {
	case 0:
		return expression.number
	case 'n':
		for at := len(variables) - 1; at >= 0; at-- {
			if variables[at].Name == expression.name {
				return variables[at].Value
			}
		}
		return 0
	}
	value, _ := apply(expression.operator, expression.left.Value(variables), expression.right.Value(variables))
	return value
}

// Count returns the value of an expression that is a constant number of 0 or more. For any other expression it
// returns false.
func (expression *Expression) Count() (uint64, bool) {
	return uint64(expression.number), expression.operator == 0 && expression.number >= 0
}

// apply applies an operator and wraps around at 64 bits. / rounds down, % has the sign of its right operand, and
// both return 0 if the right operand is 0.
func apply(operator byte, left, right int64) (value int64, known bool) {
	switch operator {
	case '+':
		return left + right, true
	case '-':
		return left - right, true
	case '*':
		return left * right, true
	case '/':
		return floorDivision(left, right), true
	case '%':
		if right == 0 {
			return 0, true
		}
		return left - floorDivision(left, right)*right, true
	}
	return 0, false
}

func floorDivision(left, right int64) int64 {
	if right == 0 {
		return 0
	}
	quotient := left / right
	if left%right != 0 && (left < 0) != (right < 0) {
		quotient--
	}
	return quotient
}
