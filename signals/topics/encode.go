package topics

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/feedwire/feedwire/publish/feedxml"
	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/store/feed"
)

const maxSummary = 1000 // bytes of plain text, as in republished feeds

// formatOf returns the format of the news of a source: its own, or Atom if that is another one.
func formatOf(source *feed.Source) string {
	switch {
	case strings.HasPrefix(source.Poll.Format, "RSS"):
		return feedxml.RSS
	case strings.HasPrefix(source.Poll.Format, "JSON Feed"):
		return feedxml.JSON
	}
	return feedxml.Atom
}

// encode writes entries as their source sent them, in formatOf the source.
func (c *Catalog) encode(source *feed.Source, entries []*feed.Entry, deleted []feedxml.Deleted, changed time.Time) (feed.Distribution, error) {
	return c.encodeAs(formatOf(source), source, entries, deleted, changed)
}

// encodeAs writes entries in a format. Their ids are those of the source, so that a reader that also polls the source recognises them.
func (c *Catalog) encodeAs(
	format string, source *feed.Source, entries []*feed.Entry, deleted []feedxml.Deleted, changed time.Time,
) (feed.Distribution, error) {
	w := feedxml.New(format, feedxml.SourceProfile())
	encoded := make([][]byte, len(entries))
	for i, e := range entries {
		item := feedxml.FromEntry(e, source.URL)
		item.Description = hypertext.PlainText(e.Summary, maxSummary) // JSON Feed has no summary with markup
		var err error
		if encoded[i], err = w.Entry(item); err != nil {
			return feed.Distribution{}, fmt.Errorf("encode %s of %s: %w", e.ID, source.URL, err)
		}
	}
	about := &source.About
	body, err := w.Document(&feedxml.Channel{
		Title: cmp.Or(about.Title, source.URL), Link: cmp.Or(about.Link, source.URL), Description: about.Description,
		Language: about.Language, Copyright: about.Rights, Authors: about.Authors, Categories: about.Categories,
		Logo: about.Image, Icon: about.Icon, Podcast: feedxml.PodcastOf(about), Self: source.URL, Hub: c.opts.HubURL,
		Changed: feedxml.Date(changed), Deleted: deleted,
	}, encoded)
	if err != nil {
		return feed.Distribution{}, fmt.Errorf("encode news of %s: %w", source.URL, err)
	}
	d := feed.Distribution{Topic: source.URL, ContentType: w.MediaType + "; charset=utf-8", Body: body, Entries: len(entries)}
	for _, e := range entries {
		d.Posts = append(d.Posts, e.ID)
	}
	return d, nil
}

// Shape returns the news of a source in the form that a subscriber wants, with its entries in their current state. It has a nil Body if
// none of them is for the subscriber; deleted entries are for all. Documents that are delivered unchanged are returned unchanged.
func (c *Catalog) Shape(ctx context.Context, d feed.Distribution, form feed.Form) (feed.Distribution, error) {
	source, err := c.store.SourceByURL(ctx, d.Topic)
	if d.Whole || errors.Is(err, feed.ErrNotFound) {
		return d, nil
	}
	refs := make([]feed.EntryRef, len(d.Posts))
	for i, id := range d.Posts {
		refs[i] = feed.EntryRef{FeedURL: d.Topic, ID: id}
	}
	var posts []feed.Entry
	if err == nil {
		posts, err = c.store.LoadEntries(ctx, refs)
	}
	if err != nil {
		return d, fmt.Errorf("shape news of %s: %w", d.Topic, err)
	}
	entries := make([]*feed.Entry, len(posts))
	for i := range posts {
		entries[i] = &posts[i]
	}
	deleted := feedxml.DeletedIn(d.Body, d.Topic)
	if form.Filter != "" {
		filter, err := feed.ParseNewsFilter(form.Filter)
		if err != nil {
			return d, err
		}
		entries = slices.DeleteFunc(entries, func(e *feed.Entry) bool { return !filter.Match(e) })
		if len(entries)+len(deleted) == 0 {
			d.Body = nil
			return d, nil
		}
	}
	format := formatOf(&source)
	if form.JSON {
		format = feedxml.JSON
	}
	shaped, err := c.encodeAs(format, &source, entries, deleted, d.Time)
	shaped.Version, shaped.Time = d.Version, d.Time
	return shaped, err
}
