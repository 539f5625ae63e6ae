package cli

import (
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
	"github.com/feedwire/feedwire/store/feed"
)

func newSearch() *cobra.Command {
	var source, order string
	var since time.Duration
	cmd := list[feed.SearchHit]{
		use: "search WORD...", short: "Search entries",
		long: `Search the entries that the account may see, by words of titles, texts, authors and categories. Quote what the shell would change:
"phrases", beginnings such as harb*, and terms with a minus sign, which must not match. Before a word that begins with a minus sign write "--".
title:, author:, category: and link: restrict a word to a part of the entry; after: and before: take a date.`,
		example: `  feedwire search tide 'title:"low water"'
  feedwire search --order relevance -- ferry -storm`,
		path: "search",
		query: func(args []string) url.Values {
			query := url.Values{"q": {strings.Join(args, " ")}, "source": {source}, "order": {order}}
			if since > 0 {
				query.Set("since", time.Now().Add(-since).UTC().Format(time.RFC3339))
			}
			return query
		},
		limit:   "maximum number of entries, up to 200",
		columns: []string{"ENTRY", "WHEN", "TITLE", "PASSAGE"},
		print: func(w io.Writer, h *feed.SearchHit) {
			row(w, h.Entry.Number(), terminal.Ago(h.Entry.Timestamp), terminal.Cut(h.Entry.Title, 60), terminal.Cut(passage(h), 80))
		},
	}.command()
	cmd.Flags().StringVar(&source, "source", "", "id or URL of a source")
	cmd.Flags().StringVar(&order, "order", "", "time or relevance (default time)")
	cmd.Flags().DurationVar(&since, "since", 0, "entries of the last `DURATION`, such as 72h")
	return withServer(cmd)
}

// passage returns the passage of a hit as text.
func passage(h *feed.SearchHit) string {
	var b strings.Builder
	for _, s := range h.Passage {
		b.WriteString(s.Text)
	}
	return b.String()
}
