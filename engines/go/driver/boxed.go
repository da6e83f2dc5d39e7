package driver

// Boxed appends values to args, for drivers that take arguments of type any.
func Boxed(args []any, values []Value) []any {
	for at := range values {
		value := &values[at]
		switch value.Kind {
		case Integer:
			args = append(args, value.Bits)
		case Real:
			args = append(args, value.Float())
		case Text:
			args = append(args, value.Data)
		case Blob:
			args = append(args, value.Bytes())
		default:
			args = append(args, nil)
		}
	}
	return args
}
