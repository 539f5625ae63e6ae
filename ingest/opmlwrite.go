package ingest

import (
	"encoding/xml"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

type opmlDocument struct {
	XMLName  xml.Name       `xml:"opml"`
	Version  string         `xml:"version,attr"`
	Space    string         `xml:"xmlns:feedwire,attr"`
	Title    string         `xml:"head>title"`
	Created  string         `xml:"head>dateCreated"`
	Outlines []*opmlOutline `xml:"body>outline"`
}

type opmlOutline struct {
	Text        string  `xml:"text,attr"`
	Title       string  `xml:"title,attr,omitempty"`
	Type        string  `xml:"type,attr,omitempty"`
	XMLURL      string  `xml:"xmlUrl,attr,omitempty"`
	HTMLURL     string  `xml:"htmlUrl,attr,omitempty"`
	Category    string  `xml:"category,attr,omitempty"`
	Feeds       *string `xml:"feedwire:feeds,attr"` // nil in folders only: no feeds is a choice, too
	Publish     string  `xml:"feedwire:publish,attr,omitempty"`
	Interval    string  `xml:"feedwire:interval,attr,omitempty"`
	MinInterval string  `xml:"feedwire:minInterval,attr,omitempty"`
	Timeout     string  `xml:"feedwire:timeout,attr,omitempty"`
	KeepEntries int     `xml:"feedwire:keepEntries,attr,omitempty"`
	KeepFor     string  `xml:"feedwire:keepFor,attr,omitempty"`
	Ignores     string  `xml:"feedwire:ignoreUpdates,attr,omitempty"`
	Proxy       string  `xml:"feedwire:proxy,attr,omitempty"` // without its password
	Paused      string  `xml:"feedwire:paused,attr,omitempty"`
	Filters     string  `xml:"feedwire:filters,attr,omitempty"`

	Outlines []*opmlOutline `xml:"outline"`
}

// WriteOPML writes sources as OPML 2.0, each in the folder of its first category. Other programs read title, addresses
// and folders; what only feedwire knows stands in attributes of its own namespace, so that ReadOPML gives back URL,
// title, link, categories and all that a person has decided about each. Secrets are left out, because such files are
// passed on: header fields, user name and password, and those of a proxy.
func WriteOPML(w io.Writer, sources []feed.Source, now time.Time) error {
	root := &opmlOutline{}
	folders := map[string]*opmlOutline{"": root}
	for i := range sources {
		in := root
		if c := sources[i].Categories; len(c) > 0 {
			in = opmlFolder(folders, c[0])
		}
		in.Outlines = append(in.Outlines, opmlFeed(&sources[i]))
	}
	doc := opmlDocument{
		Version: "2.0", Space: opmlSpace, Title: "Sources of feedwire", Created: now.UTC().Format(time.RFC1123),
		Outlines: root.Outlines,
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return fmt.Errorf("write OPML: %w", err)
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(doc); err != nil {
		return fmt.Errorf("write OPML: %w", err)
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// opmlFolder finds or makes a folder and those that it is in.
func opmlFolder(folders map[string]*opmlOutline, path string) *opmlOutline {
	if f := folders[path]; f != nil {
		return f
	}
	parent, name := "", path
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		parent, name = path[:i], path[i+1:]
	}
	f := &opmlOutline{Text: name}
	in := opmlFolder(folders, parent)
	in.Outlines = append(in.Outlines, f)
	folders[path] = f
	return f
}

func opmlFeed(s *feed.Source) *opmlOutline {
	feeds := strings.Join(s.Feeds, ",")
	o := &opmlOutline{
		Text: s.About.Title, Title: s.About.Title, Type: "rss", XMLURL: s.URL, HTMLURL: s.About.Link,
		Category: strings.Join(s.Categories, ","), Feeds: &feeds, Publish: string(s.Publish), Filters: s.Filters.String(),
		Interval: spelled(s.Interval), MinInterval: spelled(s.Request.MinInterval), Timeout: spelled(s.Request.Timeout),
		Proxy: s.Request.Proxy, KeepEntries: s.Keep.Entries, KeepFor: spelled(s.Keep.For),
	}
	if o.Text == "" {
		o.Text = s.URL
	}
	if u, err := url.Parse(s.Request.Proxy); err == nil && u.User != nil {
		u.User = nil
		o.Proxy = u.String()
	}
	if s.Paused {
		o.Paused = strconv.FormatBool(true)
	}
	if s.IgnoreUpdates {
		o.Ignores = strconv.FormatBool(true)
	}
	return o
}

// spelled is a duration as it is written; empty for none.
func spelled(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return d.String()
}
