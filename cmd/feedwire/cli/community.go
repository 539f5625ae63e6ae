package cli

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
	"github.com/feedwire/feedwire/store/feed"
)

func newCommunity() *cobra.Command {
	return withServer(group("community", "Moderate the community",
		newReports(),
		list[feed.Report]{
			use: "held", short: "List the submissions that wait until a moderator approves them, the latest first", path: "moderation/held",
			columns: []string{"NUMBER", "SINCE", "AUTHOR", "KARMA", "URL", "TEXT"},
			print: func(w io.Writer, r *feed.Report) {
				row(w, r.ID, terminal.Ago(r.Since), r.Author, r.Karma, terminal.Cut(r.URL, 60), terminal.Cut(textOf(r), 60))
			},
		}.command(),
		newVisibility("approve", "Show a submission that waits for review to everyone, as if it were submitted now", feed.Visible),
		newVisibility("reject", "Reject a submission: its author sees the reason, and no one else sees it", feed.Rejected),
		newVisibility("hide", "Hide a submission or a comment: only its author sees it, without notice", feed.Hidden),
		newVisibility("remove", "Remove a submission or a comment: no one sees it", feed.Removed),
		newVisibility("restore", "Show a hidden or removed submission or comment to everyone", feed.Visible),
		newDecision("dismiss THING", "Close the reports of a submission or a comment, which stays as it is", http.MethodDelete, "moderation/reports/%s", "dismissed"),
		newDecision("reopen THING", "Return closed reports of a submission or a comment to the queue", http.MethodPut, "moderation/reports/%s", "reopened"),
		newDecision("lock NUMBER", "Permit no new comments on a submission", http.MethodPut, "submissions/%s/lock", "locked"),
		newDecision("unlock NUMBER", "Permit new comments on a submission again", http.MethodDelete, "submissions/%s/lock", "unlocked"),
		newDecision("ban ACCOUNT", "Ban an account from writing, voting and reporting in the community", http.MethodPut, "moderation/bans/%s", "banned"),
		newDecision("unban ACCOUNT", "End the ban of an account", http.MethodDelete, "moderation/bans/%s", "unbanned"),
		list[feed.Ban]{
			use: "bans", short: "List the banned accounts, the latest first", path: "moderation/bans",
			columns: []string{"ACCOUNT", "SINCE"},
			print:   func(w io.Writer, b *feed.Ban) { row(w, b.Account, terminal.Ago(b.Since)) },
		}.command(),
		newInvitationTree(),
		list[feed.ModerationEntry]{
			use: "decisions", short: "List what moderators did, newest first", path: "moderation/decisions",
			limit:   "maximum number of decisions, up to 200",
			columns: []string{"WHEN", "WHO", "DID", "ON", "BEFORE", "AFTER", "REASON"},
			print: func(w io.Writer, d *feed.ModerationEntry) {
				row(w, terminal.Ago(d.Time), d.Who, d.Action, d.Object, d.Before, d.After, terminal.Cut(d.Reason, 60))
			},
		}.command(),
	))
}

// newReports returns the command that lists the queue of reports.
func newReports() *cobra.Command {
	var most bool
	all := list[feed.Report]{
		use: "reports", short: "List what members have reported and no moderator has decided about",
		path: "moderation/reports",
		query: func([]string) url.Values {
			if most {
				return url.Values{"order": {"most"}}
			}
			return url.Values{}
		},
		columns: []string{"THING", "REPORTS", "SINCE", "AUTHOR", "KARMA", "STATE", "REASONS", "TEXT"},
		print: func(w io.Writer, r *feed.Report) {
			row(w, r.ID, len(r.Reasons), terminal.Ago(r.Since), r.Author, r.Karma, r.State, terminal.Cut(r.Summary(), 40), terminal.Cut(textOf(r), 60))
		},
	}.command()
	all.Flags().BoolVar(&most, "most", false, "first what most members have reported (default: the latest first), up to 200")
	return all
}

// textOf returns title and text of something that waits for a moderator in a line.
func textOf(r *feed.Report) string { return strings.Join(strings.Fields(r.Title+" "+r.Body), " ") }

// newVisibility returns the command that changes who sees a submission or a comment.
func newVisibility(name, short string, state feed.Visibility) *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use: name + " THING", Short: short, Long: short + ". THING is the number of a submission, or that of a comment such as 12-3. Its reports are closed.",
		Example: "  feedwire community " + name + ` 12-3 --reason "Insults a member"`,
		RunE: func(cmd *cobra.Command, args []string) error {
			path := "submissions/" + client.Path(args[0]) + "/state"
			if n, c, isComment := strings.Cut(args[0], "-"); isComment {
				path = "entries/" + client.Path(n) + "/comments/" + client.Path(c) + "/state"
			}
			if _, err := request[client.Raw](cmd, http.MethodPut, path, map[string]string{"state": string(state), "reason": reason}); err != nil {
				return err
			}
			return show(cmd, map[string]string{string(state): args[0]}, func(w io.Writer) { fmt.Fprintln(w, args[0], "is", state) })
		},
	}
	reasonFlag(cmd, &reason)
	return cmd
}

// newDecision returns the command of another decision.
func newDecision(use, short, method, path, did string) *cobra.Command {
	var reason string
	cmd := &cobra.Command{Use: use, Short: short, RunE: func(cmd *cobra.Command, args []string) error {
		full := path
		if reason != "" {
			full += "?" + url.Values{"reason": {reason}}.Encode()
		}
		return echo(cmd, method, full, args, did, did)
	}}
	if did != "reopened" {
		reasonFlag(cmd, &reason)
	}
	return cmd
}

func reasonFlag(cmd *cobra.Command, reason *string) {
	cmd.Flags().StringVar(reason, "reason", "", "reason for the log (default: what members have reported)")
}
