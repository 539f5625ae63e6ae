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

	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
	"github.com/feedwire/feedwire/publish/desk/hub"
	"github.com/feedwire/feedwire/store/feed"
)

func newHub() *cobra.Command {
	var reason string
	action := func(name, short, done string) call[hub.Subscription] {
		return call[hub.Subscription]{
			use: name + " ID", short: short, path: "hub/subscriptions/%s/" + name,
			print: func(w io.Writer, s *hub.Subscription, _ []string) { fmt.Fprintln(w, done, s.ID, s.Callback) },
		}
	}
	deny := action("deny", "End a subscription and notify the subscriber", "denied")
	deny.body = func([]string) any { return map[string]string{"reason": reason} }
	denyCmd := deny.command()
	denyCmd.Flags().StringVar(&reason, "reason", "", "reason that is sent to the subscriber, at most 200 bytes")
	return withServer(group("hub", "Manage subscriptions to the hub and their deliveries",
		call[hub.Counts]{
			use: "status", short: "Print the number of subscriptions and pending deliveries",
			method: http.MethodGet, path: "hub", print: printHubCounts,
		}.command(),
		list[feed.Topic]{
			use: "topics", short: "List the topics with subscribers", path: "hub/topics",
			order: func(a, b feed.Topic) int {
				return cmp.Or(cmp.Compare(b.Subscribers, a.Subscribers), strings.Compare(a.URL, b.URL))
			},
			columns: []string{"SUBSCRIBERS", "WAITING", "LAST CHANGE", "TOPIC"},
			print: func(w io.Writer, t *feed.Topic) {
				row(w, t.Subscribers, t.Waiting, terminal.Ago(t.Changed), hub.TopicText(t.URL))
			},
		}.command(),
		newHubTopic(),
		newHubList(),
		newShow("ID", "Show a subscription with the full URL of its callback", "hub/subscriptions/%s", printSubscription),
		list[feed.Attempt]{
			use: "attempts ID", short: "List the last attempts to deliver to a subscriber, newest first", path: "hub/subscriptions/%s/attempts",
			columns: []string{"TIME", "VERSION", "RESPONSE", "DURATION", "NEXT TRY"},
			print:   printAttempt,
		}.command(),
		denyCmd,
		action("resend", "Resend the newest version of a topic to a subscriber", "resending to").command(),
		action("pause", "Pause deliveries to a subscriber; they are queued", "paused").command(),
		action("resume", "Resume deliveries to a subscriber", "resumed").command(),
		list[feed.DeadLetter]{
			use: "dead", short: "List the deliveries that failed permanently, newest first",
			long: `List up to 200 deliveries that failed permanently, newest first: versions that a subscriber did not accept for the time in
hub.horizon. The subscription continues with the next version. "feedwire hub replay" sends the missed versions.`,
			path:    "hub/dead",
			onePage: true,
			columns: []string{"ID", "SUBSCRIPTION", "VERSIONS", "TRIES", "LAST RESPONSE", "FAILED", "TOPIC"},
			print:   printDeadLetter,
		}.command(),
		newHubReplay(),
	))
}

func printHubCounts(w io.Writer, c *hub.Counts, _ []string) {
	row(w, "subscriptions", c.Subscriptions)
	row(w, "topics", c.Topics)
	row(w, "failing", c.Failing)
	row(w, "deliveries", fmt.Sprintf("%d ready, %d in progress or waiting for a retry", c.Ready, c.Later))
	row(w, "topics to schedule", c.Planning)
	row(w, "dead letters", c.DeadLetters)
	row(w, "lag", c.Lag)
}

func newHubTopic() *cobra.Command {
	cmd := call[feed.TopicHistory]{
		use: "topic URL|ID", short: "Show the last versions of a topic, their deliveries, and its subscribers over 90 days",
		method: http.MethodGet, path: "hub/topics/%s", print: printTopic,
	}.command()
	show := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 && strings.Contains(args[0], ":") {
			args[0] = feed.TopicID(args[0])
		}
		return show(cmd, args)
	}
	return cmd
}

func printTopic(w io.Writer, t *feed.TopicHistory, _ []string) {
	row(w, "topic", hub.TopicText(t.URL))
	row(w, "subscribers", t.Subscribers)
	row(w, "waiting", t.Waiting)
	row(w)
	row(w, "TIME", "VERSION", "ENTRIES", "BYTES", "DELIVERED", "FAILED", "CAUSES")
	for i := range t.Versions {
		v := &t.Versions[i]
		row(w, terminal.Ago(v.Time), v.Version, v.Entries, v.Size, v.Delivered, v.Failed, hub.CausesText(v.Causes))
	}
	row(w)
	row(w, "DAY", "SUBSCRIBERS")
	for _, d := range slices.Backward(t.Days) {
		row(w, d.Day, d.Subscribers)
	}
}

func newHubList() *cobra.Command {
	var topic string
	cmd := list[hub.Subscription]{
		use: "list", short: "List the subscriptions",
		long: `List the subscriptions. Callbacks are shown as host and subscription id, because the full URL of a callback is a secret: its
owner can take the subscription over. "feedwire hub show" prints the full URL.`,
		path:    "hub/subscriptions",
		query:   func([]string) url.Values { return url.Values{"topic": {topic}} },
		columns: []string{"ID", "STATE", "KIND", "CALLBACK", "LEASE ENDS", "LAST RESPONSE", "NEXT TRY", "TOPIC"},
		print: func(w io.Writer, s *hub.Subscription) {
			row(w, s.ID, s.State, s.Kind, s.Callback, terminal.Ago(s.Until), lastResponse(&s.Health), nextTry(s), hub.TopicText(s.Topic))
		},
	}.command()
	cmd.Flags().StringVar(&topic, "topic", "", "subscriptions to this topic, by its URL or id")
	return cmd
}

// lastResponse describes the last failure of a subscription. It returns "-" if there is none.
func lastResponse(h *feed.Health) string {
	switch {
	case h.Failures == 0:
		return "-"
	case h.Status == 0:
		return h.Reason
	}
	return strconv.Itoa(h.Status)
}

// nextTry describes when a failed delivery is retried.
func nextTry(s *hub.Subscription) string {
	switch {
	case s.Health.Failures == 0 || s.State == "paused":
		return "-"
	case s.Health.Next.IsZero():
		return "with the next version"
	case s.Health.Next.Before(time.Now()):
		return "now"
	}
	return terminal.Ago(s.Health.Next)
}

func printSubscription(w io.Writer, s *hub.Subscription) {
	row(w, "subscription", s.ID)
	row(w, "topic", hub.TopicText(s.Topic))
	row(w, "callback", s.URL)
	row(w, "kind", s.Kind)
	row(w, "state", s.State)
	row(w, "signed", yesNo(s.Signed))
	if s.Format != "" {
		row(w, "format", s.Format)
	}
	if len(s.Filter) > 0 {
		row(w, "filter", strings.Join(s.Filter, "  "))
	}
	row(w, "confirmed", terminal.Ago(s.Since))
	row(w, "lease ends", terminal.Ago(s.Until))
	row(w, "next version", s.Next)
	if s.Readers > 0 {
		row(w, "readers", fmt.Sprintf("%d, as reported", s.Readers))
	}
	if s.Health.Failures > 0 {
		row(w, "failures", fmt.Sprintf("%d in a row, the first %s", s.Health.Failures, terminal.Ago(s.Health.Since)))
		row(w, "last response", fmt.Sprintf("%s, %s", lastResponse(&s.Health), terminal.Ago(s.Health.Last)))
		row(w, "next attempt", nextTry(s))
	}
}

func printAttempt(w io.Writer, a *feed.Attempt) {
	response := a.Reason
	if a.Status != 0 {
		response = strconv.Itoa(a.Status)
	}
	row(w, terminal.Ago(a.Time), a.Version, response, time.Duration(a.Duration), terminal.Ago(a.Next))
}

func printDeadLetter(w io.Writer, l *feed.DeadLetter) {
	versions := strconv.FormatInt(l.First, 10)
	if l.Last > l.First {
		versions += fmt.Sprintf(" and %d more", l.Last-l.First)
	}
	response := lastResponse(&feed.Health{Failures: l.Failures, Status: l.Status, Reason: l.Reason})
	row(w, l.ID, l.Subscription, versions, l.Failures, response, terminal.Ago(l.Time), hub.TopicText(l.Topic))
}

func newHubReplay() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "replay ID|--all",
		Short: "Resend deliveries that failed permanently",
		Long:  `Resend the versions of one dead letter, by its id, or with --all those of every dead letter whose subscription is still active.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !all {
				return echo(cmd, http.MethodPost, "hub/dead/%s/replay", args, "replayed", "replaying")
			}
			return call[map[string]int]{
				path:  "hub/dead/replay",
				print: func(w io.Writer, done *map[string]int, _ []string) { fmt.Fprintln(w, "replaying", (*done)["replayed"]) },
			}.run(cmd, args)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "resend all dead letters of active subscriptions, up to 1000 per call")
	return cmd
}
