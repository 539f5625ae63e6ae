package delivery

import (
	"github.com/feedwire/feedwire/signals/retry"
	"github.com/feedwire/feedwire/store/feed"
)

// Wake makes the engine check for work after a test has moved the clock.
func (e *Engine) Wake() {
	retry.Wake(e.planning)
	retry.Wake(e.delivering)
}

// HasNews makes the engine plan deliveries, as it does after it has distributed news.
func (e *Engine) HasNews() { retry.Wake(e.planning) }

// ReportDead reports the deliveries among these results that failed permanently.
func (e *Engine) ReportDead(all []feed.DeliveryResult) { e.reportDead(all) }
