package main

import (
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/publish/desk"
	"github.com/feedwire/feedwire/store/feed"
)

func newSourcePeek() *cobra.Command {
	return &cobra.Command{
		Use:   "peek URL",
		Short: "Show what a feed has now, and store nothing",
		Long: `Let the daemon fetch a feed and show its newest entries, at most 50. Nothing is stored, and nobody is told. "feedwire parse" does
the same with a file, without a daemon.`,
		Args: exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			seen, err := answerTo[desk.Peeked](cmd, http.MethodPost, "/api/v1/peek", map[string]string{"url": args[0]})
			if err != nil {
				return err
			}
			now := time.Now()
			return show(cmd, seen, func(w io.Writer) {
				row(w, "title", seen.About.Title)
				row(w, "site", seen.About.Link)
				row(w, "format", seen.Format)
				for i := range seen.Items {
					row(w, ago(seen.Items[i].Timestamp, now), cut(seen.Items[i].Title, 80))
				}
			})
		},
	}
}

func newSourceRestore() *cobra.Command {
	return &cobra.Command{
		Use:   "restore ID|URL",
		Short: "Add a source again that was removed in the last day, with its settings",
		Args:  exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := answerTo[feed.Source](cmd, http.MethodPost, "/api/v1/sources/"+id(args[0])+"/restore", nil)
			if err != nil {
				return err
			}
			return show(cmd, s, func(w io.Writer) { fmt.Fprintln(w, "restored", s.ID, s.URL) })
		},
	}
}
