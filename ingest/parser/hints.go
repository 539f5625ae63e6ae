package parser

import (
	"math"
	"strconv"
	"strings"
	"time"

	ext "github.com/mmcdole/gofeed/extensions"

	"github.com/feedwire/feedwire/store/feed"
)

// Hints are the statements of a feed about its update interval.
type Hints struct {
	TTL       time.Duration // RSS 2.0: time that the feed may be cached; 0: unknown
	SyPeriod  time.Duration // syndication module: time between two updates; 0: unknown
	SkipHours uint32        // RSS 2.0: bit h: no update in hour h, GMT
	SkipDays  uint8         // RSS 2.0: bit d: no update on time.Weekday d, GMT
}

// Polling returns the hints for the poll interval.
func (h *Hints) Polling() feed.Hints {
	return feed.Hints{Interval: feed.Duration(max(h.TTL, h.SyPeriod)), SkipHours: h.SkipHours, SkipDays: h.SkipDays}
}

// longest bounds the interval that a feed may state. Ten years are a mistake.
const longest = 31 * 24 * time.Hour

// skip reads hours and days. Hour 24 is midnight, because RSS 0.91 counts from 1.
func (h *Hints) skip(hours, days []string) {
	for _, text := range hours {
		if n, err := strconv.Atoi(strings.TrimSpace(text)); err == nil && n >= 0 && n <= 24 {
			h.SkipHours |= 1 << (n % 24)
		}
	}
	for _, text := range days {
		if day, known := weekdayOf(strings.ToLower(strings.TrimSpace(text))); known {
			h.SkipDays |= 1 << day
		}
	}
}

// weekdayOf reads the English name of a weekday in lower case, cut to three or more letters.
func weekdayOf(word string) (day time.Weekday, known bool) {
	for day = time.Sunday; day <= time.Saturday; day++ {
		if len(word) >= 3 && strings.HasPrefix(strings.ToLower(day.String()), word) {
			return day, true
		}
	}
	return 0, false
}

// syndication reads the syndication module of RSS 1.0.
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
	h.SyPeriod = time.Duration(min(float64(period)/frequency, float64(longest)))
}

// spanOf reads a positive number of units, cut to longest. It returns 0 for any other text.
func spanOf(text string, unit time.Duration) time.Duration {
	n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || !(n > 0) {
		return 0
	}
	return time.Duration(min(n*float64(unit), float64(longest)))
}

// firstValue returns the first text that is not blank, or "".
func firstValue(extensions []ext.Extension) string {
	for _, e := range extensions {
		if text := strings.TrimSpace(e.Value); text != "" {
			return text
		}
	}
	return ""
}
