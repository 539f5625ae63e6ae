//go:build !race

package publish_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/publish"
	"github.com/feedwire/feedwire/publish/feedxml"
	"github.com/feedwire/feedwire/publish/profile"
	"github.com/feedwire/feedwire/store/feed"
)

// partners are the profiles whose documents of hostile articles are in testdata/partners.
var partners = []string{"google-news", "apple-news", "amp", "podcast", "yahoo", "dzen", "smartnews", "msn"}

// TestHostileArticlesForPartners compares the documents of hostile articles with testdata/partners, and validates them with
// other programs. Run with -update to write them.
func TestHostileArticlesForPartners(t *testing.T) {
	articles := slices.DeleteFunc(nasty(), func(a feed.Article) bool { return len(a.Content) > 10_000 })
	for _, name := range partners {
		p, _ := profile.Find(name, nil)
		for _, form := range p.Forms {
			t.Run(name+"."+form, func(t *testing.T) {
				document, _ := edition(t, harbourFeed(name), "news."+form, publish.Options{}, articles...)
				accepted(t, name, form, document)
				path := filepath.Join("testdata", "partners", name+"."+form)
				if *update {
					if err := os.WriteFile(path, []byte(document), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(want), document); diff != "" {
					t.Errorf("%s differs (-want +got); run go test ./publish -run Partners -update and review the change:\n%s", path, diff)
				}
				lint(t, form, document) // the last: it may skip
			})
		}
	}
}

// lint checks a document with xmllint, and its schema if the format has one. Without xmllint it skips the test.
func lint(t *testing.T, form, document string) {
	t.Helper()
	if strings.HasPrefix(document, "{") {
		return // the checker has the schema
	}
	args := []string{"--noout", "--nonet"}
	if form == feedxml.Sitemap {
		args = append(args, "--schema", "testdata/schema/sitemap.xsd")
	}
	path, err := exec.LookPath("xmllint")
	if err != nil {
		t.Skip("not validated: xmllint is not installed; .ci/xmllint installs it")
	}
	cmd := exec.CommandContext(t.Context(), path, append(args, "-")...)
	cmd.Stdin = bytes.NewReader([]byte(document))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("xmllint: %v\n%s", err, out)
	}
}
