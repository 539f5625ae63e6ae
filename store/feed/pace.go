package feed

// PaceRule explains one of the rules that determine the poll interval of a source. Rules are applied in order.
type PaceRule struct {
	Name  string   `json:"name"`           // one of the Rule constants
	Text  string   `json:"text"`           // its basis: "about 3 posts a day"
	Every Duration `json:"every,omitzero"` // the interval after this rule; 0: it does not determine one
}

// Rules for the poll interval.
const (
	RuleFixed    = "fixed"    // an interval chosen by a person, instead of rate, floor, ceiling, feed, skipped
	RuleRate     = "rate"     // how often the source posts
	RuleFloor    = "floor"    // the shortest interval
	RuleCeiling  = "ceiling"  // the longest interval
	RuleFeed     = "feed"     // ttl, sy:updatePeriod of the feed
	RulePush     = "push"     // the hub pushes: polls are a safety net
	RuleSkipped  = "skipped"  // skipHours and skipDays of the feed
	RuleFailures = "failures" // backoff after failures
)
