package store

import (
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
	source := feed.Source{
		ID:       feed.SourceID(url),
		URL:      url,
		Feeds:    slices.DeleteFunc(strings.Split(m["feeds"], ","), func(t string) bool { return t == "" }),
		Publish:  feed.PublishMode(m["publish"]),
		Interval: time.Duration(number("interval")) * time.Second,
		Paused:   m["paused"] == "1",
		Added:    feed.ParseTime(m["added"]),
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
		},
	}
	choicesFromMeta(&source, m)
	return source
}

// pollFields writes the state of polling as fields to set and fields to delete.
func pollFields(p feed.PollState) (set, unset []any) {
	put := func(name, value string) {
		if value == "" || value == "0" {
			unset = append(unset, name)
			return
		}
		set = append(set, name, value)
	}
	precise := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return stamp(t)
	}
	gone := ""
	if p.Gone {
		gone = "1"
	}
	put("etag", p.ETag)
	put("last_modified", p.LastModified)
	put("body_sum", p.BodySum)
	put("last_poll", precise(p.LastPoll))
	put("last_ok", precise(p.LastOK))
	put("last_document", precise(p.LastDocument))
	put("entries", strconv.Itoa(p.Entries))
	put("next_poll", precise(p.NextPoll))
	put("next_reason", p.NextReason)
	put("status", strconv.Itoa(p.Status))
	put("errors", strconv.Itoa(p.Errors))
	put("error_class", p.ErrorClass)
	put("error_text", p.ErrorText)
	put("gone", gone)
	return set, unset
}
