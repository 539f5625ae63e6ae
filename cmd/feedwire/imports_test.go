package main

import (
	"encoding/json"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/feedwire/feedwire/"

// allowed says which packages of ours each package may import. The rooms know neither each other nor the store.
var allowed = map[string][]string{
	"store/feed":        {},
	"store":             {"store/address", "store/feed", "store/route"},
	"store/address":     {},
	"store/route":       {"store/address"},
	"store/embedded":    {"store/feed"},
	"store/storetest":   {"store", "store/embedded", "store/feed", "store/route"},
	"ingest":            {"store/feed", "signals/websub"},
	"signals":           {"store/feed", "signals/websub"},
	"signals/hub":       {"store/feed", "signals/websub"},
	"signals/websub":    {},
	"publish":           {"store/feed", "publish/body", "publish/instant", "publish/profile"},
	"publish/body":      {"publish/instant"},
	"publish/consumer":  {"publish/profile"},
	"publish/feedcheck": {},
	"publish/instant":   {"store/feed"},
	"publish/profile":   {},
	"publish/xsstest":   {},
	"publish/desk":      {"store/feed", "publish/instant"},
	"config":            {"store/address", "store/feed", "publish/profile"},
	"cmd/feedwire":      {"config", "ingest", "publish", "publish/consumer", "publish/desk", "publish/instant", "publish/profile", "signals", "signals/hub", "signals/websub", "store", "store/embedded", "store/feed"},
}

// owners says which packages alone may import a library.
var owners = map[string][]string{
	"github.com/gomodule/redigo":         {"store", "store/route", "store/storetest"},
	"github.com/mmcdole/gofeed":          {"ingest"},
	"github.com/gorilla/feeds":           {"publish"},
	"github.com/robfig/cron":             {"cmd/feedwire", "config"},
	"github.com/alicebob/miniredis":      {"store/embedded", "store/storetest"},
	"github.com/goccy/go-yaml":           {"config", "publish/profile"},
	"github.com/microcosm-cc/bluemonday": {"publish/body"},
	"github.com/spf13/cobra":             {"cmd/feedwire"},
	"github.com/coreos/go-systemd":       {"cmd/feedwire"},
	"golang.org/x/crypto":                {"publish/desk"},
}

func TestPackagesImportOnlyWhatTheyMay(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports", module+"...").Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]bool)
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(p.ImportPath, module)
		seen[name] = true
		may, known := allowed[name]
		if !known {
			t.Errorf("package %s has no rule: add it to this table", name)
		}
		for _, path := range p.Imports {
			if ours, ok := strings.CutPrefix(path, module); ok && !slices.Contains(may, ours) {
				t.Errorf("%s imports %s", name, ours)
			}
			for library, packages := range owners {
				if (path == library || strings.HasPrefix(path, library+"/")) && !slices.Contains(packages, name) {
					t.Errorf("%s imports %s, which only %v may", name, path, packages)
				}
			}
			if name == "store/feed" && strings.Contains(path, ".") {
				t.Errorf("store/feed imports %s: it keeps to the standard library", path)
			}
		}
	}
	for name := range allowed {
		if !seen[name] {
			t.Errorf("the table has a rule for %s, which is no package", name)
		}
	}
}
