package hub

import (
	"cmp"
	"context"
	"encoding/xml"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// Sources tells what is known of a source.
type Sources interface {
	// SourceByURL is the source of a feed URL. feed.ErrNotFound: there is none any more.
	SourceByURL(ctx context.Context, feedURL string) (feed.Source, error)
}

// NewsOutlet distributes the new and changed entries of a source under its own feed URL, as a feed of the same family:
// RSS for RSS, Atom for all others.
func NewsOutlet(sources Sources, hubURL string) Outlet {
	return Outlet{
		Topics: func(feedURL string) []string { return []string{feedURL} },
		Make: func(ctx context.Context, topic string, news News) ([]feed.Distribution, error) {
			entries, about := news.content()
			if len(entries) == 0 && !about {
				return nil, nil
			}
			source, err := sources.SourceByURL(ctx, news.FeedURL)
			if err != nil {
				return nil, fmt.Errorf("read source: %w", err)
			}
			envelope := envelope{source: &source, hub: hubURL, changed: news.Signals[len(news.Signals)-1].Time}
			d, err := envelope.distribution(entries)
			d.Topic = topic
			return []feed.Distribution{d}, err
		},
	}
}

// EntriesDocument is a feed of some entries of a source, in the form in which NewsOutlet distributes them.
func EntriesDocument(source *feed.Source, entries []feed.Entry, hubURL string) (feed.Distribution, error) {
	envelope := envelope{source: source, hub: hubURL, changed: source.Poll.LastDocument}
	all := make([]*feed.Entry, len(entries))
	for i := range entries {
		envelope.changed = cmp.Or(envelope.changed, entries[i].Timestamp) // it was pushed only, and never polled whole
		all[i] = &entries[i]
	}
	d, err := envelope.distribution(all)
	d.Topic = source.URL
	return d, err
}

// content is what news has to tell: the entries it is about, each once, as they are now, in the order of their last
// signals; and whether the feed itself has changed. Entries that are held are no news: so many changed at once that the
// source must have, and who was sent them all would take them for edits.
func (n *News) content() (entries []*feed.Entry, about bool) {
	last := make(map[string]int)
	for i := range n.Signals {
		last[n.Signals[i].Entry] = i
	}
	for i := range n.Signals {
		s := &n.Signals[i]
		about = about || s.Kind == feed.FeedModified && len(s.Changed) > 0
		if s.Post != nil && last[s.Entry] == i {
			entries = append(entries, s.Post)
		}
	}
	return entries, about
}

// envelope is the feed around the entries.
type envelope struct {
	source  *feed.Source
	hub     string // empty: none
	changed time.Time
}

type atomLink struct {
	Rel  string `xml:"rel,attr,omitempty"`
	Href string `xml:"href,attr"`
}

type atomText struct {
	Type string `xml:"type,attr,omitempty"`
	Text string `xml:",chardata"`
}

type atomName struct {
	Name string `xml:"name"`
}

type atomEntry struct {
	ID        string     `xml:"id"`
	Title     string     `xml:"title"`
	Links     []atomLink `xml:"link"`
	Published string     `xml:"published,omitempty"`
	Updated   string     `xml:"updated"`
	Authors   []atomName `xml:"author"`
	Summary   *atomText  `xml:"summary"`
	Content   *atomText  `xml:"content"`
}

type atomFeed struct {
	XMLName  xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	Language string      `xml:"xml:lang,attr,omitempty"`
	ID       string      `xml:"id"`
	Title    string      `xml:"title"`
	Subtitle string      `xml:"subtitle,omitempty"`
	Links    []atomLink  `xml:"link"`
	Updated  string      `xml:"updated"`
	Authors  []atomName  `xml:"author"`
	Entries  []atomEntry `xml:"entry"`
}

// distribution writes entries as a feed of the family of the source: RSS for RSS, Atom for all others.
func (e *envelope) distribution(entries []*feed.Entry) (d feed.Distribution, err error) {
	d.Entries = len(entries)
	if strings.HasPrefix(e.source.Poll.Format, "RSS") {
		d.ContentType = "application/rss+xml; charset=utf-8"
		d.Body, err = e.rss(entries)
	} else {
		d.ContentType = "application/atom+xml; charset=utf-8"
		d.Body, err = e.atom(entries)
	}
	return d, err
}

// links are those of the feed: the topic and the hub, and the site it speaks for.
func (e *envelope) links() []atomLink {
	links := []atomLink{{"self", e.source.URL}}
	if e.hub != "" {
		links = append(links, atomLink{"hub", e.hub})
	}
	return links
}

func (e *envelope) title() string {
	if e.source.About.Title == "" {
		return e.source.URL
	}
	return e.source.About.Title
}

// atom writes entries as Atom (RFC 4287). Ids are those of the source, so that a reader who polls it too knows them again.
func (e *envelope) atom(entries []*feed.Entry) ([]byte, error) {
	f := atomFeed{
		Language: e.source.About.Language, ID: e.source.URL, Title: e.title(), Subtitle: e.source.About.Description,
		Links: e.links(), Updated: rfc3339(e.changed),
	}
	if e.source.About.Link != "" {
		f.Links = append(f.Links, atomLink{"alternate", e.source.About.Link})
	}
	for _, post := range entries {
		entry := atomEntry{
			ID: atomID(post), Title: post.Title, Published: rfc3339(post.Published), Updated: rfc3339(updated(post)),
			Summary: htmlText(post.Summary), Content: htmlText(post.Content),
		}
		if post.Link != "" {
			entry.Links = []atomLink{{"alternate", post.Link}}
		}
		for _, name := range post.Authors {
			entry.Authors = append(entry.Authors, atomName{name})
		}
		if len(entry.Authors) == 0 { // an entry has an author, or its feed has (section 4.1.1)
			f.Authors = []atomName{{e.title()}}
		}
		f.Entries = append(f.Entries, entry)
	}
	return encode(f)
}

// atomID is the guid where that is a URI, as Atom asks (section 4.2.6), else one that is made of it.
func atomID(post *feed.Entry) string {
	if u, err := url.Parse(post.GUID); err == nil && u.IsAbs() {
		return post.GUID
	}
	return post.FeedURL + "#" + url.QueryEscape(post.GUID)
}

// GUIDOf is the guid of an entry of a source, by the id that it has in the feeds that are distributed.
func GUIDOf(feedURL, id string) string {
	if made, ours := strings.CutPrefix(id, feedURL+"#"); ours {
		if guid, err := url.QueryUnescape(made); err == nil && atomID(&feed.Entry{FeedURL: feedURL, GUID: guid}) == id {
			return guid
		}
	}
	return id
}

func htmlText(s string) *atomText {
	if s == "" {
		return nil
	}
	return &atomText{"html", s}
}

func updated(post *feed.Entry) time.Time {
	if post.Updated.IsZero() {
		return post.Timestamp
	}
	return post.Updated
}

// rfc3339 writes a time; what Atom cannot write is left out, or is the beginning of all times where one has to stand.
func rfc3339(t time.Time) string {
	if y := t.UTC().Year(); t.IsZero() || y < 0 || y > 9999 {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

type rssGUID struct {
	IsPermaLink bool   `xml:"isPermaLink,attr"`
	Value       string `xml:",chardata"`
}

type rssItem struct {
	Title       string   `xml:"title,omitempty"`
	Link        string   `xml:"link,omitempty"`
	GUID        rssGUID  `xml:"guid"`
	PubDate     string   `xml:"pubDate,omitempty"`
	Creators    []string `xml:"dc:creator"`
	Description string   `xml:"description,omitempty"`
	Content     string   `xml:"content:encoded,omitempty"`
}

type rssChannel struct {
	Title       string     `xml:"title"`
	Link        string     `xml:"link"`
	Description string     `xml:"description"`
	Language    string     `xml:"language,omitempty"`
	Links       []atomLink `xml:"atom:link"`
	Items       []rssItem  `xml:"item"`
}

type rssDocument struct {
	XMLName xml.Name   `xml:"rss"`
	Version string     `xml:"version,attr"`
	Atom    string     `xml:"xmlns:atom,attr"`
	Content string     `xml:"xmlns:content,attr"`
	DC      string     `xml:"xmlns:dc,attr"`
	Channel rssChannel `xml:"channel"`
}

// rss writes entries as RSS 2.0.
func (e *envelope) rss(entries []*feed.Entry) ([]byte, error) {
	c := rssChannel{
		Title: e.title(), Link: e.source.About.Link, Description: e.source.About.Description, Language: e.source.About.Language,
		Links: e.links(),
	}
	if c.Link == "" {
		c.Link = e.source.URL
	}
	for _, post := range entries {
		item := rssItem{
			Title: post.Title, Link: post.Link, GUID: rssGUID{Value: post.GUID}, Creators: post.Authors, Description: post.Summary,
			Content: post.Content,
		}
		if at := post.Published; !at.IsZero() {
			item.PubDate = at.UTC().Format(time.RFC1123Z)
		}
		c.Items = append(c.Items, item)
	}
	return encode(rssDocument{
		Version: "2.0", Atom: "http://www.w3.org/2005/Atom", Content: "http://purl.org/rss/1.0/modules/content/",
		DC: "http://purl.org/dc/elements/1.1/", Channel: c,
	})
}

// encode writes a document. What XML cannot hold becomes U+FFFD.
func encode(document any) ([]byte, error) {
	out, err := xml.Marshal(document)
	if err != nil {
		return nil, fmt.Errorf("encode news: %w", err)
	}
	return append([]byte(xml.Header), out...), nil
}
