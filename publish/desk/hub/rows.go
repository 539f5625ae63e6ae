package hub

import (
	"fmt"
	"strings"
	"time"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// subscriptionRow is a subscription in a list. Callback hides most of the URL, since pages may be open to everyone.
type subscriptionRow struct {
	ID, Callback, Kind, Topic, State string
	Trouble                          string
	Until                            web.Moment
	Next                             web.Moment // try
}

// countsText returns the counts of the hub in a line.
func countsText(s *feed.HubState) string {
	texts := []string{web.Plural(s.Subscriptions, "subscription"), web.Plural(s.Topics, "topic")}
	if s.Failing > 0 {
		texts = append(texts, fmt.Sprintf("%d failing", s.Failing))
	}
	if n := s.Ready + s.Later; n > 0 {
		texts = append(texts, fmt.Sprintf("%d pending", n))
	}
	if s.DeadLetters > 0 {
		texts = append(texts, web.Plural(s.DeadLetters, "dead letter"))
	}
	return strings.Join(texts, " · ")
}

// TopicText returns the URL of a topic, or the signals that it selects.
func TopicText(url string) string {
	if f, ok := feed.ParseSignalTopic(url); ok {
		return f.String()
	}
	return url
}

func subscriptionRowOf(s *feed.Subscription, now time.Time) subscriptionRow {
	row := subscriptionRow{
		ID: s.ID, Callback: s.Hint(), Kind: string(s.Kind), Topic: TopicText(s.Topic), State: s.State(),
		Until: web.Ahead(s.Until, now),
	}
	if h := &s.Health; h.Failures > 0 {
		row.Trouble = fmt.Sprintf("%s in a row, the first %s: %s", web.Plural(h.Failures, "failure"), web.Ago(h.Since, now).Text, failureText(h.Status, h.Reason))
		if !s.Paused {
			row.Next = web.Ahead(h.Next, now)
		}
	}
	return row
}

// failureText returns why a delivery failed.
func failureText(status int, reason string) string {
	switch {
	case status != 0:
		return fmt.Sprintf("the server responded with %d", status)
	case reason == "timeout":
		return "the server did not respond in time"
	case reason == "blocked":
		return "the address is not public, and not in hub.allow_networks"
	case reason == "dns":
		return "the host name of the server could not be resolved"
	case reason == "connect":
		return "the server refused or closed the connection"
	case reason == "tls":
		return "no TLS connection: the certificate is not valid, or the server does not speak TLS"
	}
	return "the server cannot be reached"
}
