package feed

import "time"

// Rule is one of the things that decide how often a source is polled, for a person who wonders why. The rules of a source
// stand in the order in which they are applied.
type Rule struct {
	Name  string        // a RuleX
	Text  string        // what it goes by: "about 3 posts a day"
	Every time.Duration // the time between two polls that results so far; 0: the rule speaks of something else
}

// The rules.
const (
	RuleFixed    = "fixed"    // the interval that a person has chosen; it takes the place of rate, floor, ceiling, feed, skipped
	RuleRate     = "rate"     // how often the source posts
	RuleFloor    = "floor"    // the shortest interval
	RuleCeiling  = "ceiling"  // the longest interval
	RuleFeed     = "feed"     // what the feed asks for: ttl, sy:updatePeriod
	RulePush     = "push"     // its hub pushes, so polls only make sure
	RuleSkipped  = "skipped"  // hours and days that the feed skips
	RuleFailures = "failures" // waits after failures
)
