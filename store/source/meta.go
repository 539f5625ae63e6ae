package source

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// fromMeta reads the hash <feed_url>:meta.
func fromMeta(url string, m map[string]string) feed.Source {
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
	instant := func(name string) (t time.Time) {
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
			Headers:     headersFrom(m["headers"]),
			Username:    m["username"],
			Password:    m["password"],
			Proxy:       m["proxy"],
		},
		Paused:   m["paused"] == "1",
		Added:    instant("added"),
		Revision: number("edition"),
		About: feed.About{
			Title: m["title"], Description: m["description"], Link: m["link"], Language: m["language"],
		},
		Poll: feed.PollState{
			ETag:          m["etag"],
			LastModified:  m["last_modified"],
			BodySum:       m["body_sum"],
			LastPoll:      instant("last_poll"),
			LastOK:        instant("last_ok"),
			LastDocument:  instant("last_document"),
			Entries:       number("entries"),
			NextPoll:      instant("next_poll"),
			NextReason:    m["next_reason"],
			Status:        number("status"),
			Errors:        number("errors"),
			ErrorClass:    m["error_class"],
			ErrorText:     m["error_text"],
			Gone:          m["gone"] == "1",
			GoneSince:     instant("gone_since"),
			FailingSince:  instant("failing_since"),
			Validated:     m["validated"],
			LastFull:      instant("last_full"),
			FullRequested: m["full_asked"] == "1",
			Generation:    number("generation"),
			Format:        m["format"],
			Move: feed.Move{
				To: m["moved_to"], Since: instant("moved_since"), Seen: number("moved_seen"),
				Adopted: instant("moved_adopted"), Checked: instant("moved_checked"),
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
	source.Filters, source.Categories = filtersFrom(m["filters"]), categoriesFrom(m["categories"])
	return source
}

// settingFields are the fields of the settings of a source. Nil categories are not among them, so the stored ones remain.
func settingFields(src *feed.Source) []any {
	seconds := func(d time.Duration) string { return strconv.FormatInt(int64(d/time.Second), 10) }
	ignore := ""
	if src.IgnoreUpdates {
		ignore = "1"
	}
	headers := ""
	if len(src.Request.Headers) > 0 {
		text, _ := json.Marshal(src.Request.Headers) // strings always encode
		headers = string(text)
	}
	fields := []any{
		"feeds", strings.Join(src.Feeds, ","),
		"publish", string(src.Publish),
		"interval", seconds(src.Interval),
		"timeout", seconds(src.Request.Timeout),
		"min_interval", seconds(src.Request.MinInterval),
		"headers", headers,
		"username", src.Request.Username,
		"password", src.Request.Password,
		"proxy", src.Request.Proxy,
		"ignore_updates", ignore,
		"keep_entries", strconv.Itoa(src.Keep.Entries),
		"keep_for", seconds(src.Keep.For),
		"filters", src.Filters.String(),
	}
	if src.Categories != nil {
		list, _ := json.Marshal(feed.CleanCategories(src.Categories)) // strings always encode
		fields = append(fields, "categories", string(list))
	}
	return fields
}

// headersFrom decodes stored headers; nil if they are damaged.
func headersFrom(text string) map[string]string {
	if text == "" {
		return nil
	}
	var headers map[string]string
	_ = json.Unmarshal([]byte(text), &headers)
	return headers
}

// filtersFrom decodes stored filters. Damaged filters become a filter that does not compile, so that polls fail instead of accepting
// every entry.
func filtersFrom(text string) feed.Filters {
	filters, err := feed.ParseFilters(text)
	if err != nil {
		return feed.Filters{Keep: []feed.Filter{{Field: "damaged", Match: text}}}
	}
	return filters
}

// categoriesFrom decodes stored categories; nil if there are none or they are damaged.
func categoriesFrom(text string) (list []string) {
	if text != "" {
		_ = json.Unmarshal([]byte(text), &list)
	}
	return list
}

// initialFields are the fields that AddSource sets for a new source only: what the imported list says about it.
func initialFields(src *feed.Source) []any {
	var fields []any
	if src.About.Title != "" {
		fields = append(fields, "title", src.About.Title)
	}
	if src.About.Link != "" {
		fields = append(fields, "link", src.About.Link)
	}
	if src.Paused {
		fields = append(fields, "paused", "1")
	}
	return fields
}
