package ingest

import (
	"fmt"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// Pace returns the rules that determine how often a source is polled, in the order of their application. It omits what a
// response requires for the next poll only (Cache-Control, Expires, Retry-After), which is the NextReason of the source.
func (in *Ingester) Pace(source *feed.Source) []feed.PaceRule {
	var rules []feed.PaceRule
	add := func(name, text string, every time.Duration) {
		rules = append(rules, feed.PaceRule{Name: name, Text: text, Every: feed.Duration(every.Round(time.Second))})
	}
	p, fixed := &source.Poll, in.isFixed(source)
	interval, _ := in.interval(source, p)
	every := interval
	switch {
	case source.Interval > 0:
		add(feed.RuleFixed, "chosen for this source", every)
	case fixed:
		add(feed.RuleFixed, "by fetch.interval", every)
	case p.LastDocument.IsZero():
		add(feed.RuleRate, "not known before the first document", firstInterval)
	default:
		rate := perHour(p.Rate)
		add(feed.RuleRate, rateText(rate), unboundedInterval(rate))
		add(feed.RuleCeiling, spanText(maxInterval), min(unboundedInterval(rate), maxInterval))
	}
	if !fixed {
		by := "by fetch.min_interval"
		if source.Request.MinInterval > 0 {
			by = "chosen for this source"
		}
		add(feed.RuleFloor, spanText(in.floor(source))+", "+by, every)
		if asked := time.Duration(p.Hints.Interval); asked > 0 {
			every = max(every, min(asked, maxHint))
			add(feed.RuleFeed, "every "+spanText(asked)+", by ttl or sy:updatePeriod", every)
		}
	}
	if source.Push.State == feed.PushActive {
		every = intervalWithPush(every)
		add(feed.RulePush, fmt.Sprintf("its hub pushes: %d times as long, up to %s", pushFactor, spanText(maxPushInterval)), every)
	}
	if text := skippedText(p.Hints); text != "" && !fixed {
		add(feed.RuleSkipped, text, 0)
	}
	switch {
	case !p.GoneSince.IsZero():
		add(feed.RuleFailures, "410 Gone is asked once more, then never", goneDelay)
	case p.Errors > 0:
		add(feed.RuleFailures, fmt.Sprintf("%d in a row", p.Errors), retryDelay(interval, p, p.LastPoll))
	}
	return rules
}

// spanText returns a duration without units that are zero.
func spanText(d time.Duration) string {
	return strings.NewReplacer("h0m0s", "h", "m0s", "m").Replace(d.Round(time.Second).String())
}

// skippedText returns the hours and days that a feed skips, or "".
func skippedText(hints feed.Hints) string {
	var hours, days []string
	for hour := 0; hour < 24; hour++ {
		from := hour
		for hour < 24 && hints.SkipHours&(1<<hour) != 0 {
			hour++
		}
		if hour > from {
			hours = append(hours, fmt.Sprintf("%d:00 to %d:59", from, hour-1))
		}
	}
	if len(hours) > 0 {
		days = []string{strings.Join(hours, ", ") + " GMT"}
	}
	for day := time.Sunday; day <= time.Saturday; day++ {
		if hints.SkipDays&(1<<day) != 0 {
			days = append(days, day.String())
		}
	}
	return strings.Join(days, ", ")
}
