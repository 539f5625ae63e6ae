package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
	"github.com/feedwire/feedwire/store/feed"
)

func newSourceAdd() *cobra.Command {
	var exact bool
	cmd := &cobra.Command{
		Use:   "add URL",
		Short: "Add a feed as a source",
		Long: `Add a feed as a source. If URL is a web page, its feed is added; if the page has several feeds, the command asks which one to
add. --exact adds the URL without discovery.

If the source exists, the given settings replace its settings. Its entries become articles of the outgoing feeds in --feed. With
--publish auto they are published automatically, otherwise an editor publishes them.

A URL such as feedwire:local/notes adds a local source, which is never polled. "feedwire entry add" writes its entries.

--keep and --block select entries by FIELD=REGEXP. FIELD is title, content, link, author, category or any; REGEXP has RE2
syntax.`,
		Example: `  feedwire source add https://blog.example.org/ --publish auto
  feedwire source add https://blog.example.org/feed.xml --feed production --block 'category=Sponsored'`,
		RunE: withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			if err := checkCredentials(args[0]); err != nil {
				return err
			}
			in, err := sourceBody(cmd.Flags())
			if err != nil {
				return err
			}
			found := feed.Candidate{URL: args[0], Found: feed.FoundItself}
			if !exact && !feed.IsLocal(args[0]) {
				if found, err = discover(cmd, c, args[0]); err != nil {
					return err
				}
			}
			in["url"] = found.URL
			if err := completeFilters(cmd.Context(), c, in, found.URL); err != nil {
				return err
			}
			var src feed.Source
			if err := c.Call(cmd.Context(), http.MethodPost, "/api/v1/sources", in, &src); err != nil {
				return err
			}
			return show(cmd, src, func(w io.Writer) {
				if how := discoveryText(found.Found); how != "" {
					fmt.Fprintf(w, "%s is a web page; its feed was found %s\n", terminal.OneLine(args[0]), how)
				}
				fmt.Fprintf(w, "added %s  %s\n", src.ID, src.URL)
			})
		}),
	}
	addSourceFlags(cmd.Flags())
	cmd.Flags().String("title", "", "title of a local source")
	cmd.Flags().BoolVar(&exact, "exact", false, "add URL without discovery")
	return cmd
}

// checkCredentials refuses a URL with a user name or password, before it is printed, logged or sent.
func checkCredentials(address string) error {
	u, err := url.Parse(address)
	if err == nil && u.User != nil {
		return fmt.Errorf("the URL of host %s contains a user name or password; use --username and --password-file", terminal.OneLine(u.Host))
	}
	return nil // the daemon checks the rest
}

// discoverTimeout bounds discovery by the daemon.
const discoverTimeout = 70 * time.Second

// discover returns the feed at a URL. If there are several, it calls choose.
func discover(cmd *cobra.Command, c *client.Client, url string) (feed.Candidate, error) {
	patient := c.WithTimeout(discoverTimeout)
	var page feed.Page[feed.Candidate]
	err := patient.Call(cmd.Context(), http.MethodPost, "/api/v1/discover", map[string]any{"url": url}, &page)
	switch {
	case err != nil:
		return feed.Candidate{}, fmt.Errorf("%w\nto add it without discovery: feedwire source add --exact %s", err, quoted(url))
	case len(page.Items) == 0:
		return feed.Candidate{}, fmt.Errorf("no feed found at %s; look for a link called RSS, Atom or feed on the site and add its URL",
			terminal.OneLine(url))
	case len(page.Items) == 1:
		return page.Items[0], nil
	}
	return choose(cmd, url, page.Items)
}

// choose prompts a person at a terminal for the number of a feed. Without a terminal it returns an error that lists them.
func choose(cmd *cobra.Command, url string, found []feed.Candidate) (feed.Candidate, error) {
	w := newTable(cmd.ErrOrStderr())
	fmt.Fprintf(w, "%s has %d feeds:\n", terminal.OneLine(url), len(found))
	for i, f := range found {
		row(w, fmt.Sprintf("%3d", i+1), terminal.Cut(f.Title, 48), f.URL)
	}
	if err := w.Flush(); err != nil {
		return feed.Candidate{}, err
	}
	in, ok := cmd.InOrStdin().(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) {
		return feed.Candidate{}, fmt.Errorf("choose one: feedwire source add --exact %s", quoted(found[0].URL))
	}
	return promptNumber(cmd.Context(), in, cmd.ErrOrStderr(), found)
}

// promptNumber prompts for a number up to three times.
func promptNumber(ctx context.Context, in io.Reader, out io.Writer, found []feed.Candidate) (feed.Candidate, error) {
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
	return feed.Candidate{}, errors.New("no feed chosen; nothing was added")
}

// discoveryText describes where the feed of a page was found. It returns "" if the URL was that of the feed.
func discoveryText(how feed.Discovery) string {
	return map[feed.Discovery]string{
		feed.FoundHeader: "in its headers", feed.FoundPage: "in its links", feed.FoundPath: "at a common path",
	}[how]
}

// quoted quotes a URL for a shell.
func quoted(url string) string {
	return "'" + strings.ReplaceAll(terminal.OneLine(url), "'", "%27") + "'"
}
