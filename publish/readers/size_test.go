package readers_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/store/feed"
)

// A page of 30 entries has at most 100 KB without images, however long their texts and titles are.
func TestPagesOfLongTextsAreSmall(t *testing.T) {
	d := newDesk(t)
	d.send(201, "PUT", quiet, `{}`)
	for i := range 30 {
		var text strings.Builder
		for n := range 400 {
			fmt.Fprintf(&text, "<p>Sentence %d of entry %d is not like the %d others.</p>", n, i, n*i)
		}
		d.write(feed.Entry{Title: fmt.Sprint(i, strings.Repeat(" long title", 90)), Content: text.String(), Link: "https://quiet.example/" + fmt.Sprint(i)})
	}
	for _, layout := range []string{"list", "cards", "full"} {
		page := d.browser().Get("/read?layout="+layout, 200)
		if len(page) > 100_000 || strings.Count(page, "data-row") != 30 {
			t.Errorf("the page as %s has %d bytes and %d entries", layout, len(page), strings.Count(page, "data-row"))
		}
	}
}
