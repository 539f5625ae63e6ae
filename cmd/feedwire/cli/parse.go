package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
	"github.com/feedwire/feedwire/ingest/parser"
	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

// parsedHints are the hints of a feed in the JSON output.
type parsedHints struct {
	Hubs      []string      `json:"hubs,omitempty"`
	Self      string        `json:"self,omitempty"`
	TTL       feed.Duration `json:"ttl,omitzero"`
	SyPeriod  feed.Duration `json:"sy_period,omitzero"`
	SkipHours []int         `json:"skip_hours,omitempty"`
	SkipDays  []string      `json:"skip_days,omitempty"`
}

func newParse() *cobra.Command {
	var raw parser.Raw
	cmd := &cobra.Command{
		Use:   "parse FILE|URL",
		Short: "Print how feedwire parses a feed",
		Long: `Parse a feed from a file, a URL or standard input ("-"), and print the feed, its entries and the repairs of broken markup. The
command stores nothing and does not need a daemon.

A URL is fetched with the limits of the daemon. It may name a host in a private network, but redirects to private networks
are refused.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := readDocument(cmd, args[0], &raw); err != nil {
				return err
			}
			raw.Received = time.Now()
			parsed, err := parser.Parse(raw, raw.URL, 0)
			if err != nil {
				return fmt.Errorf("parse %s: %w", args[0], err)
			}
			output := jsonOf(&parsed, websub.Discover(nil, raw.Body, raw.URL))
			return show(cmd, output, func(w io.Writer) { printParsed(w, &parsed) })
		},
	}
	cmd.Flags().StringVar(&raw.URL, "url", "https://feed.invalid/", "base URL for relative links")
	cmd.Flags().StringVar(&raw.ContentType, "content-type", "", "Content-Type header of the document")
	cmd.Flags().StringVar(&raw.ContentLocation, "content-location", "", "Content-Location header of the document")
	cmd.Flags().StringVar(&raw.ContentLanguage, "content-language", "", "Content-Language header of the document")
	outputFlag(cmd.Flags())
	return cmd
}

// jsonOf returns the JSON output for a document with its WebSub links. Entries are in the order of their ids, the oldest first.
func jsonOf(parsed *parser.Parsed, topic websub.Topic) map[string]any {
	doc, about := &parsed.Document, &parsed.Document.About
	entries := []map[string]any{}
	for i, e := range doc.Entries {
		entry := map[string]any{
			"title": e.Title, "link": e.Link, "guid": e.GUID, "content": e.Content,
			"author": strings.Join(e.Authors, ", "), "authors": append([]string{}, e.Authors...),
			"published": timeOrNil(e.Published), "updated": timeOrNil(e.Updated),
			"categories": json.RawMessage(cmp.Or(e.Extra["categories"], "[]")),
			"enclosures": json.RawMessage(cmp.Or(e.Extra["enclosures"], "[]")),
			"language":   cmp.Or(e.Extra["language"], about.Language), "base": parsed.Bases[i],
		}
		if e.Summary != "" {
			entry["summary"] = e.Summary
		}
		for i := range feed.Fields {
			f := &feed.Fields[i]
			if value := f.Value(&e); value != nil && entry[f.Name] == nil {
				entry[f.Name] = value
			}
		}
		entries = append(entries, entry)
	}
	described := map[string]any{"title": about.Title, "description": about.Description, "link": about.Link, "language": about.Language}
	for name, value := range about.Details() {
		if value != "" {
			described[strings.TrimPrefix(name, "feed_")] = value // lists follow
		}
	}
	if len(about.Authors) > 0 {
		described["authors"] = about.Authors
	}
	if len(about.Categories) > 0 {
		described["categories"] = about.Categories
	}
	return map[string]any{
		"format": doc.Format, "encoding": parsed.Encoding, "base": parsed.Base,
		"feed":  described,
		"hints": hintsOf(&parsed.Hints, topic), "entries": entries,
		"rejected": parsed.Rejected, "repaired": doc.Repaired, "repairs": append([]string{}, parsed.Repairs...),
	}
}

func hintsOf(hints *parser.Hints, topic websub.Topic) parsedHints {
	all := parsedHints{Hubs: topic.Hubs, Self: topic.Self, TTL: feed.Duration(hints.TTL), SyPeriod: feed.Duration(hints.SyPeriod)}
	for hour := range 24 {
		if hints.SkipHours&(1<<hour) != 0 {
			all.SkipHours = append(all.SkipHours, hour)
		}
	}
	for day := time.Sunday; day <= time.Saturday; day++ {
		if hints.SkipDays&(1<<day) != 0 {
			all.SkipDays = append(all.SkipDays, day.String())
		}
	}
	return all
}

func timeOrNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// printParsed prints a document, the newest entry first.
func printParsed(w io.Writer, parsed *parser.Parsed) {
	doc := &parsed.Document
	row(w, "FORMAT", doc.Format+", "+parsed.Encoding)
	row(w, "TITLE", doc.About.Title)
	row(w, "LINK", doc.About.Link)
	row(w, "LANGUAGE", doc.About.Language)
	for _, repair := range parsed.Repairs {
		row(w, "REPAIRED", repair)
	}
	if parsed.Rejected > 0 {
		row(w, "REJECTED", fmt.Sprintf("%d entries without an identity", parsed.Rejected))
	}
	row(w, "ENTRIES", len(doc.Entries))
	for _, e := range slices.Backward(doc.Entries) {
		row(w, terminal.Ago(e.Published), terminal.Cut(e.Title, 60), e.Link, e.GUID)
	}
}
