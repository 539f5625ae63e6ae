package hub

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/feedwire/feedwire/store/feed"
)

// badgeAge is how long caches may keep a badge, in seconds.
const badgeAge = 300

// Widths in pixels. Texts are stretched to them, whatever the font.
const (
	badgeLabel  = 79
	badgeDigit  = 7
	badgeMargin = 6
)

// badgeImage is an image with a label on the left and a number on the right. It has no script and loads nothing.
const badgeImage = `<svg xmlns="http://www.w3.org/2000/svg" width="%[2]d" height="20" role="img" aria-label="subscribers: %[1]d">
<title>subscribers: %[1]d</title>
<rect width="%[2]d" height="20" rx="3" fill="#3d4248"/>
<path d="M%[3]d 0h%[4]da3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-%[4]dz" fill="#14663a"/>
<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
<text x="6" y="14" textLength="67" lengthAdjust="spacingAndGlyphs">subscribers</text>
<text x="%[5]d" y="14" textLength="%[6]d" lengthAdjust="spacingAndGlyphs">%[1]d</text>
</g>
</svg>
`

// badge responds with the number of subscribers of a topic as an image, for the pages of its publisher.
func (f *Front) badge(ctx context.Context, w http.ResponseWriter, query url.Values) error {
	if !f.current.Load().Badges {
		return rejected(http.StatusForbidden, "hub.mode: this hub has no badges; its operator can allow them with hub.badges")
	}
	topic, err := f.knownTopic(ctx, "hub.topic", query.Get("hub.topic"))
	if err != nil {
		return err
	}
	counts, err := f.store.HubCounts(ctx, &feed.HubRequest{Topic: topic})
	if err != nil {
		return err
	}
	digits := badgeDigit * len(strconv.Itoa(counts.OfTopic))
	right := digits + 2*badgeMargin
	h := w.Header()
	h.Set("Content-Type", "image/svg+xml")
	h.Set("Cache-Control", fmt.Sprintf("public, max-age=%d", badgeAge))
	h.Set("Content-Security-Policy", "default-src 'none'")
	fmt.Fprintf(w, badgeImage, counts.OfTopic, badgeLabel+right, badgeLabel, right-3, badgeLabel+badgeMargin, digits)
	return nil
}
