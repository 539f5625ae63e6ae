package cli

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
	"github.com/feedwire/feedwire/publish/desk/articles"
	"github.com/feedwire/feedwire/store/feed"
)

func newArticle() *cobra.Command {
	return withServer(group("article", "List, publish and withdraw articles",
		newArticleList(),
		newShow("UUID", "Show an article, its state in each feed, and its impressions", "articles/%s", printArticle),
		call[articles.History]{
			use: "history UUID", short: "Show the versions of an article and its publications",
			method: http.MethodGet, path: "articles/%s/history", print: printHistory,
		}.command(),
		newArticlePromote(),
		newArticleMove("publish", "Publish articles in an outgoing feed, also again"),
		newArticleMove("withdraw", "Withdraw articles from an outgoing feed"),
		newArticleDismiss("dismiss", "Take articles out of the inbox", `Take articles out of the inbox without publishing them. A rule does not publish a dismissed
article. Publishing it, or feedwire article restore, ends that.`),
		newArticleDismiss("restore", "Put dismissed articles back into the inbox", `Put dismissed articles back into the inbox.`),
		&cobra.Command{
			Use:   "undo ID",
			Short: "Undo publishing, withdrawing, dismissing or restoring articles",
			Long: `Restore the state, times and impressions that articles had before the command that changed them. ID is in the output of the
command that changed them.

A change can be undone for one hour. Articles that changed again since, for example by an impression, are skipped.`,
			RunE: func(cmd *cobra.Command, args []string) error { return runBulk(cmd, "undo/"+client.Path(args[0]), nil) },
		},
	))
}

func newArticleList() *cobra.Command {
	var source, typ, state string
	var days int
	cmd := list[feed.Article]{
		use: "list [TEXT]", short: "List articles, newest changes first",
		long: `List articles, newest changes first. With TEXT, list articles whose title, canonical URL or guid contains it.`,
		example: `  feedwire article list --state published --feed production
  feedwire article list "harbour bridge" --days 30`,
		path:  "articles",
		limit: "maximum number of articles, up to 200",
		query: func(args []string) url.Values {
			return url.Values{"q": args, "days": {strconv.Itoa(days)}, "source": {source}, "feed": {typ}, "state": {state}}
		},
		columns: []string{"UUID", "FEED", "STATE", "IMPRESSIONS", "TITLE"},
		print: func(w io.Writer, a *feed.Article) {
			for _, t := range slices.Sorted(maps.Keys(a.Feeds)) {
				if typ == "" || typ == t {
					p := a.Feeds[t]
					state := string(p.State)
					if p.Blocked != "" {
						state += ", " + blockedWord(p.State)
					}
					row(w, a.UUID, t, state, len(p.Impressions), terminal.Cut(a.Title, 60))
				}
			}
		},
	}.command()
	cmd.Flags().StringVar(&source, "source", "", "articles of sources whose URL contains this text")
	cmd.Flags().StringVar(&typ, "feed", "", "articles of this outgoing feed")
	cmd.Flags().StringVar(&state, "state", "", "articles in this state: unpublished, published, imported, expired, withdrawn or blocked in this feed; or inbox or dismissed")
	cmd.Flags().IntVar(&days, "days", 7, "articles updated in the last `N` days")
	return cmd
}

func printArticle(w io.Writer, a *feed.Article) {
	row(w, "article", a.UUID)
	row(w, "title", a.Title)
	row(w, "canonical", a.Canonical)
	row(w, "source", a.FeedURL)
	row(w, "entry", a.Entry)
	row(w, "post published", timestamp(a.Published))
	row(w, "article updated", timestamp(a.Updated))
	for _, typ := range slices.Sorted(maps.Keys(a.Feeds)) {
		p := a.Feeds[typ]
		row(w, typ, fmt.Sprintf("%s, revision %d, %d impressions", p.State, p.Revision, len(p.Impressions)))
		if p.Blocked != "" {
			row(w, "", blockedWord(p.State)+": "+p.Blocked)
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

// blockedWord returns what a feed does with an article in a state that it cannot carry.
func blockedWord(state feed.State) string {
	if state == feed.StatePublished {
		return "blocked"
	}
	return "would be blocked"
}

func printHistory(w io.Writer, h *articles.History, _ []string) {
	row(w, "WHEN", "WHO", "WHAT")
	for _, d := range h.Actions {
		what := strings.TrimPrefix(d.Action, "article_")
		if d.Feed != "" {
			what += " in " + d.Feed
		}
		row(w, timestamp(d.Time), d.Who, what+": "+d.Before+" → "+d.After)
	}
	for i := range h.Versions {
		row(w, timestamp(h.Versions[i].Time), "its source", terminal.Cut(h.Versions[i].Title, 60))
	}
}

func newArticlePromote() *cobra.Command {
	return call[feed.Article]{
		use: "promote NUMBER", short: "Make an article of an entry that no feed selects, such as a submission",
		long: `Make an article of an entry. It is published in no feed, and follows the entry. NUMBER is 5 for Entry:5.`,
		path: "entries/%s/promote",
		print: func(w io.Writer, a *feed.Article, _ []string) {
			fmt.Fprintln(w, a.UUID)
			fmt.Fprintln(w, "publish it: feedwire article publish", a.UUID)
		},
	}.command()
}

// newArticleDismiss returns the command that takes articles out of the inbox, or puts them back.
func newArticleDismiss(action, short, long string) *cobra.Command {
	return &cobra.Command{
		Use: action + " UUID...", Short: short, Long: long, Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runBulk(cmd, "articles/"+action, map[string]any{"articles": args})
		},
	}
}

// newArticleMove returns the command that publishes or withdraws articles.
func newArticleMove(action, short string) *cobra.Command {
	var typ string
	var unlessBlocked bool
	body := func() map[string]any {
		if unlessBlocked {
			return map[string]any{"feed": typ, "unless_blocked": true}
		}
		return map[string]any{"feed": typ}
	}
	cmd := call[feed.Transition]{
		use: action + " UUID...", short: short, path: "articles/%s/" + action,
		body: func([]string) any { return body() },
		bulk: func(args []string) any {
			all := body()
			all["articles"] = args
			return all
		},
		print: func(w io.Writer, done *feed.Transition, args []string) {
			fmt.Fprintf(w, "%s in %s: %s → %s, revision %d\n", args[0], typ, done.From, done.To, done.Revision)
			if done.Blocked != "" {
				fmt.Fprintln(w, "blocked:", done.Blocked)
			}
			if done.Undo != "" {
				fmt.Fprintln(w, "undo within an hour: feedwire article undo", done.Undo)
			}
		},
	}.command()
	cmd.Flags().StringVar(&typ, "feed", "production", "outgoing feed")
	if action == "publish" {
		cmd.Flags().BoolVar(&unlessBlocked, "unless-blocked", false, "do not publish articles that the feed would leave out")
	}
	return cmd
}
