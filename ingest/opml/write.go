package opml

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

type document struct {
	XMLName  xml.Name   `xml:"opml"`
	Version  string     `xml:"version,attr"`
	Space    string     `xml:"xmlns:feedwire,attr"`
	Title    string     `xml:"head>title"`
	Created  string     `xml:"head>dateCreated"`
	Outlines []*outline `xml:"body>outline"`
}

type outline struct {
	Text       string     `xml:"text,attr"`
	Attributes []xml.Attr `xml:",any,attr"`
	Outlines   []*outline `xml:"outline"`
}

// add adds an attribute.
func (o *outline) add(name, value string) {
	o.Attributes = append(o.Attributes, xml.Attr{Name: xml.Name{Local: name}, Value: value})
}

// Write writes sources as OPML 2.0, each in the folder of its first category, and without secrets.
func Write(w io.Writer, sources []feed.Source, now time.Time) error {
	t := newTree()
	for i := range sources {
		folder := ""
		if c := sources[i].Categories; len(c) > 0 {
			folder = c[0]
		}
		t.add(folder, outlineOf(&sources[i]))
	}
	return t.write(w, "Sources of feedwire", now)
}

// WriteFollows writes the sources that an account follows as OPML 2.0, each in its folder and with the name that it has for the account.
// republished returns the URLs at which a source is republished.
func WriteFollows(w io.Writer, account string, follows []feed.NamedFollow, republished func(id string) []string, now time.Time) error {
	t := newTree()
	for i := range follows {
		f := &follows[i]
		s := feed.Source{URL: f.FeedURL, About: feed.About{Title: f.Name}, Republished: republished(f.ID)}
		if f.Folder != "" {
			s.Categories = []string{f.Folder}
		}
		o := outlineOf(&s)
		if f.Muted {
			o.add("feedwire:"+muted, "true")
		}
		t.add(f.Folder, o)
	}
	return t.write(w, "Follows of "+account, now)
}

// tree is the outlines of a document.
type tree map[string]*outline // folders by path; "": the root

func newTree() tree { return tree{"": {}} }

// add adds an outline to a folder.
func (t tree) add(folder string, o *outline) {
	in := t.folder(folder)
	in.Outlines = append(in.Outlines, o)
}

// folder returns the folder of a path and creates it, and those above it, if it is missing.
func (t tree) folder(path string) *outline {
	if f := t[path]; f != nil {
		return f
	}
	parent, name := "", path
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		parent, name = path[:i], path[i+1:]
	}
	t[path] = &outline{Text: name}
	t.add(parent, t[path])
	return t[path]
}

func (t tree) write(w io.Writer, title string, now time.Time) error {
	doc := document{
		Version: "2.0", Space: space, Title: title, Created: now.UTC().Format(time.RFC1123), Outlines: t[""].Outlines,
	}
	text, err := xml.MarshalIndent(doc, "", "  ")
	if err == nil {
		_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	}
	if err != nil {
		return fmt.Errorf("write OPML: %w", err)
	}
	return nil
}

func outlineOf(s *feed.Source) *outline {
	o := &outline{Text: s.Name()}
	address := s.URL
	if s.Local() { // other programs read its republished feed
		address = ""
		if len(s.Republished) > 0 {
			address = s.Republished[0]
		}
		o.add("feedwire:"+local, s.URL)
	}
	for _, a := range []struct{ name, value string }{
		{"title", s.About.Title}, {"type", "rss"}, {"xmlUrl", address}, {"htmlUrl", s.About.Link}, {"category", strings.Join(s.Categories, ",")},
	} {
		if a.value != "" {
			o.add(a.name, a.value)
		}
	}
	o.add("feedwire:feeds", strings.Join(s.Feeds, ","))
	for _, setting := range settings(s) {
		if text := setting.text(); text != "" {
			o.add("feedwire:"+setting.name, text)
		}
	}
	return o
}
