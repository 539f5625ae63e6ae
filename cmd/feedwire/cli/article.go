package cli

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
	"github.com/feedwire/feedwire/store/feed"
)

func newArticle() *cobra.Command {
	cmd := group("article", "List, publish and withdraw articles",
		newArticleList(), newArticleShow(), newArticleHistory(),
		newArticleMove("publish", "Publish articles in an outgoing feed, also again"),
		newArticleMove("withdraw", "Withdraw articles from an outgoing feed"),
		newArticleUndo(),
	)
	clientFlags(cmd)
	return cmd
}

func newArticleList() *cobra.Command {
	var source, typ, state string
	var days, limit int
	cmd := &cobra.Command{
		Use:   "list [TEXT]",
		Short: "List articles, the newest changes first",
		Long:  `List articles, the newest changes first. With TEXT, list articles whose title, canonical URL or guid contains it.`,
		Example: `  feedwire article list --state published --feed production
  feedwire article list "harbour bridge" --days 30`,
		Args: func(cmd *cobra.Command, args []string) error { return asUsage(cobra.MaximumNArgs(1)(cmd, args)) },
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := newClient(cmd)
			if err != nil {
				return err
			}
			q := url.Values{"days": {strconv.Itoa(days)}, "limit": {strconv.Itoa(limit)}, "q": args}
			for name, value := range map[string]string{"source": source, "feed": typ, "state": state} {
				if value != "" {
					q.Set(name, value)
				}
			}
			var page feed.Page[feed.Article]
			if err := c.Call(cmd.Context(), http.MethodGet, "/api/v1/articles?"+q.Encode(), nil, &page); err != nil {
				return err
			}
			return show(cmd, page.Items, func(w io.Writer) {
				row(w, "UUID", "FEED", "STATE", "IMPRESSIONS", "TITLE")
				for _, a := range page.Items {
					for _, t := range slices.Sorted(maps.Keys(a.Feeds)) {
						if typ == "" || typ == t {
							p := a.Feeds[t]
							state := string(p.State)
							if p.Blocked != "" {
								state += ", blocked"
							}
							row(w, a.UUID, t, state, strconv.Itoa(len(p.Impressions)), terminal.Cut(a.Title, 60))
						}
					}
				}
			})
		},
	}
	cmd.Flags().StringVar(&source, "source", "", "articles of sources whose URL contains this text")
	cmd.Flags().StringVar(&typ, "feed", "", "articles of this outgoing feed")
	cmd.Flags().StringVar(&state, "state", "", "articles in this state: unpublished, published, imported, expired, withdrawn or blocked")
	cmd.Flags().IntVar(&days, "days", 7, "articles updated in the last `N` days")
	cmd.Flags().IntVar(&limit, "limit", 50, "maximum number of articles, up to 200")
	return cmd
}

func newArticleShow() *cobra.Command {
	return newShow("UUID", "Show an article, its state in each feed, and its impressions", "/api/v1/articles/",
		func(w io.Writer, a *feed.Article, _ time.Time) { printArticle(w, a) })
}

func printArticle(w io.Writer, a *feed.Article) {
	row(w, "article", a.UUID)
	row(w, "title", a.Title)
	row(w, "canonical", a.Canonical)
	row(w, "source", a.FeedURL)
	row(w, "entry", a.Entry)
	row(w, "published there", timestamp(a.Published))
	row(w, "updated here", timestamp(a.Updated))
	for _, typ := range slices.Sorted(maps.Keys(a.Feeds)) {
		p := a.Feeds[typ]
		row(w, typ, fmt.Sprintf("%s, revision %d, %d impressions", p.State, p.Revision, len(p.Impressions)))
		if p.Blocked != "" {
			row(w, "", "blocked: "+p.Blocked)
		}
		for _, line := range []struct {
			what string
			when time.Time
		}{{"published", p.Published}, {"imported", p.Imported}, {"expired", p.Expired}, {"withdrawn", p.Withdrawn}} {
			if !line.when.IsZero() {
				row(w, "", line.what+" "+timestamp(line.when))
			}
		}
		for _, at := range p.Impressions {
			row(w, "", "impression "+timestamp(at))
		}
	}
}

// timestamp formats a time for a person. It returns "-" for the zero time.
func timestamp(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Local().Format("2006-01-02 15:04:05")
}

// newArticleMove returns the command that publishes or withdraws articles.
func newArticleMove(action, short string) *cobra.Command {
	var typ string
	cmd := &cobra.Command{
		Use:   action + " UUID...",
		Short: short,
		Args:  some,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return runBulk(cmd, "/api/v1/articles/"+action, map[string]any{"feed": typ, "articles": args})
			}
			path := "/api/v1/articles/" + client.Path(args[0]) + "/" + action
			done, err := request[feed.Transition](cmd, http.MethodPost, path, map[string]string{"feed": typ})
			if err != nil {
				return err
			}
			return show(cmd, done, func(w io.Writer) {
				fmt.Fprintf(w, "%s in %s: %s → %s, revision %d\n", args[0], typ, done.From, done.To, done.Revision)
				if done.Undo != "" {
					fmt.Fprintln(w, "for an hour it can be undone: feedwire article undo", done.Undo)
				}
			})
		},
	}
	cmd.Flags().StringVar(&typ, "feed", "production", "outgoing feed")
	return cmd
}
