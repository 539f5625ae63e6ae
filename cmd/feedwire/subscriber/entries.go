package subscriber

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"time"

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

// news returns the new and changed entries of a document, and marks them as printed.
func (p *printed) news(doc parser.Raw) (news []feed.Entry, err error) {
	parsed, err := parser.Parse(doc, doc.URL, 0)
	for _, entry := range parsed.Document.Entries {
		digest, has := p.digests[entry.GUID]
		if !has {
			if p.order = append(p.order, entry.GUID); len(p.order) > maxEntries {
				delete(p.digests, p.order[0])
				p.order = p.order[1:]
			}
		}
		if p.digests[entry.GUID] = entry.Digest(); digest != entry.Digest() {
			news = append(news, entry)
		}
	}
	return news, err
}

// handle prints the new entries of a delivery or runs the command for each. A failed command does not stop the others.
func (s *subscriber) handle(ctx context.Context, doc parser.Raw) {
	news, err := s.printed.news(doc)
	if err != nil {
		fmt.Fprintf(s.opts.Notes, "delivery of %d bytes of %q is not a feed: %v\n", len(doc.Body), terminal.OneLine(doc.ContentType), err)
	}
	for i := range news {
		entry := &news[i]
		switch text, err := json.Marshal(entry); {
		case err != nil:
			fmt.Fprintf(s.opts.Notes, "entry %q: %v\n", entry.GUID, err)
		case s.opts.Exec != "":
			s.run(ctx, text)
		case s.opts.JSON:
			fmt.Fprintf(s.opts.Out, "%s\n", text)
		default:
			fmt.Fprintf(s.opts.Out, "%s  %s  %s\n", doc.Received.Local().Format("15:04:05"), terminal.OneLine(entry.Title), terminal.OneLine(entry.Link))
		}
	}
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
