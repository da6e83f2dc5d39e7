package engine

import (
	"testing"

	"github.com/dbdyno/dbdyno/engines/go/driver"
	"github.com/dbdyno/dbdyno/engines/go/protocol"
)

func TestColumnsOfRealNumbersAreReadAsSuch(t *testing.T) {
	expected := map[string]driver.Kind{
		"DOUBLE": driver.Real, "double precision": driver.Real, "FLOAT": driver.Real, "REAL": driver.Real,
		"INTEGER": driver.Integer, "BLOB": driver.Blob, "VARCHAR(100)": driver.Text, "TEXT": driver.Text,
	}
	for name, kind := range expected {
		table := &protocol.Table{Columns: []protocol.Column{{Name: "a", Type: name}}}
		if found := declared(table)[0]; found != kind {
			t.Errorf("%s: %v, expected %v", name, found, kind)
		}
	}
}
