package source

import (
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// settings are the fields of <feed_url>:meta that AddSource writes.
var settings = []field[feed.Source]{
	{"feeds", func(s *feed.Source) any { return (*commaList)(&s.Feeds) }},
	{"publish", func(s *feed.Source) any { return (*string)(&s.Publish) }},
	{"interval", func(s *feed.Source) any { return &s.Interval }},
	{"timeout", func(s *feed.Source) any { return &s.Request.Timeout }},
	{"min_interval", func(s *feed.Source) any { return &s.Request.MinInterval }},
	{"headers", func(s *feed.Source) any { return &s.Request.Headers }},
	{"username", func(s *feed.Source) any { return &s.Request.Username }},
	{"password", func(s *feed.Source) any { return &s.Request.Password }},
	{"proxy", func(s *feed.Source) any { return &s.Request.Proxy }},
	{"ignore_updates", func(s *feed.Source) any { return &s.IgnoreUpdates }},
	{"keep_entries", func(s *feed.Source) any { return &s.Keep.Entries }},
	{"keep_for", func(s *feed.Source) any { return (*time.Duration)(&s.Keep.For) }},
	{"filters", func(s *feed.Source) any { return &s.Filters }},
}

// otherFields are the fields of <feed_url>:meta that several scripts write.
var otherFields = []field[feed.Source]{
	{"categories", func(s *feed.Source) any { return (*jsonList)(&s.Categories) }},
	{"paused", func(s *feed.Source) any { return &s.Paused }},
	{"added", func(s *feed.Source) any { return &s.Added }},
	{"edition", func(s *feed.Source) any { return &s.Revision }},
	{"title", func(s *feed.Source) any { return &s.About.Title }},
	{"description", func(s *feed.Source) any { return &s.About.Description }},
	{"link", func(s *feed.Source) any { return &s.About.Link }},
	{"language", func(s *feed.Source) any { return &s.About.Language }},
}

// pollFields are the fields of <feed_url>:meta that the end of a poll writes.
var pollFields = []field[feed.PollState]{
	{"etag", func(p *feed.PollState) any { return &p.ETag }},
	{"last_modified", func(p *feed.PollState) any { return &p.LastModified }},
	{"body_sum", func(p *feed.PollState) any { return &p.BodySum }},
	{"last_poll", func(p *feed.PollState) any { return &p.LastPoll }},
	{"last_ok", func(p *feed.PollState) any { return &p.LastOK }},
	{"last_document", func(p *feed.PollState) any { return &p.LastDocument }},
	{"entries", func(p *feed.PollState) any { return &p.Entries }},
	{"next_poll", func(p *feed.PollState) any { return &p.NextPoll }},
	{"next_reason", func(p *feed.PollState) any { return &p.NextReason }},
	{"status", func(p *feed.PollState) any { return &p.Status }},
	{"errors", func(p *feed.PollState) any { return &p.Errors }},
	{"error_class", func(p *feed.PollState) any { return &p.ErrorClass }},
	{"error_text", func(p *feed.PollState) any { return &p.ErrorText }},
	{"gone", func(p *feed.PollState) any { return &p.Gone }},
	{"gone_since", func(p *feed.PollState) any { return &p.GoneSince }},
	{"failing_since", func(p *feed.PollState) any { return &p.FailingSince }},
	{"validated", func(p *feed.PollState) any { return &p.Validated }},
	{"last_full", func(p *feed.PollState) any { return &p.LastFull }},
	{"full_asked", func(p *feed.PollState) any { return &p.FullRequested }},
	{"generation", func(p *feed.PollState) any { return &p.Generation }},
	{"format", func(p *feed.PollState) any { return &p.Format }},
	{"moved_to", func(p *feed.PollState) any { return &p.Move.To }},
	{"moved_since", func(p *feed.PollState) any { return &p.Move.Since }},
	{"moved_seen", func(p *feed.PollState) any { return &p.Move.Seen }},
	{"moved_adopted", func(p *feed.PollState) any { return &p.Move.Adopted }},
	{"moved_checked", func(p *feed.PollState) any { return &p.Move.Checked }},
	{"rate_posts", func(p *feed.PollState) any { return &p.Rate.Posts }},
	{"rate_hours", func(p *feed.PollState) any { return &p.Rate.Hours }},
	{"hint_interval", func(p *feed.PollState) any { return (*time.Duration)(&p.Hints.Interval) }},
	{"skip_hours", func(p *feed.PollState) any { return &p.Hints.SkipHours }},
	{"skip_days", func(p *feed.PollState) any { return &p.Hints.SkipDays }},
	{"identity", func(p *feed.PollState) any { return (*string)(&p.Identity) }},
	{"listed", func(p *feed.PollState) any { return &p.Listed }},
}

// callbackFields are the fields of a callback.
var callbackFields = []field[feed.PushSubscription]{
	{"feed_url", func(c *feed.PushSubscription) any { return &c.FeedURL }},
	{"state", func(c *feed.PushSubscription) any { return (*string)(&c.State) }},
	{"hub", func(c *feed.PushSubscription) any { return &c.Hub }},
	{"topic", func(c *feed.PushSubscription) any { return &c.Topic }},
	{"since", func(c *feed.PushSubscription) any { return &c.Since }},
	{"lease_end", func(c *feed.PushSubscription) any { return &c.LeaseEnd }},
	{"last_push", func(c *feed.PushSubscription) any { return &c.LastPush }},
	{"last_ping", func(c *feed.PushSubscription) any { return &c.LastPing }},
	{"pushes", func(c *feed.PushSubscription) any { return &c.Pushes }},
	{"refused", func(c *feed.PushSubscription) any { return &c.Refused }},
	{"missed", func(c *feed.PushSubscription) any { return &c.Missed }},
	{"errors", func(c *feed.PushSubscription) any { return &c.Errors }},
	{"error_text", func(c *feed.PushSubscription) any { return &c.ErrorText }},
	{"token", func(c *feed.PushSubscription) any { return &c.Token }},
	{"secret", func(c *feed.PushSubscription) any { return &c.Secret }},
	{"asked", func(c *feed.PushSubscription) any { return &c.PendingMode }},
	{"until", func(c *feed.PushSubscription) any { return &c.Until }},
	{"due", func(c *feed.PushSubscription) any { return &c.Due }},
	{"revision", func(c *feed.PushSubscription) any { return &c.Revision }},
}

// sourceFrom reads the hash <feed_url>:meta.
func sourceFrom(url string, meta map[string]string) (src feed.Source) {
	readSource(&src, url, meta)
	return src
}

// readSource is sourceFrom into a zero source.
func readSource(src *feed.Source, url string, meta map[string]string) {
	src.ID, src.URL = feed.SourceID(url), url
	readFields(settings, src, meta)
	readFields(otherFields, src, meta)
	readFields(pollFields, &src.Poll, meta)
}

// callbackFrom reads the hash of a callback. If there is none, only FeedURL is set.
func callbackFrom(member string, hash map[string]string) feed.PushSubscription {
	c := feed.PushSubscription{FeedURL: member}
	readFields(callbackFields, &c, hash)
	return c
}

// settingFields returns the fields of the settings of a source. Nil categories are not among them, so the stored ones remain.
func settingFields(src *feed.Source) []any {
	fields := formatFields(settings, src)
	if src.Categories != nil {
		clean := jsonList(feed.CleanCategories(src.Categories))
		fields = append(fields, "categories", format(&clean))
	}
	return fields
}

// initialFields returns the fields that AddSource sets for a new source only. They come from the imported list.
func initialFields(src *feed.Source) []any {
	listed := feed.Source{Paused: src.Paused, About: feed.About{Title: src.About.Title, Link: src.About.Link}}
	fields, _ := changedFields(otherFields, &feed.Source{}, &listed)
	return fields
}
