package setup

import (
	"cmp"
	"runtime"
	"runtime/debug"
)

// Set by the linker, see the Makefile. Otherwise the information of the go command is used.
var (
	version  = "" // "v1.2.0"
	revision = "" // the commit it was built from
	date     = "" // of the commit, RFC 3339: so that two builds of it are the same
)

// Build identifies a build of the program.
type Build struct {
	Version  string `json:"version"`  // "(devel)": nobody said
	Revision string `json:"revision"` // empty: unknown; "-dirty" at its end: with changes that are in no commit
	Date     string `json:"date"`     // empty: unknown
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// ThisBuild returns the build of this process.
func ThisBuild() Build {
	b := Build{version, revision, date, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		b.Version = cmp.Or(b.Version, info.Main.Version)
		noted := make(map[string]string, len(info.Settings))
		for _, s := range info.Settings {
			noted[s.Key] = s.Value
		}
		if b.Revision == "" && noted["vcs.modified"] == "true" {
			noted["vcs.revision"] += "-dirty"
		}
		b.Revision = cmp.Or(b.Revision, noted["vcs.revision"])
		b.Date = cmp.Or(b.Date, noted["vcs.time"])
	}
	b.Version = cmp.Or(b.Version, "(devel)")
	return b
}
