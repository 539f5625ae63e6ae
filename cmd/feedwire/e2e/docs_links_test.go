package e2e

import (
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
)

var (
	docLink    = regexp.MustCompile(`!?\[([^\]]*)\]\(([^)\s]+)\)`)
	docHeading = regexp.MustCompile(`(?m)^#{1,6} +(.+?)\s*$`)
	docFence   = regexp.MustCompile("(?ms)^```.*?^```|^    .*?$|`[^`\n]*`")
	notAnchor  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// documents are the paths of all pages, from the top of the checkout.
func documents(t *testing.T) (all []string) {
	t.Helper()
	top := filepath.Join("..", "..", "..")
	err := filepath.WalkDir(top, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && (entry.Name() == "testdata" || strings.HasPrefix(entry.Name(), ".") && name != top) {
			return filepath.SkipDir
		}
		if strings.HasSuffix(name, ".md") {
			name, _ = filepath.Rel(top, name)
			all = append(all, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil || len(all) < 10 {
		t.Fatalf("the documentation is not found: %v, %v", all, err)
	}
	return all
}

// anchors are the names by which links reach the headings of a page.
func anchors(text string) map[string]bool {
	all := map[string]bool{"": true}
	for _, m := range docHeading.FindAllStringSubmatch(text, -1) {
		name := notAnchor.ReplaceAllString(strings.ToLower(docLink.ReplaceAllString(m[1], "$1")), "")
		all[strings.ReplaceAll(name, " ", "-")] = true
	}
	return all
}

// Each link of the documentation leads to a file and a heading that is there, or to a whole address elsewhere; and each page is
// reached from the README.
func TestLinksOfTheDocumentation(t *testing.T) {
	t.Parallel()
	reached := map[string]bool{"README.md": true}
	links := make(map[string][]string) // by page, the pages that it leads to
	for _, page := range documents(t) {
		for _, m := range docLink.FindAllStringSubmatch(docFence.ReplaceAllString(wiretest.ReadFile(t, page), ""), -1) {
			u, err := url.Parse(m[2])
			if err != nil || u.Scheme != "" && (u.Scheme != "https" && u.Scheme != "http" || u.Host == "") {
				t.Errorf("%s: %s is no address", page, m[2])
				continue
			}
			if u.Scheme != "" {
				continue
			}
			target := page
			if u.Path != "" {
				target = path.Join(path.Dir(page), u.Path)
				links[page] = append(links[page], target)
			}
			if _, err := os.Stat(filepath.Join("..", "..", "..", target)); err != nil {
				t.Errorf("%s: %s is not there", page, m[2])
			} else if u.Fragment != "" && !anchors(wiretest.ReadFile(t, target))[u.Fragment] {
				t.Errorf("%s: %s: %s has no such heading", page, m[2], target)
			}
		}
	}
	for open := []string{"README.md"}; len(open) > 0; open = open[1:] {
		for _, target := range links[open[0]] {
			if !reached[target] {
				reached[target] = true
				open = append(open, target)
			}
		}
	}
	for _, page := range documents(t) {
		if !reached[page] {
			t.Errorf("no way of links leads from README.md to %s", page)
		}
	}
}
