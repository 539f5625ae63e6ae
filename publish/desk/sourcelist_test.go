package desk_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/store/feed"
)

// inOrder checks that texts stand in a page, one behind the other.
func inOrder(t *testing.T, html string, want ...string) {
	t.Helper()
	rest := html
	for _, text := range want {
		_, after, found := strings.Cut(rest, text)
		if !found {
			t.Errorf("the page does not say %q there:\n%.6000s", text, html)
			return
		}
		rest = after
	}
}

// undo is the path of the form that a page has for what was done.
func undo(t *testing.T, html string) string {
	t.Helper()
	m := regexp.MustCompile(`action="([^"]*)"><input type="hidden" name="back" value="[^"]*"><button class="plain">Undo`).FindStringSubmatch(html)
	if m == nil {
		t.Fatalf("nothing can be undone:\n%.3000s", html)
	}
	return m[1]
}

func TestReadersSeeNoButtons(t *testing.T) {
	o := newOffice(t)
	b := o.in("rea", feed.RoleViewer)
	for _, path := range []string{"/sources", "/sources/" + feed.SourceID(siteURL), "/subscriptions", "/dead-letters"} {
		html := b.gets(path, 200)
		if _, inside, _ := strings.Cut(html, "<main"); strings.Contains(inside, `method="post"`) || strings.Contains(inside, "/sources/add") {
			t.Errorf("%s offers a reader what it may not do", path)
		}
	}
}
