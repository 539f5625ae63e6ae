package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/feedwire/feedwire/"

// levels lists the packages of the five floors from top to bottom. A package imports only packages of lower levels, so there is
// no sideways import and no cycle. Levels with the same floor order the packages that build on each other there. "store/*"
// stands for the packages in a directory that no level names.
var levels = []struct {
	floor    int
	packages []string
}{
	{4, []string{"cmd/feedwire"}},
	{4, []string{"cmd/feedwire/cli", "cmd/feedwire/daemon", "cmd/feedwire/demo"}},
	{4, []string{"cmd/feedwire/subscriber"}},
	{4, []string{"cmd/feedwire/client", "cmd/feedwire/doctor", "cmd/feedwire/setup"}},
	{4, []string{"cmd/feedwire/terminal", "config"}},

	{3, []string{"ingest", "signals", "signals/hub", "signals/topics", "signals/fanout", "publish", "publish/*"}},
	{3, []string{"publish/desk/*"}},

	{2, []string{"signals/delivery", "publish/people", "publish/placement", "publish/prose"}},
	{2, []string{"publish/body", "publish/consumer", "publish/instant"}},
	{2, []string{"publish/instant/validate", "publish/instant/rulesfile"}},
	{2, []string{"publish/instant/selector", "publish/instant/inline"}},
	{2, []string{"signals/retry", "signals/turns", "signals/pace", "publish/web", "publish/arrival", "publish/limits", "publish/document", "publish/feedxml", "publish/journal", "publish/xmltree", "signals/websub"}},
	{2, []string{"publish/mail", "publish/single", "publish/copies", "publish/strength", "publish/page"}},
	{2, []string{"publish/profile", "publish/hypertext", "publish/blocklist"}},
	{2, []string{"ingest/parser", "ingest/opml", "ingest/fetch"}},
	{2, []string{"ingest/mend", "ingest/charset", "ingest/date"}},

	{1, []string{"store"}},
	{1, []string{"store/*"}},
	{1, []string{"store/core"}},
	{1, []string{"store/route"}},
	{1, []string{"store/address"}},

	{0, []string{vocabulary}},
}

// vocabulary is the package that all others may import.
const vocabulary = "store/feed"

// helpers are imported by tests only.
var helpers = []string{"store/storetest", "publish/feedtest", "publish/xsstest", "publish/web/webtest", "publish/mail/mailtest", "cmd/feedwire/wiretest", "cmd/feedwire/e2e"}

// owners names the packages that alone may import a library.
var owners = map[string][]string{
	"database/sql":                          {}, // Redis is the only database
	"github.com/gomodule/redigo":            {"store/*"},
	"github.com/blevesearch":                {"store/search"},
	"github.com/mmcdole/gofeed":             {"ingest/parser"},
	"github.com/gorilla/feeds":              {"publish/feedxml"},
	"github.com/robfig/cron":                {"cmd/feedwire/daemon", "config"},
	"github.com/alicebob/miniredis":         {"store/embedded", "store/storetest"},
	"github.com/goccy/go-yaml":              {"config", "publish/profile"},
	"github.com/microcosm-cc/bluemonday":    {"publish/body"},
	"github.com/minio/minio-go":             {"publish/media"},
	"github.com/santhosh-tekuri/jsonschema": {"publish/consumer"},
	"github.com/wneessen/go-mail":           {"publish/mail"},
	"github.com/spf13/cobra":                {"cmd/feedwire/cli"},
	"github.com/coreos/go-systemd":          {"cmd/feedwire/daemon"},
	"golang.org/x/crypto":                   {"publish/people"},
}

// mostArrows bounds the module-internal imports of a package on average, without those of the vocabulary.
const mostArrows = 2.6

// level returns the index in levels of a package, or -1.
func level(name string) int {
	for _, wanted := range []string{name, path.Dir(name) + "/*"} {
		for i := range levels {
			if slices.Contains(levels[i].packages, wanted) {
				return i
			}
		}
	}
	return -1
}

// matches reports whether patterns contain a package.
func matches(patterns []string, name string) bool {
	return slices.Contains(patterns, name) || slices.Contains(patterns, path.Dir(name)+"/*")
}

// 003-4
func TestPackagesImportOnlyWhatTheyMay(t *testing.T) {
	imports := listImports(t)
	packages, arrows, known := 0, 0, 0
	for name, paths := range imports {
		if slices.Contains(helpers, name) {
			continue
		}
		packages++
		if level(name) < 0 {
			t.Errorf("package %s has no floor: add it to levels", name)
			continue
		}
		for _, imported := range paths {
			ours, ok := strings.CutPrefix(imported, module)
			switch {
			case !ok && name == vocabulary && strings.Contains(imported, "."):
				t.Errorf("%s imports %s; it may import only the standard library", name, imported)
			case ok && ours == vocabulary:
				known++
			case ok:
				arrows++
			}
			if ok {
				checkArrow(t, name, ours)
			}
		}
	}
	mean := float64(arrows) / float64(packages)
	t.Logf("%d packages, %d arrows and %d to %s: %.2f arrows a package", packages, arrows, known, vocabulary, mean)
	if mean > mostArrows {
		t.Errorf("%.2f arrows a package, at most %v are allowed", mean, mostArrows)
	}
}

// checkArrow fails the test if a package may not import another one.
func checkArrow(t *testing.T, name, imported string) {
	t.Helper()
	from, to := level(name), level(imported)
	switch {
	case slices.Contains(helpers, imported):
		t.Errorf("%s imports %s, which is for tests", name, imported)
	case to <= from:
		t.Errorf("%s (level %d) imports %s (level %d): imports go down only", name, from, imported, to)
	case imported == "config" && !strings.HasPrefix(name, "cmd/"):
		t.Errorf("%s imports config, which only cmd may", name)
	case levels[to].floor == 1 && (levels[from].floor == 2 || levels[from].floor == 3):
		t.Errorf("%s imports %s: rooms and kits do not import the store", name, imported)
	}
}

// 003-2
func TestLibrariesAreImportedByTheirOwners(t *testing.T) {
	imports := listImports(t)
	for library, own := range owners {
		uses := func(name string) bool {
			return slices.ContainsFunc(imports[name], func(p string) bool { return p == library || strings.HasPrefix(p, library+"/") })
		}
		for name := range imports {
			if uses(name) && !matches(own, name) {
				t.Errorf("%s imports %s; only %v may", name, library, own)
			}
		}
		for _, name := range own {
			if !strings.HasSuffix(name, "*") && !uses(name) {
				t.Errorf("%s owns %s and does not import it", name, library)
			}
		}
	}
}

func TestTablesOfImportsNamePackages(t *testing.T) {
	imports := listImports(t)
	all := slices.Clone(helpers)
	for _, l := range levels {
		all = append(all, l.packages...)
	}
	for _, name := range all {
		if _, ok := imports[name]; !ok && !strings.HasSuffix(name, "*") {
			t.Errorf("a table names %s, which is not a package", name)
		}
	}
}

// listImports returns the imports of each package of the module, without those of its tests.
func listImports(t *testing.T) map[string][]string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports", module+"...").Output()
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string][]string)
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimPrefix(p.ImportPath, module)] = p.Imports
	}
}
