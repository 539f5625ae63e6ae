package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/feedwire/feedwire/store/feed"
)

func newSourceAdd() *cobra.Command {
	var settings sourceSettings
	var exact bool
	cmd := &cobra.Command{
		Use:   "add URL",
		Short: "Poll a feed from now on",
		Long: `Poll a feed from now on. URL may be that of a page: the feed that the page names is added, and where it names several
you are asked which one. With --exact the URL is added as it is and nobody is asked.

For a feed that is known the given settings are replaced. The entries become articles of the named outgoing feeds, where
an editor publishes them, or with --publish auto the daemon does at once. With --keep only entries that match are taken,
with --block those that match are not: title, content, link, author, category or any, "=", and a regular expression (RE2).`,
		Args: exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := newClient(cmd)
			if err != nil {
				return err
			}
			if _, err := settings.body(cmd, args[0], feed.Filters{}); err != nil { // before anybody is asked
				return err
			}
			found := feed.Candidate{URL: args[0], Found: feed.FoundItself}
			if !exact {
				if found, err = discover(cmd, c, args[0]); err != nil {
					return err
				}
			}
			known, err := knownFilters(cmd, c, found.URL)
			if err != nil {
				return err
			}
			in, err := settings.body(cmd, found.URL, known)
			if err != nil {
				return err
			}
			var src feed.Source
			if err := c.call(cmd.Context(), http.MethodPost, "/api/v1/sources", in, &src); err != nil {
				return err
			}
			return show(cmd, src, func(w io.Writer) {
				if how := foundHow(found.Found); how != "" {
					fmt.Fprintf(w, "%s is a page; its feed was found %s\n", oneLine(args[0]), how)
				}
				fmt.Fprintf(w, "added %s  %s\n", src.ID, src.URL)
			})
		},
	}
	settings.register(cmd)
	cmd.Flags().BoolVar(&exact, "exact", false, "the URL is that of the feed: do not look for one")
	return cmd
}

// discoverTime is how long the daemon may look for feeds, with some time to answer.
const discoverTime = 70 * time.Second

// discover finds the one feed that a URL means, by asking where several can be meant.
func discover(cmd *cobra.Command, c *client, url string) (feed.Candidate, error) {
	patient := &client{c.base, c.token, &http.Client{Timeout: discoverTime, Transport: c.http.Transport}}
	var page feed.Page[feed.Candidate]
	err := patient.call(cmd.Context(), http.MethodPost, "/api/v1/discover", map[string]any{"url": url}, &page)
	switch {
	case err != nil:
		return feed.Candidate{}, fmt.Errorf("%w\nif it is the feed all the same: feedwire source add --exact %s", err, quoted(url))
	case len(page.Items) == 0:
		return feed.Candidate{}, fmt.Errorf("no feed was found at %s: look on the site for a link called RSS, Atom or feed, and add its address",
			oneLine(url))
	case len(page.Items) == 1:
		return page.Items[0], nil
	}
	return choose(cmd, url, page.Items)
}

// choose lets a person at a terminal pick a feed by its number, and tells everybody else what there is.
func choose(cmd *cobra.Command, url string, found []feed.Candidate) (feed.Candidate, error) {
	w := tabwriter.NewWriter(cmd.ErrOrStderr(), 0, 8, 2, ' ', 0)
	fmt.Fprintf(w, "%s has %d feeds:\n", oneLine(url), len(found))
	for i, f := range found {
		row(w, fmt.Sprintf("%3d", i+1), cut(f.Title, 48), f.URL)
	}
	if err := w.Flush(); err != nil {
		return feed.Candidate{}, err
	}
	in, ok := cmd.InOrStdin().(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) {
		return feed.Candidate{}, fmt.Errorf("name the one you mean: feedwire source add --exact %s", quoted(found[0].URL))
	}
	return ask(cmd.Context(), in, cmd.ErrOrStderr(), found)
}

// ask asks for a number until it gets one, the input ends, or it was answered wrongly three times.
func ask(ctx context.Context, in io.Reader, out io.Writer, found []feed.Candidate) (feed.Candidate, error) {
	lines := bufio.NewScanner(in)
	for range 3 {
		fmt.Fprintf(out, "Which one? [1-%d] ", len(found))
		if !lines.Scan() || ctx.Err() != nil {
			break
		}
		n, err := strconv.Atoi(strings.TrimSpace(lines.Text()))
		if err == nil && n >= 1 && n <= len(found) {
			return found[n-1], nil
		}
	}
	return feed.Candidate{}, errors.New("no feed was chosen; nothing was added")
}

// foundHow says in words how the feed of a page was found; empty: the URL was that of a feed.
func foundHow(how feed.Discovery) string {
	switch how {
	case feed.FoundHeader:
		return "in its headers"
	case feed.FoundPage:
		return "in its links"
	case feed.FoundPath:
		return "at the path where many sites have it"
	}
	return ""
}

// quoted is a URL as a shell takes it.
func quoted(url string) string { return "'" + strings.ReplaceAll(oneLine(url), "'", "%27") + "'" }
