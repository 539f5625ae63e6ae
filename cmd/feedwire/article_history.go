package main

import (
	"io"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/publish/desk"
)

func newArticleHistory() *cobra.Command {
	return &cobra.Command{
		Use:   "history UUID",
		Short: "Show the last versions of an article, and who published it or took it back",
		Args:  exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			h, err := answerTo[desk.History](cmd, http.MethodGet, "/api/v1/articles/"+id(args[0])+"/history", nil)
			if err != nil {
				return err
			}
			return show(cmd, h, func(w io.Writer) {
				row(w, "WHEN", "WHO", "WHAT")
				for _, d := range h.Deeds {
					what := strings.TrimPrefix(d.Action, "article_")
					row(w, stampOf(d.Time), d.Who, what+" in "+d.Feed+": "+d.Before+" → "+d.After)
				}
				for i := range h.Versions {
					row(w, stampOf(h.Versions[i].Time), "its source", cut(h.Versions[i].Title, 60))
				}
			})
		},
	}
}

func newArticleUndo() *cobra.Command {
	return &cobra.Command{
		Use:   "undo ID",
		Short: "Bring back what was before an article was published or taken back",
		Long: `Bring back state, times and impressions as they were before articles were published or taken back, by what the answer to that
says. It can be done for an hour, and of each article only where nobody, and no consumer, has changed it since.`,
		Args: exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return doMany(cmd, "/api/v1/undo/"+id(args[0]), nil)
		},
	}
}
