module github.com/dbdyno/dbdyno/engines/go

go 1.25.0

require (
	crawshaw.io/sqlite v0.3.2
	github.com/HdrHistogram/hdrhistogram-go v1.4.0
	github.com/bvinc/go-sqlite-lite v0.6.1
	github.com/eatonphil/gosqlite v0.10.0
	github.com/glebarez/go-sqlite v1.22.0
	github.com/google/pprof v0.0.0-20250317173921-a4b03ec1a45e
	github.com/mattn/go-sqlite3 v1.14.37
	github.com/ncruces/go-sqlite3 v0.32.0
	github.com/tetratelabs/wazero v1.11.0
	golang.org/x/sys v0.42.0
	modernc.org/sqlite v1.47.0
	zombiezen.com/go/sqlite v1.4.2
)

require (
	github.com/dustin/go-humanize v1.0.1 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/mattn/go-isatty v0.0.20 // indirect
	github.com/ncruces/go-strftime v1.0.0 // indirect
	github.com/ncruces/julianday v1.0.0 // indirect
	github.com/remyoudompheng/bigfft v0.0.0-20230129092748-24d4a6f8daec // indirect
	modernc.org/libc v1.70.0 // indirect
	modernc.org/mathutil v1.7.1 // indirect
	modernc.org/memory v1.11.0 // indirect
)
