package desk

import (
	"fmt"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// topicRow is a topic with its subscribers.
type topicRow struct {
	ID          string
	Text        string
	Subscribers int
	Waiting     int
	Changed     moment
}

// subscriptionRow is a subscription, its callback only hinted at: the page may be open to others.
type subscriptionRow struct {
	ID, Callback, Way, Topic, State string
	Trouble                         string
	Until                           moment
	Next                            moment // try
}

// letterRow is a dead letter.
type letterRow struct {
	ID, Subscription, Text string
	Time                   moment
}

// hubCounts tells of the hub in a line.
func hubCounts(s *feed.HubState) string {
	parts := []string{plural(s.Subscriptions, "subscription"), plural(s.Topics, "topic")}
	if s.Failing > 0 {
		parts = append(parts, fmt.Sprintf("%d failing", s.Failing))
	}
	if n := s.Ready + s.Later; n > 0 {
		parts = append(parts, fmt.Sprintf("%d on the way", n))
	}
	if s.DeadLetters > 0 {
		parts = append(parts, fmt.Sprintf("%d given up", s.DeadLetters))
	}
	return strings.Join(parts, " · ")
}

// topicText is a topic for people: its URL, or which signals it stands for.
func topicText(url string) string {
	if f, ok := feed.ParseSignalTopic(url); ok {
		return f.String()
	}
	return url
}

func subscriptionRowOf(s *feed.Subscription, now time.Time) subscriptionRow {
	row := subscriptionRow{
		ID: s.ID, Callback: s.Hint(), Way: string(s.Way), Topic: topicText(s.Topic), State: hubSubscription(s).State,
		Until: ahead(s.Until, now),
	}
	if h := &s.Health; h.Failures > 0 {
		row.Trouble = fmt.Sprintf("%s in a row, the first %s: %s", plural(h.Failures, "failure"), ago(h.Since, now).Text, answerText(h.Status, h.Reason))
		if !s.Paused {
			row.Next = ahead(h.Next, now)
		}
	}
	return row
}

// answerText is how a delivery failed.
func answerText(status int, reason string) string {
	switch {
	case status != 0:
		return fmt.Sprintf("its server answers %d", status)
	case reason == "timeout":
		return "its server does not answer in time"
	case reason == "blocked":
		return "its address is not public, and not in hub.allow_networks"
	}
	return "its server cannot be reached"
}

func letterRowOf(l *feed.DeadLetter, now time.Time) letterRow {
	text := "one version of " + topicText(l.Topic)
	if l.Last > l.First {
		text = fmt.Sprintf("%d versions of %s", l.Last-l.First+1, topicText(l.Topic))
	}
	text += fmt.Sprintf(", after %s: %s", plural(l.Failures, "failure"), answerText(l.Status, l.Reason))
	return letterRow{ID: l.ID, Subscription: l.Subscription, Text: text, Time: ago(l.Time, now)}
}
