package cli

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

	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
	"github.com/feedwire/feedwire/publish/desk/hub"
	"github.com/feedwire/feedwire/store/feed"
)

func newHub() *cobra.Command {
	cmd := group("hub", "Manage subscriptions to the hub and their deliveries",
		newHubStatus(), newHubTopics(), newHubList(), newHubShow(), newHubDeny(),
		newHubAction("resend", "Resend the newest version of a topic to a subscriber", "resending to"),
		newHubAction("pause", "Pause deliveries to a subscriber; they are queued", "paused"),
		newHubAction("resume", "Resume deliveries to a subscriber", "resumed"),
		newHubDead(), newHubReplay(),
	)
	clientFlags(cmd)
	return cmd
}

func newHubStatus() *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Print the number of subscriptions and pending deliveries",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := request[hub.Counts](cmd, http.MethodGet, "/api/v1/hub", nil)
			if err != nil {
				return err
			}
			return show(cmd, s, func(w io.Writer) {
				row(w, "subscriptions", strconv.Itoa(s.Subscriptions))
				row(w, "topics", strconv.Itoa(s.Topics))
				row(w, "failing", strconv.Itoa(s.Failing))
				row(w, "deliveries", fmt.Sprintf("%d ready, %d in progress or waiting for a retry", s.Ready, s.Later))
				row(w, "topics to schedule", strconv.Itoa(s.Planning))
				row(w, "dead letters", strconv.Itoa(s.DeadLetters))
				row(w, "lag", s.Lag)
			})
		},
	}
}

func newHubTopics() *cobra.Command {
	return &cobra.Command{
		Use:   "topics",
		Short: "List the topics with subscribers",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := fetchAll[hub.Topic](cmd, "/api/v1/hub/topics")
			if err != nil {
				return err
			}
			slices.SortFunc(all, func(a, b hub.Topic) int {
				return cmp.Or(cmp.Compare(b.Subscribers, a.Subscribers), strings.Compare(a.URL, b.URL))
			})
			return show(cmd, all, func(w io.Writer) {
				row(w, "SUBSCRIBERS", "WAITING", "LAST CHANGE", "TOPIC")
				for _, t := range all {
					row(w, strconv.Itoa(t.Subscribers), strconv.Itoa(t.Waiting), terminal.Ago(t.Changed, time.Now()), topicText(t.URL))
				}
			})
		},
	}
}

func newHubList() *cobra.Command {
	var topic string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the subscriptions",
		Long: `List the subscriptions. Callbacks are shown as host and subscription id, because the full URL of a callback is a secret: its
owner can take the subscription over. "feedwire hub show" prints the full URL.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := fetchAll[hub.Subscription](cmd, "/api/v1/hub/subscriptions?"+url.Values{"topic": {topic}}.Encode())
			if err != nil {
				return err
			}
			now := time.Now()
			return show(cmd, all, func(w io.Writer) {
				row(w, "ID", "STATE", "KIND", "CALLBACK", "LEASE ENDS", "LAST RESPONSE", "NEXT TRY", "TOPIC")
				for _, s := range all {
					row(w, s.ID, s.State, string(s.Kind), s.Callback, terminal.Ago(s.Until, now), lastAnswer(&s.Health), nextTry(&s, now), topicText(s.Topic))
				}
			})
		},
	}
	cmd.Flags().StringVar(&topic, "topic", "", "subscriptions to this topic, by its URL or id")
	return cmd
}

// topicText returns the URL of a topic, or the filter of a topic of signals.
func topicText(topic string) string {
	if f, ok := feed.ParseSignalTopic(topic); ok {
		return f.String()
	}
	return topic
}

// lastAnswer describes the last failure of a subscription. It returns "-" if there is none.
func lastAnswer(h *hub.Health) string {
	switch {
	case h.Failures == 0:
		return "-"
	case h.Status == 0:
		return h.Reason
	}
	return strconv.Itoa(h.Status)
}

// nextTry describes when a failed delivery is retried.
func nextTry(s *hub.Subscription, now time.Time) string {
	switch {
	case s.Health.Failures == 0 || s.State == "paused":
		return "-"
	case s.Health.Next.IsZero():
		return "with the next version"
	case s.Health.Next.Before(now):
		return "now"
	}
	return terminal.Ago(s.Health.Next, now)
}

func newHubShow() *cobra.Command {
	return newShow("ID", "Show a subscription with the full URL of its callback", "/api/v1/hub/subscriptions/", printSubscription)
}

func printSubscription(w io.Writer, s *hub.Subscription, now time.Time) {
	row(w, "subscription", s.ID)
	row(w, "topic", topicText(s.Topic))
	row(w, "callback", s.URL)
	row(w, "kind", string(s.Kind))
	row(w, "state", s.State)
	row(w, "signed", map[bool]string{true: "yes", false: "no"}[s.Signed])
	row(w, "confirmed", terminal.Ago(s.Since, now))
	row(w, "lease ends", terminal.Ago(s.Until, now))
	row(w, "next version", strconv.FormatInt(s.Next, 10))
	if s.Readers > 0 {
		row(w, "readers", fmt.Sprintf("%d, as reported", s.Readers))
	}
	if s.Health.Failures > 0 {
		row(w, "failures", fmt.Sprintf("%d in a row, the first %s", s.Health.Failures, terminal.Ago(s.Health.Since, now)))
		row(w, "last response", fmt.Sprintf("%s, %s", lastAnswer(&s.Health), terminal.Ago(s.Health.Last, now)))
		row(w, "next try", nextTry(s, now))
	}
}

func newHubDeny() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:   "deny ID",
		Short: "End a subscription and notify the subscriber",
		Args:  exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := request[hub.Subscription](cmd, http.MethodPost, "/api/v1/hub/subscriptions/"+client.Path(args[0])+"/deny",
				map[string]string{"reason": reason})
			if err != nil {
				return err
			}
			return show(cmd, s, func(w io.Writer) { fmt.Fprintln(w, "denied", s.ID, s.Callback) })
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "reason that is sent to the subscriber, at most 200 bytes")
	return cmd
}

// newHubAction returns a command that applies one action to a subscription.
func newHubAction(action, short, done string) *cobra.Command {
	return &cobra.Command{
		Use:   action + " ID",
		Short: short,
		Args:  exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path := "/api/v1/hub/subscriptions/" + client.Path(args[0]) + "/" + action
			s, err := request[hub.Subscription](cmd, http.MethodPost, path, nil)
			if err != nil {
				return err
			}
			return show(cmd, s, func(w io.Writer) { fmt.Fprintln(w, done, s.ID, s.Callback) })
		},
	}
}
