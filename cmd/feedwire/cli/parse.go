package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
	"github.com/feedwire/feedwire/ingest/parser"
	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

// parsedDocument is the JSON output of the command.
type parsedDocument struct {
	Format   string        `json:"format"`
	Encoding string        `json:"encoding"`
	Base     string        `json:"base"`
	Feed     parsedFeed    `json:"feed"`
	Hints    parsedHints   `json:"hints"`
	Entries  []parsedEntry `json:"entries"` // oldest first, in the order of ids
	Rejected int           `json:"rejected"`
	Repaired bool          `json:"repaired"`
	Repairs  []string      `json:"repairs"`
}

type parsedFeed struct {
	Title       string `json:"title"`
	Description string `json:"description"`
	Link        string `json:"link"`
	Language    string `json:"language"`
}

type parsedHints struct {
	Hubs      []string      `json:"hubs,omitempty"`
	Self      string        `json:"self,omitempty"`
	TTL       feed.Duration `json:"ttl,omitzero"`
	SyPeriod  feed.Duration `json:"sy_period,omitzero"`
	SkipHours []int         `json:"skip_hours,omitempty"`
	SkipDays  []string      `json:"skip_days,omitempty"`
}

type parsedEntry struct {
	Title      string          `json:"title"`
	Link       string          `json:"link"`
	GUID       string          `json:"guid"`
	Content    string          `json:"content"`
	Summary    string          `json:"summary,omitempty"`
	Author     string          `json:"author"`
	Authors    []string        `json:"authors"`
	Published  *time.Time      `json:"published"`
	Updated    *time.Time      `json:"updated"`
	Categories json.RawMessage `json:"categories"`
	Enclosures json.RawMessage `json:"enclosures"`
	Language   string          `json:"language"`
	Base       string          `json:"base"`
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
			doc := documentOf(&parsed, websub.Discover(nil, raw.Body, raw.URL))
			return show(cmd, doc, func(w io.Writer) { doc.print(w) })
		},
	}
	cmd.Flags().StringVar(&raw.URL, "url", "https://feed.invalid/", "base URL for relative links")
	cmd.Flags().StringVar(&raw.ContentType, "content-type", "", "Content-Type header of the document")
	cmd.Flags().StringVar(&raw.ContentLocation, "content-location", "", "Content-Location header of the document")
	cmd.Flags().StringVar(&raw.ContentLanguage, "content-language", "", "Content-Language header of the document")
	outputFlag(cmd.Flags())
	return cmd
}

// documentOf converts a document with its WebSub links to the form of the output.
func documentOf(parsed *parser.Parsed, topic websub.Topic) parsedDocument {
	about, hints := parsed.Document.About, parsed.Hints
	doc := parsedDocument{
		Format: parsed.Document.Format, Encoding: parsed.Encoding, Base: parsed.Base,
		Feed: parsedFeed{Title: about.Title, Description: about.Description, Link: about.Link, Language: about.Language},
		Hints: parsedHints{
			Hubs: topic.Hubs, Self: topic.Self,
			TTL: feed.Duration(hints.TTL), SyPeriod: feed.Duration(hints.SyPeriod),
		},
		Entries:  []parsedEntry{},
		Rejected: parsed.Rejected, Repaired: parsed.Document.Repaired, Repairs: append([]string{}, parsed.Repairs...),
	}
	for hour := range 24 {
		if hints.SkipHours&(1<<hour) != 0 {
			doc.Hints.SkipHours = append(doc.Hints.SkipHours, hour)
		}
	}
	for day := time.Sunday; day <= time.Saturday; day++ {
		if hints.SkipDays&(1<<day) != 0 {
			doc.Hints.SkipDays = append(doc.Hints.SkipDays, day.String())
		}
	}
	for i, e := range parsed.Document.Entries {
		doc.Entries = append(doc.Entries, parsedEntry{
			Title: e.Title, Link: e.Link, GUID: e.GUID, Content: e.Content, Summary: e.Summary,
			Author: strings.Join(e.Authors, ", "), Authors: append([]string{}, e.Authors...),
			Published: timeOrNil(e.Published), Updated: timeOrNil(e.Updated),
			Categories: json.RawMessage(cmp.Or(e.Extra["categories"], "[]")),
			Enclosures: json.RawMessage(cmp.Or(e.Extra["enclosures"], "[]")),
			Language:   cmp.Or(e.Extra["language"], about.Language), Base: parsed.Bases[i],
		})
	}
	return doc
}

// print writes a document as text, the newest entry first.
func (d *parsedDocument) print(w io.Writer) {
	row(w, "FORMAT", d.Format+", "+d.Encoding)
	row(w, "TITLE", d.Feed.Title)
	row(w, "LINK", d.Feed.Link)
	row(w, "LANGUAGE", d.Feed.Language)
	for _, repair := range d.Repairs {
		row(w, "REPAIRED", repair)
	}
	if d.Rejected > 0 {
		row(w, "REJECTED", fmt.Sprintf("%d entries without an identity", d.Rejected))
	}
	row(w, "ENTRIES", len(d.Entries))
	for i := len(d.Entries) - 1; i >= 0; i-- {
		e := &d.Entries[i]
		when := "-"
		if e.Published != nil {
			when = terminal.Ago(*e.Published)
		}
		row(w, when, terminal.Cut(e.Title, 60), e.Link, e.GUID)
	}
}

func timeOrNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
