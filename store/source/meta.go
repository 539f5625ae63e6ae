package source

import (
	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// The fields of <feed_url>:meta and of a callback. AddSource writes the settings, the end of a poll its state, and other scripts the
// rest.
var (
	sourceFields   = core.FieldsOf[feed.Source]()
	pollFields     = core.FieldsOf[feed.PollState]()
	callbackFields = core.FieldsOf[feed.PushSubscription]()
	settings       = sourceFields.Named("feeds", "publish", "interval", "timeout", "min_interval", "headers", "username", "password",
		"proxy", "secrets_for", "cleared", "ignore_updates", "timestamp",
		"keep_entries", "keep_for", "filters")
	secrets    = sourceFields.Named("headers", "username", "password", "secrets_for", "cleared", "edition") // what a move changes
	categories = sourceFields.Named("categories")
	edited     = sourceFields.Named("name", "moved_to", "moved_since", "moved_seen", "moved_adopted", "moved_checked", "moved_chosen") // by EditSource
	listed     = sourceFields.Named("name", "title", "feeds", "publish", "interval", "paused", "added", "entries", "last_poll", "next_poll",
		"next_reason", "errors", "error_class", "error_text", "gone", "failing_since", "categories", "edition",
		"status", "gone_since", "moved_to", "moved_since", "moved_seen", "moved_adopted", "moved_chosen") // what a list shows
)

// readSource reads the hash <feed_url>:meta into a zero source.
func readSource(src *feed.Source, url string, meta map[string]string) {
	src.ID, src.URL = feed.SourceID(url), url
	sourceFields.Read(meta, src)
}

// callbackFrom reads the hash of a callback. If there is none, only FeedURL is set.
func callbackFrom(member string, hash map[string]string) feed.PushSubscription {
	c := feed.PushSubscription{FeedURL: member}
	callbackFields.Read(hash, &c)
	return c
}

// settingFields returns the fields of the settings of a source. Nil categories are not among them, so the stored ones remain.
func settingFields(src *feed.Source) (fields []any) {
	fields = settings.Pairs(src)
	if src.Categories != nil {
		fields = append(fields, categories.Pairs(&feed.Source{Categories: feed.CleanCategories(src.Categories)})...)
	}
	return fields
}

// initialFields returns the fields that AddSource sets for a new source only. They come from the imported list.
func initialFields(src *feed.Source) []any {
	imported := feed.Source{Paused: src.Paused, About: feed.About{Title: src.About.Title, Link: src.About.Link}}
	fields, _ := sourceFields.Changes(&feed.Source{}, &imported)
	return fields
}
