package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/store/feed"
)

// sourceSettings are the flags that say how a source is to be treated. A flag that is not given changes nothing.
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
	f.StringSliceVar(&s.feeds, "feed", nil, "outgoing feed of its articles; may be repeated (default production)")
	f.StringVar(&s.mode, "publish", "", "auto or manual (default manual)")
	f.DurationVar(&s.interval, "interval", 0, "between polls; 0 for the default, fetch.interval")
	f.StringArrayVar(&s.keep, "keep", nil, "take only entries that match, as title=regex; may be repeated; \"\" for none")
	f.StringArrayVar(&s.block, "block", nil, "leave out entries that match, as any=regex; may be repeated; \"\" for none")
	f.StringArrayVar(&s.categories, "category", nil, "by which you sort your sources, as News/Technology; may be repeated")
	f.BoolVar(&s.ignoreUpdates, "ignore-updates", false, "keep each entry as it was first stored")
	f.IntVar(&s.keepEntries, "keep-entries", 0, "entries that housekeeping keeps (default fetch.keep_entries)")
	f.DurationVar(&s.keepFor, "keep-for", 0, "how long it keeps what the source does not list any more (default fetch.keep_for)")
	s.request.define(cmd)
}

// body is what POST /sources takes; known are the filters that the source has now.
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

// parseFilters reads the values of --keep or --block; empty ones are none.
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

// knownFilters are those of a source that is known: --keep alone leaves what --block said before.
func knownFilters(cmd *cobra.Command, c *client, url string) (feed.Filters, error) {
	if !cmd.Flags().Changed("keep") && !cmd.Flags().Changed("block") {
		return feed.Filters{}, nil
	}
	var known feed.Source
	err := c.call(cmd.Context(), http.MethodGet, "/api/v1/sources/"+id(url), nil, &known)
	var refusal *answerError
	if errors.As(err, &refusal) && refusal.status == http.StatusNotFound {
		err = nil
	}
	return known.Filters, err
}

// printChoices prints what a person chose beyond what every source has.
func printChoices(w io.Writer, s *feed.Source) {
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
		row(w, "updates", "ignored: entries stay as they were first stored")
	}
	if s.Keep.Entries > 0 {
		row(w, "keeps", fmt.Sprintf("%d entries", s.Keep.Entries))
	}
	if s.Keep.For > 0 {
		row(w, "keeps for", s.Keep.For.String())
	}
}
