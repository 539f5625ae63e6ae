package publish

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/feedwire/feedwire/publish/document"
	"github.com/feedwire/feedwire/publish/feedxml"
	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/publish/instant"
	"github.com/feedwire/feedwire/store/feed"
)

// rendered is a document and what it shows. It is immutable.
type rendered struct {
	*document.Document
	version string    // of the store, for which it was made
	until   time.Time // when the oldest article read ages out
	shown   []feed.Impression
	blocked map[itemKey]string // why articles are left out

	articles func() articles
}

// render writes the document of a selection, newest publication first.
func (o *outlet) render(s *selection, now time.Time) (*rendered, error) {
	doc := &rendered{until: s.until, blocked: make(map[itemKey]string)}
	for key, item := range s.items {
		if item.bytes == nil {
			doc.blocked[key] = item.reason
		}
	}
	var items [][]byte
	var newest time.Time
	for _, it := range slices.Backward(s.shown) {
		items = append(items, it.encoded)
		doc.shown = append(doc.shown, it.impression)
		if it.modified.After(newest) {
			newest = it.modified
		}
	}
	body, err := o.writer.Document(o.channel(newest), items)
	if err != nil {
		return nil, fmt.Errorf("encode feed %s: %w", o.Type, err)
	}
	if err := o.writer.Check(body, len(doc.shown)); err != nil {
		return nil, fmt.Errorf("check feed %s: %w", o.Type, err)
	}
	o.metrics.items.Set(float64(len(doc.shown)))
	var last *document.Document
	if o.doc != nil {
		last = o.doc.Document
	}
	var changed bool
	if doc.Document, changed = document.New(body, o.meta(), last, now); changed {
		o.metrics.lastChange.Set(float64(now.Unix()))
	}
	doc.articles = o.articlesIn(doc.Document)
	return doc, nil
}

func (o *outlet) meta() document.Meta {
	return document.Meta{MediaType: o.writer.MediaType, Private: o.private(), Self: o.self(), Hub: o.hub()}
}

func (o *outlet) channel(newest time.Time) *feedxml.Channel {
	c := &feedxml.Channel{
		Title: o.Title, Link: cmp.Or(o.Link, o.opts.PublicURL), Description: o.Description,
		Language: o.Language, Copyright: o.Copyright, Logo: o.Logo, DarkLogo: o.DarkLogo, Self: o.self(), Hub: o.hub(), Changed: newest,
		SyndicationRights: o.SyndicationRights,
	}
	if o.profile.Podcast {
		c.Podcast = o.podcast()
	}
	if limit := o.profile.ChannelDescriptionMaximum; limit > 0 {
		c.Description = shorten(c.Description, limit)
	}
	return c
}

// podcast describes the feed to directories of podcasts.
func (o *outlet) podcast() *feedxml.Podcast {
	p := &feedxml.Podcast{Author: o.Title}
	p.Explicit = feed.Answer(strconv.FormatBool(o.Explicit))
	if o.OwnerEmail != "" {
		p.Owner, p.OwnerEmail = o.Title, o.OwnerEmail
	}
	top, sub, _ := strings.Cut(o.Category, ">") // "Society & Culture > Documentary"
	top, sub = strings.TrimSpace(top), strings.TrimSpace(sub)
	if top != "" {
		p.Categories = append(p.Categories, feed.Category{Term: top})
	}
	if sub != "" {
		p.Categories = append(p.Categories, feed.Category{Term: sub, Parent: top})
	}
	return p
}

// renderItem encodes one item. An article that cannot be rendered concerns no other article.
func (o *outlet) renderItem(a *feed.Article) encoding {
	encoded, err := o.encode(a)
	if err != nil {
		o.metrics.renderFailures.Inc()
		o.opts.Logger.Warn("article blocked from the feed", "article", a.UUID, "feed", o.Type, "err", err)
		return encoding{reason: reasonOf(err)}
	}
	return encoding{bytes: encoded}
}

// encode encodes one item and parses it again in a document of its own.
func (o *outlet) encode(a *feed.Article) ([]byte, error) {
	e, err := o.entry(a)
	if err != nil {
		return nil, err
	}
	encoded, err := o.writer.Entry(e)
	if err != nil {
		return nil, err
	}
	if limit := o.profile.MaxBytes; limit > 0 && len(encoded) > limit-channelBytes {
		return nil, fmt.Errorf("%w: it has %d bytes, and %s accepts %d for all articles", feed.ErrInvalid, len(encoded), o.profile.Name, limit)
	}
	alone, err := o.writer.Document(o.channel(time.Time{}), [][]byte{encoded})
	if err != nil {
		return nil, err
	}
	return encoded, o.writer.Check(alone, 1)
}

// transform returns the Instant Articles document of an article.
func (o *outlet) transform(a *feed.Article) (instant.Document, []hypertext.Warning, error) {
	rules, own := o.rules[a.FeedURL]
	if !own {
		rules = o.rules[""]
	}
	return instant.Transform(o.dated(a), instant.Options{
		Rules: rules, Language: o.Language, Copyright: o.Copyright, TimeZone: o.TimeZone, Development: o.TwinOf != "",
	})
}

// dated returns the article with the date and the URL that it has in this feed.
func (o *outlet) dated(a *feed.Article) feed.Article {
	dated := *a
	dated.Published, dated.Canonical = published(a, o.Type), o.link(a)
	return dated
}

// published returns when the source published the article or, if it did not say, when the article was first published here.
func published(a *feed.Article, typ string) time.Time {
	return cmp.Or(a.Published, a.Feeds[typ].Published)
}

func modified(a *feed.Article) time.Time { return cmp.Or(a.Modified, a.Published) }
