package cli

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/store/feed"
)

// sourceSettings are the flags with settings of a source. Flags that are not set change nothing.
type sourceSettings struct {
	feeds, keep, block, categories []string
	mode                           string
	interval                       time.Duration
	ignoreUpdates                  bool
	keepEntries                    int
	keepFor                        time.Duration
	request                        requestFlags
}

func (s *sourceSettings) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringSliceVar(&s.feeds, "feed", nil, "outgoing `FEED` of the articles; repeatable (default: production)")
	f.StringVar(&s.mode, "publish", "", "publish articles: auto or manual (default: manual)")
	f.DurationVar(&s.interval, "interval", 0, "fixed time between polls; 0 uses fetch.interval")
	f.StringArrayVar(&s.keep, "keep", nil, "keep only entries that match `FIELD=REGEXP`; repeatable; \"\" removes all")
	f.StringArrayVar(&s.block, "block", nil, "drop entries that match `FIELD=REGEXP`; repeatable; \"\" removes all")
	f.StringArrayVar(&s.categories, "category", nil, "category of the source, such as News/Technology; repeatable")
	f.BoolVar(&s.ignoreUpdates, "ignore-updates", false, "do not update entries after they are stored")
	f.IntVar(&s.keepEntries, "keep-entries", 0, "number of entries to keep (default: fetch.keep_entries)")
	f.DurationVar(&s.keepFor, "keep-for", 0, "how long to keep entries that the source no longer lists (default: fetch.keep_for)")
	s.request.define(cmd)
}

// body returns the body of POST /sources. known are the current filters of the source.
func (s *sourceSettings) body(cmd *cobra.Command, url string, known feed.Filters) (map[string]any, error) {
	in := map[string]any{"url": url}
	if cmd.Flags().Changed("feed") {
		in["feeds"] = s.feeds
	}
	if s.mode != "" {
		in["publish"] = s.mode
	}
	if cmd.Flags().Changed("interval") {
		in["interval"] = s.interval.String()
	}
	if cmd.Flags().Changed("category") {
		in["categories"] = s.categories
	}
	if cmd.Flags().Changed("ignore-updates") {
		in["ignore_updates"] = s.ignoreUpdates
	}
	if cmd.Flags().Changed("keep-entries") || cmd.Flags().Changed("keep-for") {
		in["keep"] = map[string]any{"entries": s.keepEntries, "for": s.keepFor.String()}
	}
	request, err := s.request.body(cmd)
	if err != nil {
		return nil, err
	}
	if request != nil {
		in["request"] = request
	}
	if cmd.Flags().Changed("keep") {
		if known.Keep, err = parseFilters(s.keep); err != nil {
			return nil, usage(fmt.Errorf("--keep: %w", err))
		}
		in["filters"] = known
	}
	if cmd.Flags().Changed("block") {
		if known.Block, err = parseFilters(s.block); err != nil {
			return nil, usage(fmt.Errorf("--block: %w", err))
		}
		in["filters"] = known
	}
	return in, nil
}

// parseFilters parses the values of --keep or --block and skips empty ones.
func parseFilters(texts []string) ([]feed.Filter, error) {
	var all []feed.Filter
	for _, text := range texts {
		if text == "" {
			continue
		}
		f, err := feed.ParseFilter(text)
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, nil
}

// currentFilters returns the filters of an existing source, so that --keep alone does not remove those of --block.
func currentFilters(cmd *cobra.Command, c *client.Client, url string) (feed.Filters, error) {
	if !cmd.Flags().Changed("keep") && !cmd.Flags().Changed("block") {
		return feed.Filters{}, nil
	}
	var known feed.Source
	err := c.Call(cmd.Context(), http.MethodGet, "/api/v1/sources/"+client.Path(url), nil, &known)
	var refusal *client.Error
	if errors.As(err, &refusal) && refusal.Status == http.StatusNotFound {
		err = nil
	}
	return known.Filters, err
}

// printSettings prints the settings of a source that differ from the defaults.
func printSettings(w io.Writer, s *feed.Source) {
	if len(s.Categories) > 0 {
		row(w, "categories", strings.Join(s.Categories, ", "))
	}
	for _, f := range s.Filters.Keep {
		row(w, "keep", f.String())
	}
	for _, f := range s.Filters.Block {
		row(w, "block", f.String())
	}
	if s.IgnoreUpdates {
		row(w, "updates", "ignored")
	}
	if s.Keep.Entries > 0 {
		row(w, "keep entries", fmt.Sprintf("%d", s.Keep.Entries))
	}
	if s.Keep.For > 0 {
		row(w, "keep for", s.Keep.For.String())
	}
}
