package desk_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/store/feed"
)

// follows sends a form and returns the page that it leads to.
func (b *browser) follows(path string, form url.Values) string {
	b.t.Helper()
	rec := b.send(http.MethodPost, path, form)
	if rec.Code != http.StatusSeeOther {
		b.t.Fatalf("POST %s: %d %s", path, rec.Code, rec.Body)
	}
	return b.gets(rec.Header().Get("Location"), http.StatusOK)
}

func has(t *testing.T, page string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q:\n%s", want, page)
		}
	}
}

func article(n int) string { return feed.ArticleUUID(siteURL, fmt.Sprint("post-", n)) }
