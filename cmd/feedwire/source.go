package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/store/feed"
)

func newSource() *cobra.Command {
	cmd := group("source", "Add, list, poll and remove source feeds",
		newSourceAdd(), newSourceList(), newSourceShow(), newSourcePoll(),
		newSourceAction("pause", "Stop polling a source", "paused"),
		newSourceAction("resume", "Poll a source again, at once, also one that was gone", "resumed"),
		newSourceRemove(), newSourceRestore(), newSourcePeek(),
	)
	clientFlags(cmd)
	return cmd
}

func newSourceList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the sources with their state",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := listAll[feed.Source](cmd, "/api/v1/sources")
			if err != nil {
				return err
			}
			now := time.Now()
			return show(cmd, all, func(w io.Writer) {
				row(w, "ID", "STATE", "ENTRIES", "LAST POLL", "NEXT", "TITLE", "URL")
				for _, s := range all {
					row(w, s.ID, string(s.State()), strconv.Itoa(s.Poll.Entries), ago(s.Poll.LastPoll, now), next(&s, now),
						cut(s.About.Title, 32), s.URL)
				}
			})
		},
	}
}

// next tells when a source is polled next.
func next(s *feed.Source, now time.Time) string {
	switch s.State() {
	case feed.SourcePaused, feed.SourceGone:
		return "-"
	}
	if !s.Poll.NextPoll.After(now) {
		return "now"
	}
	return ago(s.Poll.NextPoll, now)
}

func newSourceShow() *cobra.Command {
	return newShow("ID|URL", "Show one source and how polling it goes", "/api/v1/sources/", printSource)
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
	printChoices(w, s)
	row(w, "entries", fmt.Sprintf("%d in the last document", s.Poll.Entries))
	if s.Poll.Identity != "" {
		row(w, "told apart by", string(s.Poll.Identity))
	}
	row(w, "last poll", ago(s.Poll.LastPoll, now))
	row(w, "last success", ago(s.Poll.LastOK, now))
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
		printTrouble(w, &s.Poll)
	}
}

// printTrouble prints how the last poll failed and the way out.
func printTrouble(w io.Writer, p *feed.PollState) {
	row(w, "error", fmt.Sprintf("%s (%s, %d in a row)", p.ErrorText, p.ErrorClass, p.Errors))
	row(w, "way out", p.WayOut())
}

// paceText is a rule of the interval with what results of it.
func paceText(r *feed.Rule) string {
	if r.Every == 0 {
		return r.Text
	}
	return fmt.Sprintf("%s: %v", r.Text, r.Every)
}

func newSourcePoll() *cobra.Command {
	var traced, all, full bool
	cmd := &cobra.Command{
		Use:   "poll ID|URL|--all",
		Short: "Poll a source now and tell how it went",
		Long: `Poll a source now and tell how it went. With --trace tell every step: addresses, TLS, header fields, redirects, what the
parser made of the document, what became of each entry and why, and when the next poll is due by which rule.

A source is asked for its document only if that has changed since the last poll, and one that is the same byte for byte is not
read again. With --full it is fetched and read in any case.

With --all every source that is neither paused nor gone is due now, or a few seconds after its last poll, and the daemon goes
through them at its own pace, sparing the hosts; feedwire source list tells how it went.`,
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
				trace, err := pollTraced(cmd.Context(), c, args[0], full)
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
				if s, err = pollNow(cmd.Context(), c, args[0], full); err != nil {
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
	cmd.Flags().BoolVar(&traced, "trace", false, "tell every step")
	cmd.Flags().BoolVar(&all, "all", false, "make all sources due")
	cmd.Flags().BoolVar(&full, "full", false, "read the document anew, whether it has changed or not")
	cmd.MarkFlagsMutuallyExclusive("all", "trace")
	cmd.MarkFlagsMutuallyExclusive("all", "full")
	return cmd
}

// pollAll makes all sources due.
func pollAll(cmd *cobra.Command) error {
	done, err := answerTo[map[string]int](cmd, http.MethodPost, "/api/v1/sources/poll", nil)
	if err != nil {
		return err
	}
	return show(cmd, done, func(w io.Writer) { fmt.Fprintln(w, done["due"], "sources are due") })
}

// pollNow asks for a poll and waits until it has ended.
func pollNow(ctx context.Context, c *client, source string, full bool) (feed.Source, error) {
	path := "/api/v1/sources/" + id(source)
	var before, s feed.Source
	if err := c.call(ctx, http.MethodGet, path, nil, &before); err != nil {
		return s, err
	}
	if err := c.call(ctx, http.MethodPost, path+"/poll"+pollQuery(url.Values{}, full), nil, &s); err != nil {
		return s, err
	}
	const patience = 2 * time.Minute
	if wait := time.Until(s.Poll.NextPoll); wait > patience && s.Poll.LastPoll.Equal(before.Poll.LastPoll) {
		return s, fmt.Errorf("%s was polled %s; to spare its server it is polled again in %v", s.URL,
			ago(s.Poll.LastPoll, time.Now()), wait.Round(time.Second))
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		if !sleep(ctx, 100*time.Millisecond) {
			return s, fmt.Errorf("the poll of %s has not ended: %w; look again with feedwire source show", before.URL, ctx.Err())
		}
		if err := c.call(ctx, http.MethodGet, path, nil, &s); err != nil {
			return s, err
		}
		if s.Poll.LastPoll.After(before.Poll.LastPoll) {
			return s, nil
		}
	}
}

// newSourceAction makes a command that does one thing to a source.
func newSourceAction(action, short, done string) *cobra.Command {
	return &cobra.Command{
		Use:   action + " ID|URL...",
		Short: short,
		Args:  some,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return doMany(cmd, "/api/v1/sources/"+action, map[string][]string{"sources": args})
			}
			s, err := answerTo[feed.Source](cmd, http.MethodPost, "/api/v1/sources/"+id(args[0])+"/"+action, nil)
			if err != nil {
				return err
			}
			return show(cmd, s, func(w io.Writer) { fmt.Fprintln(w, done, s.ID, s.URL) })
		},
	}
}

func newSourceRemove() *cobra.Command {
	cmd := newRemove("remove ID|URL...", "Forget a source with its entries; its articles stay", "sources")
	one := cmd.RunE
	cmd.Args = some
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 1 {
			return doMany(cmd, "/api/v1/sources/remove", map[string][]string{"sources": args})
		}
		return one(cmd, args)
	}
	return cmd
}
