package main

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/store/feed"
)

func newArticle() *cobra.Command {
	cmd := group("article", "List, publish and take back articles",
		newArticleList(), newArticleShow(), newArticleHistory(),
		newArticleMove("publish", "Put an article into an outgoing feed, or publish it anew"),
		newArticleMove("unpublish", "Take an article back out of an outgoing feed"),
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
		Short: "List articles, latest first, or those that have a text in their title, canonical URL or guid",
		Args:  func(cmd *cobra.Command, args []string) error { return asUsage(cobra.MaximumNArgs(1)(cmd, args)) },
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
			if err := c.call(cmd.Context(), http.MethodGet, "/api/v1/articles?"+q.Encode(), nil, &page); err != nil {
				return err
			}
			return show(cmd, page.Items, func(w io.Writer) {
				row(w, "UUID", "FEED", "STATE", "IMPRESSIONS", "TITLE")
				for _, a := range page.Items {
					for _, t := range sortedKeys(a.Feeds) {
						if typ == "" || typ == t {
							p := a.Feeds[t]
							state := string(p.State)
							if p.HeldBack != "" {
								state += ", held back"
							}
							row(w, a.UUID, t, state, strconv.Itoa(len(p.Impressions)), cut(a.Title, 60))
						}
					}
				}
			})
		},
	}
	cmd.Flags().StringVar(&source, "source", "", "only of sources that have this in their URL")
	cmd.Flags().StringVar(&typ, "feed", "", "only of this outgoing feed")
	cmd.Flags().StringVar(&state, "state", "", "only in this state: known, published, imported, expired, taken_back or held")
	cmd.Flags().IntVar(&days, "days", 7, "updated within so many days")
	cmd.Flags().IntVar(&limit, "limit", 50, "at most so many, up to 200")
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
	row(w, "published there", stampOf(a.Published))
	row(w, "updated here", stampOf(a.Updated))
	for _, typ := range sortedKeys(a.Feeds) {
		p := a.Feeds[typ]
		row(w, typ, fmt.Sprintf("%s, revision %d, %d impressions", p.State, p.Revision, len(p.Impressions)))
		if p.HeldBack != "" {
			row(w, "", "held back: "+p.HeldBack)
		}
		for _, line := range []struct {
			what string
			when time.Time
		}{{"published", p.Published}, {"imported", p.Imported}, {"expired", p.Expired}, {"taken back", p.TakenBack}} {
			if !line.when.IsZero() {
				row(w, "", line.what+" "+stampOf(line.when))
			}
		}
		for _, at := range p.Impressions {
			row(w, "", "impression "+stampOf(at))
		}
	}
}

// stampOf is a time for a person; "-" for none.
func stampOf(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Local().Format("2006-01-02 15:04:05")
}

// newArticleMove makes the command that publishes or takes back.
func newArticleMove(action, short string) *cobra.Command {
	var typ string
	cmd := &cobra.Command{
		Use:   action + " UUID...",
		Short: short,
		Args:  some,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return doMany(cmd, "/api/v1/articles/"+action, map[string]any{"feed": typ, "articles": args})
			}
			path := "/api/v1/articles/" + id(args[0]) + "/" + action
			done, err := answerTo[feed.Transition](cmd, http.MethodPost, path, map[string]string{"feed": typ})
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
