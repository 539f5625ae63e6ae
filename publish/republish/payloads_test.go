//go:build !race

package republish_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/publish/republish"
	"github.com/feedwire/feedwire/publish/xsstest"
	"github.com/feedwire/feedwire/store/feed"
)

// TestPayloadsInEveryFieldAreHarmless judges what a reader would show of each format as HTML.
func TestPayloadsInEveryFieldAreHarmless(t *testing.T) {
	s := harbour()
	s.entries = nil
	for i, p := range xsstest.Payloads() {
		extra := fmt.Sprintf(`[{"term":%q,"scheme":%q,"label":%q}]`, p, p, p)
		s.entries = append(s.entries, feed.Entry{
			FeedURL: s.source.URL, GUID: fmt.Sprint(i, p), Link: p, Title: p, Content: p, Summary: p, Authors: []string{p}, Timestamp: may,
			Extra: map[string]string{"categories": extra, "enclosures": fmt.Sprintf(`[{"url":%q,"type":%q,"length":%q}]`, p, p, p)},
		})
	}
	s.source.About = feed.About{Title: xsstest.Payloads()[0], Description: xsstest.Payloads()[0], Link: "javascript:x", Language: `"><script>`}
	w := serve(t, s, republish.Options{Entries: 1000})
	player := func(src string) bool { return strings.Contains(src, "://www.youtube.com/") }
	for _, format := range []string{"rss", "atom", "json"} {
		_, content := w.fetch(t, format)
		read := valid(t, format, content, len(s.entries))
		for _, item := range read.Items {
			for _, markup := range []string{item.Content, item.Description} {
				if format == "json" && markup == item.Description {
					continue // plain text there
				}
				if faults := xsstest.Faults(markup, xsstest.Allowed{Frame: player, Math: true}); len(faults) > 0 {
					t.Errorf("%s: %s: %s", format, markup, faults[0])
				}
			}
			if item.Link != "" && !strings.HasPrefix(item.Link, "http") {
				t.Errorf("%s: link %q", format, item.Link)
			}
		}
	}
}
