package store

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// sourceFromMeta reads the hash <feed_url>:meta.
func sourceFromMeta(url string, m map[string]string) feed.Source {
	number := func(name string) (n int) {
		if text := m[name]; text != "" {
			n, _ = strconv.Atoi(text)
		}
		return n
	}
	decimal := func(name string) (f float64) {
		if text := m[name]; text != "" {
			f, _ = strconv.ParseFloat(text, 64)
		}
		return f
	}
	moment := func(name string) (t time.Time) {
		if text := m[name]; text != "" {
			t = feed.ParseTime(text)
		}
		return t
	}
	source := feed.Source{
		ID:       feed.SourceID(url),
		URL:      url,
		Feeds:    slices.DeleteFunc(strings.Split(m["feeds"], ","), func(t string) bool { return t == "" }),
		Publish:  feed.PublishMode(m["publish"]),
		Interval: time.Duration(number("interval")) * time.Second,
		Request: feed.Request{
			Timeout:     time.Duration(number("timeout")) * time.Second,
			MinInterval: time.Duration(number("min_interval")) * time.Second,
			Headers:     headersFromMeta(m["headers"]),
			Username:    m["username"],
			Password:    m["password"],
			Proxy:       m["proxy"],
		},
		Paused:  m["paused"] == "1",
		Added:   moment("added"),
		Edition: number("edition"),
		About: feed.About{
			Title: m["title"], Description: m["description"], Link: m["link"], Language: m["language"],
		},
		Poll: feed.PollState{
			ETag:         m["etag"],
			LastModified: m["last_modified"],
			BodySum:      m["body_sum"],
			LastPoll:     moment("last_poll"),
			LastOK:       moment("last_ok"),
			LastDocument: moment("last_document"),
			Entries:      number("entries"),
			NextPoll:     moment("next_poll"),
			NextReason:   m["next_reason"],
			Status:       number("status"),
			Errors:       number("errors"),
			ErrorClass:   m["error_class"],
			ErrorText:    m["error_text"],
			Gone:         m["gone"] == "1",
			GoneSince:    moment("gone_since"),
			FailingSince: moment("failing_since"),
			Validated:    m["validated"],
			LastFull:     moment("last_full"),
			FullAsked:    m["full_asked"] == "1",
			Generation:   number("generation"),
			Format:       m["format"],
			Move: feed.Move{
				To: m["moved_to"], Since: moment("moved_since"), Seen: number("moved_seen"),
				Adopted: moment("moved_adopted"), Checked: moment("moved_checked"),
			},
			Rate: feed.Rate{Posts: decimal("rate_posts"), Hours: decimal("rate_hours")},
			Hints: feed.Hints{
				Interval:  time.Duration(number("hint_interval")) * time.Second,
				SkipHours: uint32(number("skip_hours")), SkipDays: uint8(number("skip_days")),
			},
			Identity: feed.Identity(m["identity"]),
			Listed:   number("listed"),
		},
	}
	source.IgnoreUpdates = m["ignore_updates"] == "1"
	source.Keep = feed.Keep{Entries: number("keep_entries"), For: time.Duration(number("keep_for")) * time.Second}
	choicesFromMeta(&source, m)
	return source
}

// settingFields are the fields of what a person decided about a source.
func settingFields(src *feed.Source) []any {
	whole := func(d time.Duration) string { return strconv.FormatInt(int64(d/time.Second), 10) }
	ignore := ""
	if src.IgnoreUpdates {
		ignore = "1"
	}
	headers := ""
	if len(src.Request.Headers) > 0 {
		text, _ := json.Marshal(src.Request.Headers) // strings cannot fail
		headers = string(text)
	}
	return []any{
		"feeds", strings.Join(src.Feeds, ","),
		"publish", string(src.Publish),
		"interval", whole(src.Interval),
		"timeout", whole(src.Request.Timeout),
		"min_interval", whole(src.Request.MinInterval),
		"headers", headers,
		"username", src.Request.Username,
		"password", src.Request.Password,
		"proxy", src.Request.Proxy,
		"ignore_updates", ignore,
		"keep_entries", strconv.Itoa(src.Keep.Entries),
		"keep_for", whole(src.Keep.For),
	}
}

// headersFromMeta reads the headers that settingFields wrote; what cannot be read are none.
func headersFromMeta(text string) map[string]string {
	if text == "" {
		return nil
	}
	var headers map[string]string
	_ = json.Unmarshal([]byte(text), &headers)
	return headers
}

// pollFields is what of the state of polling has changed, as fields to set and fields to delete. Most polls change little,
// so only what differs is written out.
func pollFields(was, is *feed.PollState) (set, unset []any) {
	note := func(name string, same, none bool, spell func() string) {
		switch {
		case same:
		case none:
			unset = append(unset, name)
		default:
			set = append(set, name, spell())
		}
	}
	text := func(name, was, is string) {
		note(name, is == was, is == "", func() string { return is })
	}
	decimal := func(name string, was, is float64) {
		note(name, is == was, is == 0, func() string { return strconv.FormatFloat(is, 'g', 6, 64) })
	}
	number := func(name string, was, is int) {
		note(name, is == was, is == 0, func() string { return strconv.Itoa(is) })
	}
	moment := func(name string, was, is time.Time) {
		note(name, is.Equal(was), is.IsZero(), func() string { return stamp(is) })
	}
	text("etag", was.ETag, is.ETag)
	text("last_modified", was.LastModified, is.LastModified)
	text("body_sum", was.BodySum, is.BodySum)
	moment("last_poll", was.LastPoll, is.LastPoll)
	moment("last_ok", was.LastOK, is.LastOK)
	moment("last_document", was.LastDocument, is.LastDocument)
	number("entries", was.Entries, is.Entries)
	moment("next_poll", was.NextPoll, is.NextPoll)
	text("next_reason", was.NextReason, is.NextReason)
	number("status", was.Status, is.Status)
	number("errors", was.Errors, is.Errors)
	text("error_class", was.ErrorClass, is.ErrorClass)
	text("error_text", was.ErrorText, is.ErrorText)
	number("gone", oneIf(was.Gone), oneIf(is.Gone))
	moment("gone_since", was.GoneSince, is.GoneSince)
	moment("failing_since", was.FailingSince, is.FailingSince)
	text("validated", was.Validated, is.Validated)
	moment("last_full", was.LastFull, is.LastFull)
	number("full_asked", oneIf(was.FullAsked), oneIf(is.FullAsked))
	number("generation", was.Generation, is.Generation)
	text("format", was.Format, is.Format)
	text("moved_to", was.Move.To, is.Move.To)
	moment("moved_since", was.Move.Since, is.Move.Since)
	number("moved_seen", was.Move.Seen, is.Move.Seen)
	moment("moved_adopted", was.Move.Adopted, is.Move.Adopted)
	moment("moved_checked", was.Move.Checked, is.Move.Checked)
	decimal("rate_posts", was.Rate.Posts, is.Rate.Posts)
	decimal("rate_hours", was.Rate.Hours, is.Rate.Hours)
	number("hint_interval", int(was.Hints.Interval/time.Second), int(is.Hints.Interval/time.Second))
	number("skip_hours", int(was.Hints.SkipHours), int(is.Hints.SkipHours))
	number("skip_days", int(was.Hints.SkipDays), int(is.Hints.SkipDays))
	text("identity", string(was.Identity), string(is.Identity))
	number("listed", was.Listed, is.Listed)
	return set, unset
}

// oneIf is a truth as it is stored.
func oneIf(truth bool) int {
	if truth {
		return 1
	}
	return 0
}
