package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
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
		newSourceRemove(),
	)
	clientFlags(cmd)
	return cmd
}

func newSourceAdd() *cobra.Command {
	var feeds []string
	var mode string
	var interval time.Duration
	cmd := &cobra.Command{
		Use:   "add URL",
		Short: "Poll a feed from now on",
		Long: `Poll a feed from now on. For a URL that is known the settings are replaced. The entries become articles of the named
outgoing feeds, where an editor publishes them, or with --publish auto the daemon does at once.`,
		Args: exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := newClient(cmd)
			if err != nil {
				return err
			}
			in := map[string]any{"url": args[0]}
			if cmd.Flags().Changed("feed") {
				in["feeds"] = feeds
			}
			if mode != "" {
				in["publish"] = mode
			}
			if cmd.Flags().Changed("interval") {
				in["interval"] = interval.String()
			}
			var src feed.Source
			if err := c.call(cmd.Context(), http.MethodPost, "/api/v1/sources", in, &src); err != nil {
				return err
			}
			return show(cmd, src, func(w io.Writer) { fmt.Fprintf(w, "added %s  %s\n", src.ID, src.URL) })
		},
	}
	cmd.Flags().StringSliceVar(&feeds, "feed", nil, "outgoing feed of its articles; may be repeated (default production)")
	cmd.Flags().StringVar(&mode, "publish", "", "auto or manual (default manual)")
	cmd.Flags().DurationVar(&interval, "interval", 0, "between polls; 0 for the default, fetch.interval")
	return cmd
}

func newSourceList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the sources with their state",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := newClient(cmd)
			if err != nil {
				return err
			}
			var page feed.Page[feed.Source]
			if err := c.call(cmd.Context(), http.MethodGet, "/api/v1/sources", nil, &page); err != nil {
				return err
			}
			now := time.Now()
			return show(cmd, page.Items, func(w io.Writer) {
				row(w, "ID", "STATE", "ENTRIES", "LAST POLL", "NEXT", "TITLE", "URL")
				for _, s := range page.Items {
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
	return &cobra.Command{
		Use:   "show ID|URL",
		Short: "Show one source and how polling it goes",
		Args:  exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := newClient(cmd)
			if err != nil {
				return err
			}
			var s feed.Source
			if err := c.call(cmd.Context(), http.MethodGet, "/api/v1/sources/"+id(args[0]), nil, &s); err != nil {
				return err
			}
			return show(cmd, s, func(w io.Writer) { printSource(w, &s, time.Now()) })
		},
	}
}

func printSource(w io.Writer, s *feed.Source, now time.Time) {
	row(w, "source", s.ID)
	row(w, "url", s.URL)
	row(w, "title", s.About.Title)
	row(w, "state", string(s.State()))
	row(w, "feeds", strings.Join(s.Feeds, ", "))
	row(w, "publish", string(s.Publish))
	row(w, "entries", fmt.Sprintf("%d in the last document", s.Poll.Entries))
	row(w, "last poll", ago(s.Poll.LastPoll, now))
	row(w, "last success", ago(s.Poll.LastOK, now))
	due := next(s, now)
	if due != "-" {
		due += ", " + s.Poll.NextReason
	}
	row(w, "next poll", due)
	if s.Poll.ErrorClass != "" {
		row(w, "error", fmt.Sprintf("%s, %d in a row", s.Poll.ErrorClass, s.Poll.Errors))
		row(w, "", s.Poll.ErrorText)
	}
}

func newSourcePoll() *cobra.Command {
	return &cobra.Command{
		Use:   "poll ID|URL",
		Short: "Poll a source now and tell how it went",
		Args:  exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := newClient(cmd)
			if err != nil {
				return err
			}
			s, err := pollNow(cmd.Context(), c, args[0])
			if err != nil {
				return err
			}
			err = show(cmd, s, func(w io.Writer) { printSource(w, &s, time.Now()) })
			if err == nil && s.Poll.ErrorClass != "" {
				return fmt.Errorf("the poll failed: %s", s.Poll.ErrorClass)
			}
			return err
		},
	}
}

// pollNow asks for a poll and waits until it has ended.
func pollNow(ctx context.Context, c *client, source string) (feed.Source, error) {
	path := "/api/v1/sources/" + id(source)
	var before, s feed.Source
	if err := c.call(ctx, http.MethodGet, path, nil, &before); err != nil {
		return s, err
	}
	if err := c.call(ctx, http.MethodPost, path+"/poll", nil, nil); err != nil {
		return s, err
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
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
		Use:   action + " ID|URL",
		Short: short,
		Args:  exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := newClient(cmd)
			if err != nil {
				return err
			}
			var s feed.Source
			if err := c.call(cmd.Context(), http.MethodPost, "/api/v1/sources/"+id(args[0])+"/"+action, nil, &s); err != nil {
				return err
			}
			return show(cmd, s, func(w io.Writer) { fmt.Fprintln(w, done, s.ID, s.URL) })
		},
	}
}

func newSourceRemove() *cobra.Command {
	return &cobra.Command{
		Use:   "remove ID|URL",
		Short: "Forget a source with its entries; its articles stay",
		Args:  exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := newClient(cmd)
			if err != nil {
				return err
			}
			if err := c.call(cmd.Context(), http.MethodDelete, "/api/v1/sources/"+id(args[0]), nil, nil); err != nil {
				return err
			}
			return show(cmd, map[string]string{"removed": args[0]}, func(w io.Writer) { fmt.Fprintln(w, "removed", args[0]) })
		},
	}
}
