package ingest

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// Pace tells what decides how often a source is polled, in the order in which it is applied. What an answer said for the
// next poll only (Cache-Control, Expires, Retry-After) is not among it: that is the reason of this poll.
func (in *Ingester) Pace(source *feed.Source) []feed.PaceRule {
	var rules []feed.PaceRule
	add := func(name, text string, every time.Duration) {
		rules = append(rules, feed.PaceRule{Name: name, Text: text, Every: every.Round(time.Second)})
	}
	p, fixed := &source.Poll, in.fixed(source)
	every, _ := in.interval(source, p)
	switch {
	case source.Interval > 0:
		add(feed.RuleFixed, "chosen for this source", every)
	case fixed:
		add(feed.RuleFixed, "by fetch.interval", every)
	case p.LastDocument.IsZero():
		add(feed.RuleRate, "not known before the first document", firstLook)
	default:
		rate := perHour(p.Rate)
		alone := time.Duration(weight / math.Sqrt(rate) * float64(time.Hour))
		add(feed.RuleRate, spellRate(rate), alone)
		add(feed.RuleCeiling, spellSpan(maxInterval), min(alone, maxInterval))
	}
	if !fixed {
		by := "by fetch.min_interval"
		if source.Request.MinInterval > 0 {
			by = "chosen for this source"
		}
		add(feed.RuleFloor, spellSpan(in.floor(source))+", "+by, every)
		if asked := p.Hints.Interval; asked > 0 {
			every = max(every, min(asked, maxHint))
			add(feed.RuleFeed, "every "+spellSpan(asked)+", by ttl or sy:updatePeriod", every)
		}
	}
	if source.Push.State == feed.PushActive {
		every = besidePush(every)
		add(feed.RulePush, fmt.Sprintf("its hub pushes: %d times as long, up to %s", slowFactor, spellSpan(slowMost)), every)
	}
	if text := spellSkipped(p.Hints); text != "" && !fixed {
		add(feed.RuleSkipped, text, 0)
	}
	switch {
	case !p.GoneSince.IsZero():
		add(feed.RuleFailures, "410 Gone is asked once more, then never", goneDelay)
	case p.Errors > 0:
		base, _ := in.interval(source, p)
		add(feed.RuleFailures, fmt.Sprintf("%d in a row", p.Errors), backOff(base, p, p.LastPoll))
	}
	return rules
}

// spellSpan writes a duration without units that are zero.
func spellSpan(d time.Duration) string {
	return strings.NewReplacer("h0m0s", "h", "m0s", "m").Replace(d.Round(time.Second).String())
}

// spellSkipped says which hours and days a feed skips; empty: none.
func spellSkipped(hints feed.Hints) string {
	var parts []string
	for hour := 0; hour < 24; {
		from := hour
		for hour < 24 && hints.SkipHours&(1<<hour) != 0 {
			hour++
		}
		if hour > from {
			parts = append(parts, fmt.Sprintf("%d:00 to %d:59", from, hour-1))
		}
		hour++
	}
	if len(parts) > 0 {
		parts = []string{strings.Join(parts, ", ") + " GMT"}
	}
	for day := time.Sunday; day <= time.Saturday; day++ {
		if hints.SkipDays&(1<<day) != 0 {
			parts = append(parts, day.String())
		}
	}
	return strings.Join(parts, ", ")
}
