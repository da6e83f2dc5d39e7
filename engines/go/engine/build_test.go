package engine

import (
	"runtime/debug"
	"slices"
	"testing"
)

func TestFlagsThatMakeAProgramSlowerAreSaid(t *testing.T) {
	info := &debug.BuildInfo{
		GoVersion: "go1.26.1",
		Settings: []debug.BuildSetting{
			{Key: "-buildmode", Value: "exe"}, {Key: "-gcflags", Value: "all=-N -l"}, {Key: "-race", Value: "true"},
			{Key: "vcs.time", Value: "2026-01-01"}, {Key: "CGO_CFLAGS", Value: ""}, {Key: "-tags", Value: ""},
		},
		Deps: []*debug.Module{{Path: "x.y/z", Version: "v1.0.0"}},
	}
	want := []string{"go1.26.1", "-gcflags=all=-N -l", "-race=true", "x.y/z v1.0.0"}
	if got := builtWith(info); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
