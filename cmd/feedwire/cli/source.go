package cli

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
	"github.com/feedwire/feedwire/store/feed"
)

func newSource() *cobra.Command {
	cmd := group("source", "Manage source feeds",
		newSourceAdd(), newSourceList(), newSourceShow(), newSourcePoll(),
		newSourceAction("pause", "Pause polling of sources", "paused"),
		newSourceAction("resume", "Resume polling of paused or gone sources at once", "resumed"),
		newSourceRemove(), newSourceRestore(), newSourcePeek(),
	)
	clientFlags(cmd)
	return cmd
}

func newSourceList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the sources",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := fetchAll[feed.Source](cmd, "/api/v1/sources")
			if err != nil {
				return err
			}
			now := time.Now()
			return show(cmd, all, func(w io.Writer) {
				row(w, "ID", "STATE", "ENTRIES", "LAST POLL", "NEXT", "TITLE", "URL")
				for _, s := range all {
					row(w, s.ID, string(s.State()), strconv.Itoa(s.Poll.Entries), terminal.Ago(s.Poll.LastPoll, now), next(&s, now),
						terminal.Cut(s.About.Title, 32), s.URL)
				}
			})
		},
	}
}

// next describes when a source is polled next.
func next(s *feed.Source, now time.Time) string {
	switch s.State() {
	case feed.SourcePaused, feed.SourceGone:
		return "-"
	}
	if !s.Poll.NextPoll.After(now) {
		return "now"
	}
	return terminal.Ago(s.Poll.NextPoll, now)
}

func newSourceShow() *cobra.Command {
	return newShow("ID|URL", "Show a source and the state of its polls", "/api/v1/sources/", printSource)
}

func printSource(w io.Writer, s *feed.Source, now time.Time) {
	row(w, "source", s.ID)
	row(w, "url", s.URL)
	row(w, "title", s.About.Title)
	row(w, "state", string(s.State()))
	row(w, "feeds", strings.Join(s.Feeds, ", "))
	row(w, "publish", string(s.Publish))
	for _, url := range s.Republished {
		row(w, "republished", url)
	}
	if !s.Poll.Move.Adopted.IsZero() {
		row(w, "moved to", s.Poll.Move.To)
	}
	printSettings(w, s)
	row(w, "entries", fmt.Sprintf("%d in the last document", s.Poll.Entries))
	if s.Poll.Identity != "" {
		row(w, "identity", string(s.Poll.Identity))
	}
	row(w, "last poll", terminal.Ago(s.Poll.LastPoll, now))
	row(w, "last success", terminal.Ago(s.Poll.LastOK, now))
	due := next(s, now)
	if due != "-" {
		due += ", " + s.Poll.NextReason
	}
	row(w, "next poll", due)
	if due != "-" {
		for _, r := range s.Pace {
			row(w, "  "+r.Name, paceText(&r))
		}
	}
	if s.Poll.Identity != "" && s.Poll.Identity != feed.IdentityGUID {
		row(w, "identity", string(s.Poll.Identity)+", because several entries had one guid")
	}
	if s.Push.Hub != "" {
		row(w, "hub", s.Push.Hub)
		row(w, "push", pushText(&s.Push, now))
	}
	if s.Poll.ErrorClass != "" {
		printError(w, &s.Poll)
	}
}

// printError prints the error of the last poll and how to solve it.
func printError(w io.Writer, p *feed.PollState) {
	row(w, "error", fmt.Sprintf("%s (%s, %d in a row)", p.ErrorText, p.ErrorClass, p.Errors))
	row(w, "advice", p.Advice())
}

// paceText describes a rule of the interval and its result.
func paceText(r *feed.PaceRule) string {
	if r.Every == 0 {
		return r.Text
	}
	return fmt.Sprintf("%s: %v", r.Text, r.Every)
}

func newSourcePoll() *cobra.Command {
	var traced, all, full bool
	cmd := &cobra.Command{
		Use:   "poll ID|URL|--all",
		Short: "Poll a source now",
		Long: `Poll a source now and print the result. --trace prints every step: addresses, TLS, header fields, redirects, the result of the
parser, the outcome of each entry with its reason, and the rule that determines the next poll.

Requests are conditional, and a document that is identical to the previous one is not parsed again. --full disables both.

--all makes every source due that is not paused or gone. The daemon polls them at its usual rate; "feedwire source list" shows
the progress.`,
		Example: `  feedwire source poll https://blog.example.org/feed.xml --trace
  feedwire source poll --all`,
		Args: func(cmd *cobra.Command, args []string) error {
			if all {
				return noArgs(cmd, args)
			}
			return exactly(1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if all {
				return pollAll(cmd)
			}
			c, err := newClient(cmd)
			if err != nil {
				return err
			}
			var s feed.Source
			if traced {
				trace, err := client.PollTraced(cmd.Context(), c, args[0], full)
				if err != nil {
					return err
				}
				if trace.After != nil {
					s = *trace.After
				}
				err = show(cmd, trace, func(w io.Writer) { printTrace(w, &trace, time.Now()) })
				if err != nil {
					return err
				}
			} else {
				if s, err = client.Poll(cmd.Context(), c, args[0], full); err != nil {
					return err
				}
				if err := show(cmd, s, func(w io.Writer) { printSource(w, &s, time.Now()) }); err != nil {
					return err
				}
			}
			if s.Poll.ErrorClass != "" {
				return fmt.Errorf("the poll failed: %s", s.Poll.ErrorClass)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&traced, "trace", false, "print every step of the poll")
	cmd.Flags().BoolVar(&all, "all", false, "make all active sources due")
	cmd.Flags().BoolVar(&full, "full", false, "fetch and read the document even if it has not changed")
	cmd.MarkFlagsMutuallyExclusive("all", "trace")
	cmd.MarkFlagsMutuallyExclusive("all", "full")
	return cmd
}

// pollAll makes all sources due.
func pollAll(cmd *cobra.Command) error {
	done, err := request[map[string]int](cmd, http.MethodPost, "/api/v1/sources/poll", nil)
	if err != nil {
		return err
	}
	return show(cmd, done, func(w io.Writer) { fmt.Fprintln(w, done["due"], "sources are due") })
}

// newSourceAction returns a command that applies one action to sources.
func newSourceAction(action, short, done string) *cobra.Command {
	return &cobra.Command{
		Use:   action + " ID|URL...",
		Short: short,
		Args:  some,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return runBulk(cmd, "/api/v1/sources/"+action, map[string][]string{"sources": args})
			}
			s, err := request[feed.Source](cmd, http.MethodPost, "/api/v1/sources/"+client.Path(args[0])+"/"+action, nil)
			if err != nil {
				return err
			}
			return show(cmd, s, func(w io.Writer) { fmt.Fprintln(w, done, s.ID, s.URL) })
		},
	}
}

func newSourceRemove() *cobra.Command {
	cmd := newRemove("remove ID|URL...", "Remove sources and their entries; articles are kept", "sources")
	one := cmd.RunE
	cmd.Args = some
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 1 {
			return runBulk(cmd, "/api/v1/sources/remove", map[string][]string{"sources": args})
		}
		return one(cmd, args)
	}
	return cmd
}
