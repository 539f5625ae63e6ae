package ingest

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	ext "github.com/mmcdole/gofeed/extensions"

	"github.com/feedwire/feedwire/store/feed"
)

// Hints are what a feed says about how to follow it: where it is pushed from, and how often it changes.
type Hints struct {
	Hubs      []string       // WebSub hubs, absolute URLs
	Self      string         // the topic to subscribe to; empty: not said
	TTL       time.Duration  // RSS 2.0: how long it may be cached; 0: not said
	SyPeriod  time.Duration  // the syndication module: time between two updates; 0: not said
	SkipHours []int          // RSS 2.0: hours in UTC, 0 to 23, in which it does not change
	SkipDays  []time.Weekday // RSS 2.0: likewise days
}

// maxHubs bounds how many hubs are taken from a document.
const maxHubs = 8

// longest bounds what a feed may ask for: one that says ten years is mistaken.
const longest = 31 * 24 * time.Hour

// link notes a link element of the feed.
func (h *Hints) link(rel, href string) {
	for rel := range strings.FieldsSeq(strings.ToLower(rel)) {
		switch {
		case href == "":
		case rel == "hub" && len(h.Hubs) < maxHubs && !slices.Contains(h.Hubs, href):
			h.Hubs = append(h.Hubs, href)
		case rel == "self" && h.Self == "":
			h.Self = href
		}
	}
}

// ttl reads a number of minutes.
func (h *Hints) ttl(minutes string) {
	h.TTL = spanOf(minutes, time.Minute)
}

// skip reads hours and days. 24 is midnight, too: RSS 0.91 counts from 1.
func (h *Hints) skip(hours, days []string) {
	for _, text := range hours {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err == nil && n >= 0 && n <= 24 && !slices.Contains(h.SkipHours, n%24) {
			h.SkipHours = append(h.SkipHours, n%24)
		}
	}
	for _, text := range days {
		text = strings.ToLower(strings.TrimSpace(text))
		for d := time.Sunday; d <= time.Saturday; d++ {
			if len(text) >= 3 && strings.HasPrefix(strings.ToLower(d.String()), text) && !slices.Contains(h.SkipDays, d) {
				h.SkipDays = append(h.SkipDays, d)
			}
		}
	}
}

// syndication reads the RSS 1.0 module of that name.
func (h *Hints) syndication(sy map[string][]ext.Extension) {
	day := 24 * time.Hour
	period, known := map[string]time.Duration{
		"hourly": time.Hour, "daily": day, "weekly": 7 * day, "monthly": 30 * day, "yearly": 365 * day,
	}[strings.ToLower(firstValue(sy["updatePeriod"]))]
	if !known {
		if firstValue(sy["updateFrequency"]) == "" {
			return
		}
		period = day // the module's default
	}
	frequency, err := strconv.ParseFloat(firstValue(sy["updateFrequency"]), 64)
	if err != nil || !(frequency > 0) || math.IsInf(frequency, 0) {
		frequency = 1
	}
	h.SyPeriod = clampSpan(float64(period) / frequency)
}

// spanOf reads a number of units; what is none, or less than one, is 0.
func spanOf(text string, unit time.Duration) time.Duration {
	n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || !(n > 0) {
		return 0
	}
	return clampSpan(n * float64(unit))
}

func clampSpan(span float64) time.Duration { return time.Duration(min(span, float64(longest))) }

// firstValue is the first text that is not empty.
func firstValue(extensions []ext.Extension) string {
	for _, e := range extensions {
		if text := strings.TrimSpace(e.Value); text != "" {
			return text
		}
	}
	return ""
}

// forPolling is what of the hints decides when the feed is asked again.
func (h *Hints) forPolling() feed.Hints {
	polling := feed.Hints{Interval: max(h.TTL, h.SyPeriod)}
	for _, hour := range h.SkipHours {
		polling.SkipHours |= 1 << hour
	}
	for _, day := range h.SkipDays {
		polling.SkipDays |= 1 << day
	}
	return polling
}
