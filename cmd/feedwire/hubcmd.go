package main

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/publish/desk"
	"github.com/feedwire/feedwire/store/feed"
)

func newHub() *cobra.Command {
	cmd := group("hub", "See who subscribes, and help where deliveries fail",
		newHubStatus(), newHubTopics(), newHubList(), newHubShow(), newHubDeny(),
		newHubAction("resend", "Send a subscriber the newest version of its topic again", "resending to"),
		newHubAction("pause", "Stop deliveries to a subscriber; what comes meanwhile waits", "paused"),
		newHubAction("resume", "Deliver to a subscriber again", "resumed"),
		newHubDead(), newHubReplay(),
	)
	clientFlags(cmd)
	return cmd
}

func newHubStatus() *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Count subscriptions and what waits",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := answerTo[desk.HubCounts](cmd, http.MethodGet, "/api/v1/hub", nil)
			if err != nil {
				return err
			}
			return show(cmd, s, func(w io.Writer) {
				row(w, "subscriptions", strconv.Itoa(s.Subscriptions))
				row(w, "topics", strconv.Itoa(s.Topics))
				row(w, "failing", strconv.Itoa(s.Failing))
				row(w, "deliveries", fmt.Sprintf("%d ready, %d under way or to be tried again", s.Ready, s.Later))
				row(w, "topics to be planned", strconv.Itoa(s.Planning))
				row(w, "dead letters", strconv.Itoa(s.DeadLetters))
				row(w, "lag", s.Lag)
			})
		},
	}
}

func newHubTopics() *cobra.Command {
	return &cobra.Command{
		Use:   "topics",
		Short: "List what is subscribed to, with the number of subscribers",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := listAll[desk.HubTopic](cmd, "/api/v1/hub/topics")
			if err != nil {
				return err
			}
			slices.SortFunc(all, func(a, b desk.HubTopic) int {
				return cmp.Or(cmp.Compare(b.Subscribers, a.Subscribers), strings.Compare(a.URL, b.URL))
			})
			return show(cmd, all, func(w io.Writer) {
				row(w, "SUBSCRIBERS", "WAITING", "LAST NEWS", "TOPIC")
				for _, t := range all {
					row(w, strconv.Itoa(t.Subscribers), strconv.Itoa(t.Waiting), ago(t.Changed, time.Now()), topicText(t.URL))
				}
			})
		},
	}
}

func newHubList() *cobra.Command {
	var topic string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the subscriptions with their state",
		Long: `List the subscriptions with their state. Callbacks are shown as their host and the end of the subscription's id: who knows
a whole callback can take the subscription over.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := listAll[desk.HubSubscription](cmd, "/api/v1/hub/subscriptions?"+url.Values{"topic": {topic}}.Encode())
			if err != nil {
				return err
			}
			now := time.Now()
			return show(cmd, all, func(w io.Writer) {
				row(w, "ID", "STATE", "WAY", "CALLBACK", "LEASE ENDS", "LAST ANSWER", "NEXT TRY", "TOPIC")
				for _, s := range all {
					row(w, s.ID, s.State, string(s.Way), s.Callback, ago(s.Until, now), lastAnswer(&s.Health), nextTry(&s, now), topicText(s.Topic))
				}
			})
		},
	}
	cmd.Flags().StringVar(&topic, "topic", "", "only subscriptions of this topic, by its URL or id")
	return cmd
}

// topicText is a topic for people: its URL, or which signals it stands for.
func topicText(topic string) string {
	if f, ok := feed.ParseSignalTopic(topic); ok {
		return f.String()
	}
	return topic
}

// lastAnswer is how the last delivery failed; "-": it did not.
func lastAnswer(h *desk.HubHealth) string {
	switch {
	case h.Failures == 0:
		return "-"
	case h.Status == 0:
		return h.Reason
	}
	return strconv.Itoa(h.Status)
}

// nextTry is when a delivery that failed is tried again.
func nextTry(s *desk.HubSubscription, now time.Time) string {
	switch {
	case s.Health.Failures == 0 || s.State == "paused":
		return "-"
	case s.Health.Next.IsZero():
		return "with the next version"
	case s.Health.Next.Before(now):
		return "now"
	}
	return ago(s.Health.Next, now)
}

func newHubShow() *cobra.Command {
	return newShow("ID", "Show one subscription, with its whole callback", "/api/v1/hub/subscriptions/", printSubscription)
}

func printSubscription(w io.Writer, s *desk.HubSubscription, now time.Time) {
	row(w, "subscription", s.ID)
	row(w, "topic", topicText(s.Topic))
	row(w, "callback", s.URL)
	row(w, "way", string(s.Way))
	row(w, "state", s.State)
	row(w, "signed", map[bool]string{true: "yes", false: "no"}[s.Signed])
	row(w, "confirmed", ago(s.Since, now))
	row(w, "lease ends", ago(s.Until, now))
	row(w, "next version", strconv.FormatInt(s.Next, 10))
	if s.Readers > 0 {
		row(w, "readers", fmt.Sprintf("%d, it says", s.Readers))
	}
	if s.Health.Failures > 0 {
		row(w, "failures", fmt.Sprintf("%d in a row, the first %s", s.Health.Failures, ago(s.Health.Since, now)))
		row(w, "last answer", fmt.Sprintf("%s, %s", lastAnswer(&s.Health), ago(s.Health.Last, now)))
		row(w, "next try", nextTry(s, now))
	}
}

func newHubDeny() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:   "deny ID",
		Short: "Refuse a subscriber: it is told, and its subscription ends",
		Args:  exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := answerTo[desk.HubSubscription](cmd, http.MethodPost, "/api/v1/hub/subscriptions/"+id(args[0])+"/deny",
				map[string]string{"reason": reason})
			if err != nil {
				return err
			}
			return show(cmd, s, func(w io.Writer) { fmt.Fprintln(w, "denied", s.ID, s.Callback) })
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "what the subscriber is told, at most 200 bytes")
	return cmd
}

// newHubAction makes a command that does one thing to a subscription.
func newHubAction(action, short, done string) *cobra.Command {
	return &cobra.Command{
		Use:   action + " ID",
		Short: short,
		Args:  exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path := "/api/v1/hub/subscriptions/" + id(args[0]) + "/" + action
			s, err := answerTo[desk.HubSubscription](cmd, http.MethodPost, path, nil)
			if err != nil {
				return err
			}
			return show(cmd, s, func(w io.Writer) { fmt.Fprintln(w, done, s.ID, s.Callback) })
		},
	}
}
