package subscriber

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
	"github.com/feedwire/feedwire/ingest/parser"
	"github.com/feedwire/feedwire/store/feed"
)

const (
	execTimeout = time.Minute // of a command for one entry
	maxEntries  = 20_000      // to remember; old entries of a longer complete feed are printed again
)

// printed holds the entries that were printed. Hubs send complete feeds or only new entries, and may repeat them.
type printed struct {
	digests map[string]string // by guid
	order   []string          // guids, the oldest first
}

// news returns the new and changed entries of a document, and marks them as printed. Its error means that the document is not a feed
// or has no entries.
func (p *printed) news(doc parser.Raw) (news []feed.Entry, err error) {
	parsed, err := parser.Parse(doc, doc.URL, 0)
	for _, entry := range parsed.Document.Entries {
		if p.isNews(&entry) {
			news = append(news, entry)
		}
	}
	if err == nil && len(parsed.Document.Entries) == 0 {
		err = errNoEntries
	}
	return news, err
}

var errNoEntries = errors.New("it has no entries")

// isNews reports whether an entry is new or changed, and marks it as printed.
func (p *printed) isNews(entry *feed.Entry) bool {
	digest, has := p.digests[entry.GUID]
	if !has {
		if p.order = append(p.order, entry.GUID); len(p.order) > maxEntries {
			delete(p.digests, p.order[0])
			p.order = p.order[1:]
		}
	}
	p.digests[entry.GUID] = entry.Digest()
	return digest != entry.Digest()
}

// pageNews returns a document at a URL that is not a feed as an entry if it is new or changed, and marks it as printed.
func (p *printed) pageNews(url string, doc parser.Raw) []feed.Entry {
	entry := feed.Entry{
		GUID: url, FeedURL: url, Link: url, Timestamp: doc.Received, Title: cmp.Or(pageTitle(doc.Body), path.Base(url)),
	}
	if utf8.Valid(doc.Body) {
		entry.Content = string(doc.Body)
	} else {
		entry.Summary = fmt.Sprintf("%s, %d bytes, SHA-256 %x", doc.ContentType, len(doc.Body), sha256.Sum256(doc.Body))
	}
	if p.isNews(&entry) {
		return []feed.Entry{entry}
	}
	return nil
}

// pageTitle returns the title of a page, or "".
func pageTitle(body []byte) string {
	z := html.NewTokenizer(bytes.NewReader(body))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return ""
		case html.StartTagToken:
			switch name, _ := z.TagName(); atom.Lookup(name) {
			case atom.Title:
				if z.Next() == html.TextToken {
					return strings.Join(strings.Fields(string(z.Text())), " ")
				}
				return ""
			case atom.Body:
				return ""
			}
		}
	}
}

// handle prints the news of a delivery or runs the command for each entry. A failed command does not stop the others. A delivery
// without news of its own is a ping: the document is fetched. ctx ends only that request.
func (s *subscriber) handle(ctx context.Context, doc parser.Raw) {
	news, err := s.printed.news(doc)
	switch {
	case err == nil:
	case s.page && len(bytes.TrimSpace(doc.Body)) > 0:
		news = s.printed.pageNews(s.feedURL, doc)
	case doc.Pushed:
		s.poll(ctx)
		return
	}
	for i := range news {
		entry := &news[i]
		switch text, err := json.Marshal(entry); {
		case err != nil:
			fmt.Fprintf(s.opts.Notes, "entry %q: %v\n", entry.GUID, err)
		case s.opts.Exec != "":
			s.run(context.WithoutCancel(ctx), text)
		case s.opts.JSON:
			fmt.Fprintf(s.opts.Out, "%s\n", text)
		default:
			fmt.Fprintf(s.opts.Out, "%s  %s  %s\n", doc.Received.Local().Format("15:04:05"), terminal.OneLine(entry.Title), terminal.OneLine(entry.Link))
		}
	}
}

// poll fetches the document after a ping and handles it.
func (s *subscriber) poll(ctx context.Context) {
	_, document, err := s.fetch(ctx)
	if err != nil {
		fmt.Fprintf(s.opts.Notes, "the hub sent no entries: %v\n", err)
		return
	}
	s.handle(ctx, document)
}

// run runs the command for one entry.
func (s *subscriber) run(ctx context.Context, entry []byte) {
	ctx, cancel := context.WithTimeout(ctx, execTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", s.opts.Exec) //nolint:gosec // the command is the user's own
	cmd.WaitDelay = 5 * time.Second                          // for its children that keep the output open
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(entry), s.opts.Out, s.opts.Notes
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("timed out after %v", execTimeout)
		}
		fmt.Fprintf(s.opts.Notes, "command: %v\n", err)
	}
}
