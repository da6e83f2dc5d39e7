package wire

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func opened(t *testing.T, bytes ...byte) *Reader {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, bytes, 0o600); err != nil {
		t.Fatal(err)
	}
	reader, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(reader.Close)
	return reader
}

func TestNumbersAndBytesAreRead(t *testing.T) {
	reader := opened(t, 0xac, 0x02, 1, 0, 0, 0, 0, 0, 0, 0xe0, 0xbf, 2, 'a', 'b', 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01)
	if number, signed, float := reader.Number(), reader.Signed(), reader.Float(); number != 300 || signed != -1 || float != -0.5 {
		t.Errorf("%d, %d, %v: expected 300, -1 and -0.5", number, signed, float)
	}
	if bytes := reader.AppendBytes([]byte("x")); string(bytes) != "xab" || reader.IsOver() {
		t.Errorf("`%s`, expected `xab` and more", bytes)
	}
	if number := reader.Number(); number != math.MaxUint64 || !reader.IsOver() || reader.Err() != nil {
		t.Errorf("%d, %v: expected the largest number at the end", number, reader.Err())
	}
}

func TestAfterAnErrorNothingIsRead(t *testing.T) {
	reader := opened(t, 1, 0xff, 2)
	reader.CheckText(reader.AppendBytes(nil))
	if number, bytes := reader.Number(), reader.AppendBytes(nil); number != 0 || len(bytes) != 0 {
		t.Errorf("%d and %v were read", number, bytes)
	}
	reader.Fail(os.ErrInvalid)
	if err := reader.Err(); err == nil || !strings.HasSuffix(err.Error(), "file: a text is not UTF-8") {
		t.Errorf("`%v`: expected the first error, with the file", err)
	}
}
