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
	number := func(name string) int {
		n, _ := strconv.Atoi(m[name]) // absent: 0
		return n
	}
	decimal := func(name string) float64 {
		f, _ := strconv.ParseFloat(m[name], 64) // absent: 0
		return f
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
		Paused: m["paused"] == "1",
		Added:  feed.ParseTime(m["added"]),
		About: feed.About{
			Title: m["title"], Description: m["description"], Link: m["link"], Language: m["language"],
		},
		Poll: feed.PollState{
			ETag:         m["etag"],
			LastModified: m["last_modified"],
			BodySum:      m["body_sum"],
			LastPoll:     feed.ParseTime(m["last_poll"]),
			LastOK:       feed.ParseTime(m["last_ok"]),
			LastDocument: feed.ParseTime(m["last_document"]),
			Entries:      number("entries"),
			NextPoll:     feed.ParseTime(m["next_poll"]),
			NextReason:   m["next_reason"],
			Status:       number("status"),
			Errors:       number("errors"),
			ErrorClass:   m["error_class"],
			ErrorText:    m["error_text"],
			Gone:         m["gone"] == "1",
			GoneSince:    feed.ParseTime(m["gone_since"]),
			FailingSince: feed.ParseTime(m["failing_since"]),
			Validated:    m["validated"],
			LastFull:     feed.ParseTime(m["last_full"]),
			Generation:   number("generation"),
			Format:       m["format"],
			Move: feed.Move{
				To: m["moved_to"], Since: feed.ParseTime(m["moved_since"]), Seen: number("moved_seen"),
				Adopted: feed.ParseTime(m["moved_adopted"]), Checked: feed.ParseTime(m["moved_checked"]),
			},
			Rate: feed.Rate{Posts: decimal("rate_posts"), Hours: decimal("rate_hours")},
			Hints: feed.Hints{
				Interval:  time.Duration(number("hint_interval")) * time.Second,
				SkipHours: uint32(number("skip_hours")), SkipDays: uint8(number("skip_days")),
			},
		},
	}
	choicesFromMeta(&source, m)
	return source
}

// settingFields are the fields of what a person decided about a source.
func settingFields(src *feed.Source) []any {
	whole := func(d time.Duration) string { return strconv.FormatInt(int64(d/time.Second), 10) }
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

// pollFields is what of the state of polling has changed, as fields to set and fields to delete. Most polls change little.
func pollFields(before, after *feed.PollState) (set, unset []any) {
	was, is := pollValues(before), pollValues(after)
	for i := range is {
		switch {
		case is[i] == was[i]:
		case is[i].value == "":
			unset = append(unset, is[i].name)
		default:
			set = append(set, is[i].name, is[i].value)
		}
	}
	return set, unset
}

// pollValue is a field of the state of polling; an empty value is not stored.
type pollValue struct{ name, value string }

// pollValues are all fields of the state of polling, always in the same order.
func pollValues(p *feed.PollState) (all []pollValue) {
	all = make([]pollValue, 0, 32)
	put := func(name, value string) {
		if value == "0" {
			value = ""
		}
		all = append(all, pollValue{name, value})
	}
	decimal := func(f float64) string { return strconv.FormatFloat(f, 'g', 6, 64) }
	gone := ""
	if p.Gone {
		gone = "1"
	}
	put("etag", p.ETag)
	put("last_modified", p.LastModified)
	put("body_sum", p.BodySum)
	put("last_poll", stampOrNone(p.LastPoll))
	put("last_ok", stampOrNone(p.LastOK))
	put("last_document", stampOrNone(p.LastDocument))
	put("entries", strconv.Itoa(p.Entries))
	put("next_poll", stampOrNone(p.NextPoll))
	put("next_reason", p.NextReason)
	put("status", strconv.Itoa(p.Status))
	put("errors", strconv.Itoa(p.Errors))
	put("error_class", p.ErrorClass)
	put("error_text", p.ErrorText)
	put("gone", gone)
	put("gone_since", stampOrNone(p.GoneSince))
	put("failing_since", stampOrNone(p.FailingSince))
	put("validated", p.Validated)
	put("last_full", stampOrNone(p.LastFull))
	put("generation", strconv.Itoa(p.Generation))
	put("format", p.Format)
	put("moved_to", p.Move.To)
	put("moved_since", stampOrNone(p.Move.Since))
	put("moved_seen", strconv.Itoa(p.Move.Seen))
	put("moved_adopted", stampOrNone(p.Move.Adopted))
	put("moved_checked", stampOrNone(p.Move.Checked))
	put("rate_posts", decimal(p.Rate.Posts))
	put("rate_hours", decimal(p.Rate.Hours))
	put("hint_interval", strconv.FormatInt(int64(p.Hints.Interval/time.Second), 10))
	put("skip_hours", strconv.Itoa(int(p.Hints.SkipHours)))
	put("skip_days", strconv.Itoa(int(p.Hints.SkipDays)))
	return all
}
