package source

import (
	"strconv"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// callbackFrom reads the hash of a callback. If there is none, only FeedURL is set.
func callbackFrom(member string, m map[string]string) feed.PushSubscription {
	number := func(name string) int {
		n, _ := strconv.Atoi(m[name]) // absent: 0
		return n
	}
	c := feed.PushSubscription{
		FeedURL: member,
		Push: feed.Push{
			State: feed.PushState(m["state"]), Hub: m["hub"], Topic: m["topic"],
			Since: feed.ParseTime(m["since"]), LeaseEnd: feed.ParseTime(m["lease_end"]), LastPush: feed.ParseTime(m["last_push"]),
			LastPing: feed.ParseTime(m["last_ping"]),
			Pushes:   number("pushes"), Refused: number("refused"), Missed: number("missed"), Errors: number("errors"),
			ErrorText: m["error_text"],
		},
		Token: m["token"], Secret: m["secret"], PendingMode: m["asked"], Until: feed.ParseTime(m["until"]),
		Due: feed.ParseTime(m["due"]), Revision: m["revision"],
	}
	if url := m["feed_url"]; url != "" {
		c.FeedURL = url
	}
	return c
}

// callbackFields are the fields of a callback that are not empty.
func callbackFields(c *feed.PushSubscription) (fields []any) {
	put := func(name, value string) {
		if value != "" && value != "0" {
			fields = append(fields, name, value)
		}
	}
	put("feed_url", c.FeedURL)
	put("state", string(c.State))
	put("hub", c.Hub)
	put("topic", c.Topic)
	put("since", core.StampOrNone(c.Since))
	put("lease_end", core.StampOrNone(c.LeaseEnd))
	put("last_push", core.StampOrNone(c.LastPush))
	put("last_ping", core.StampOrNone(c.LastPing))
	put("pushes", strconv.Itoa(c.Pushes))
	put("refused", strconv.Itoa(c.Refused))
	put("missed", strconv.Itoa(c.Missed))
	put("errors", strconv.Itoa(c.Errors))
	put("error_text", c.ErrorText)
	put("token", c.Token)
	put("secret", c.Secret)
	put("asked", c.PendingMode)
	put("until", core.StampOrNone(c.Until))
	put("due", core.StampOrNone(c.Due))
	put("revision", c.Revision)
	return fields
}
