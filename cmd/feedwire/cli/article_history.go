package cli

import (
	"io"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
	"github.com/feedwire/feedwire/publish/desk/articles"
)

func newArticleHistory() *cobra.Command {
	return &cobra.Command{
		Use:   "history UUID",
		Short: "Show the versions of an article and its publications",
		Args:  exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			h, err := request[articles.History](cmd, http.MethodGet, "/api/v1/articles/"+client.Path(args[0])+"/history", nil)
			if err != nil {
				return err
			}
			return show(cmd, h, func(w io.Writer) {
				row(w, "WHEN", "WHO", "WHAT")
				for _, d := range h.Actions {
					what := strings.TrimPrefix(d.Action, "article_")
					row(w, timestamp(d.Time), d.Who, what+" in "+d.Feed+": "+d.Before+" → "+d.After)
				}
				for i := range h.Versions {
					row(w, timestamp(h.Versions[i].Time), "its source", terminal.Cut(h.Versions[i].Title, 60))
				}
			})
		},
	}
}

func newArticleUndo() *cobra.Command {
	return &cobra.Command{
		Use:   "undo ID",
		Short: "Undo publishing or withdrawing articles",
		Long: `Restore the state, times and impressions that articles had before they were published or withdrawn. ID is in the output of the
command that changed them.

A change can be undone for one hour. Articles that changed again since, for example by an impression, are skipped.`,
		Args: exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runBulk(cmd, "/api/v1/undo/"+client.Path(args[0]), nil)
		},
	}
}
