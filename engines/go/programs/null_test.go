package programs

import (
	"encoding/json"
	"testing"
)

// The cost of this harness itself is measured with the same program, in a job for an engine that does nothing.
func TestAProgramDoesNothingUnderTheNameOfItsHarness(t *testing.T) {
	harness, named := described(t, "mattn")["harness"].(string)
	if !named {
		t.Fatal("the description names no harness")
	}
	for _, suite := range []string{"kv", "lumosql"} {
		_, real := finished(t, "mattn", stored(t, "mattn", suite, nil))
		job := stored(t, "mattn", suite, nil)
		job["engine"], job["options"] = harness, map[string]string{}
		_, nothing := finished(t, "mattn", job)
		if len(nothing) != len(real) {
			t.Errorf("%s: %d tests, expected %d", suite, len(nothing), len(real))
		}
		for test, done := range nothing {
			if size := done["database_bytes"].(json.Number).String(); size != "0" {
				t.Errorf("%s %s: %s bytes are stored", suite, test, size)
			}
			if found, expected := done["operations"], real[test]["operations"]; suite == "lumosql" && found != expected {
				t.Errorf("%s %s: %v operations, expected %v", suite, test, found, expected)
			}
		}
	}
}

func TestAnEngineThatDoesNothingHasNoOptions(t *testing.T) {
	job := stored(t, "mattn", "kv", nil)
	job["engine"] = "go-null"
	failed(t, "mattn", job)
}
