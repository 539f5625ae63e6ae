package topics

import (
	"cmp"
	"fmt"
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
