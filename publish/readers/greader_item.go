package readers

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// item is an entry in an answer. It is no object, because an answer has up to maxContents.
type item struct {
	ID            string     `json:"id"`
	CrawlTimeMsec string     `json:"crawlTimeMsec"`
	TimestampUsec string     `json:"timestampUsec"`
	Published     int64      `json:"published"`
	Updated       int64      `json:"updated"`
	Title         string     `json:"title"`
	Author        string     `json:"author"`
	Canonical     []itemLink `json:"canonical"`
	Alternate     []itemLink `json:"alternate"`
	Summary       itemText   `json:"summary"`
	Content       itemText   `json:"content"`
	Categories    []string   `json:"categories"`
	Origin        itemOrigin `json:"origin"`
	Enclosure     []itemFile `json:"enclosure,omitempty"`
}

type itemLink struct {
	Href string `json:"href"`
	Type string `json:"type"`
}

type itemText struct {
	Direction string `json:"direction"`
	Content   string `json:"content"`
}

type itemOrigin struct {
	StreamID string `json:"streamId"`
	Title    string `json:"title"`
	HTMLURL  string `json:"htmlUrl"`
}

type itemFile struct {
	Href   string `json:"href"`
	Type   string `json:"type"`
	Length int64  `json:"length"`
}

// item returns an entry. f is nil if the user does not follow its source.
func (rs *Readers) item(e *feed.ReaderEntry, f *feed.Follow, source feed.About) item {
	at, published := e.Timestamp, publishedAt(&e.Entry)
	n, _ := strconv.ParseInt(e.Number(), 10, 64) // ids of the store have numbers
	title, site, tags := e.FeedURL, "", []string{statePrefix + readingList}
	if f != nil {
		title, site, tags = f.Named(source.Title).Name, source.Link, append(tags, labelPrefix+label(f))
	}
	if e.Read {
		tags = append(tags, statePrefix+read)
	}
	if e.Saved {
		tags = append(tags, statePrefix+starred)
	}
	link, text := []itemLink{{e.Link, "text/html"}}, itemText{"ltr", rs.prose.Clean(&e.Entry)}
	i := item{
		ID: longID + fmt.Sprintf("%016x", n), CrawlTimeMsec: strconv.FormatInt(at.UnixMilli(), 10),
		TimestampUsec: strconv.FormatInt(at.UnixMicro(), 10), Published: published.Unix(), Updated: cmp.Or(unixOf(e.Updated), published.Unix()),
		Title: e.Title, Author: strings.Join(e.Authors, ", "), Canonical: link, Alternate: link, Summary: text, Content: text,
		Categories: tags, Origin: itemOrigin{streamID(e.FeedURL), title, site},
	}
	for _, file := range e.Enclosures() {
		i.Enclosure = append(i.Enclosure, itemFile{file.URL, file.MediaType(), int64(file.Length)})
	}
	return i
}

func publishedAt(e *feed.Entry) time.Time {
	if e.Published.IsZero() {
		return e.Timestamp
	}
	return e.Published
}

func unixOf(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}
