package delivery

import "github.com/feedwire/feedwire/store/feed"

// Wake makes the engine check for work, as it does after it has distributed news.
func (e *Engine) Wake() { e.queueNews() }

// ReportDead reports the deliveries among these results that failed permanently.
func (e *Engine) ReportDead(all []feed.DeliveryResult) { e.reportDead(all) }
