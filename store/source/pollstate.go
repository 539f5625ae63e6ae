package source

import (
	"strconv"
	"time"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// pollFields returns the fields to set and the fields to delete after a poll. Most polls change few fields.
func pollFields(was, is *feed.PollState) (set, unset []any) {
	put := func(name string, same, none bool, format func() string) {
		switch {
		case same:
		case none:
			unset = append(unset, name)
		default:
			set = append(set, name, format())
		}
	}
	text := func(name, was, is string) {
		put(name, is == was, is == "", func() string { return is })
	}
	decimal := func(name string, was, is float64) {
		put(name, is == was, is == 0, func() string { return strconv.FormatFloat(is, 'g', 6, 64) })
	}
	number := func(name string, was, is int) {
		put(name, is == was, is == 0, func() string { return strconv.Itoa(is) })
	}
	instant := func(name string, was, is time.Time) {
		put(name, is.Equal(was), is.IsZero(), func() string { return core.Stamp(is) })
	}
	text("etag", was.ETag, is.ETag)
	text("last_modified", was.LastModified, is.LastModified)
	text("body_sum", was.BodySum, is.BodySum)
	instant("last_poll", was.LastPoll, is.LastPoll)
	instant("last_ok", was.LastOK, is.LastOK)
	instant("last_document", was.LastDocument, is.LastDocument)
	number("entries", was.Entries, is.Entries)
	instant("next_poll", was.NextPoll, is.NextPoll)
	text("next_reason", was.NextReason, is.NextReason)
	number("status", was.Status, is.Status)
	number("errors", was.Errors, is.Errors)
	text("error_class", was.ErrorClass, is.ErrorClass)
	text("error_text", was.ErrorText, is.ErrorText)
	number("gone", core.Bit(was.Gone), core.Bit(is.Gone))
	instant("gone_since", was.GoneSince, is.GoneSince)
	instant("failing_since", was.FailingSince, is.FailingSince)
	text("validated", was.Validated, is.Validated)
	instant("last_full", was.LastFull, is.LastFull)
	number("full_asked", core.Bit(was.FullRequested), core.Bit(is.FullRequested))
	number("generation", was.Generation, is.Generation)
	text("format", was.Format, is.Format)
	text("moved_to", was.Move.To, is.Move.To)
	instant("moved_since", was.Move.Since, is.Move.Since)
	number("moved_seen", was.Move.Seen, is.Move.Seen)
	instant("moved_adopted", was.Move.Adopted, is.Move.Adopted)
	instant("moved_checked", was.Move.Checked, is.Move.Checked)
	decimal("rate_posts", was.Rate.Posts, is.Rate.Posts)
	decimal("rate_hours", was.Rate.Hours, is.Rate.Hours)
	number("hint_interval", int(was.Hints.Interval/time.Second), int(is.Hints.Interval/time.Second))
	number("skip_hours", int(was.Hints.SkipHours), int(is.Hints.SkipHours))
	number("skip_days", int(was.Hints.SkipDays), int(is.Hints.SkipDays))
	text("identity", string(was.Identity), string(is.Identity))
	number("listed", was.Listed, is.Listed)
	return set, unset
}
