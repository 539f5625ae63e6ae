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
	date     = "" // of the commit, RFC 3339, so that builds are reproducible
)

// Build identifies a build of the program.
type Build struct {
	Version  string `json:"version"`  // "(devel)" if unknown
	Revision string `json:"revision"` // empty if unknown; ends in "-dirty" if there were uncommitted changes
	Date     string `json:"date"`     // empty if unknown
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// ThisBuild returns the build of this process.
func ThisBuild() Build {
	b := Build{version, revision, date, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		b.Version = cmp.Or(b.Version, info.Main.Version)
		settings := make(map[string]string, len(info.Settings))
		for _, s := range info.Settings {
			settings[s.Key] = s.Value
		}
		if b.Revision == "" && settings["vcs.modified"] == "true" {
			settings["vcs.revision"] += "-dirty"
		}
		b.Revision = cmp.Or(b.Revision, settings["vcs.revision"])
		b.Date = cmp.Or(b.Date, settings["vcs.time"])
	}
	b.Version = cmp.Or(b.Version, "(devel)")
	return b
}
