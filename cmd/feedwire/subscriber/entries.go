package subscriber

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
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

// entries finds the new entries of documents. Hubs send complete feeds or only new entries, and may repeat them, so it
// remembers what it has printed.
type entries struct {
	out, notes io.Writer
	json       bool
	exec       string // command for each entry; empty: it is printed

	known map[string]string // digest by guid
	order []string          // guids, the oldest first
}

// markKnown marks the entries of a document as printed.
func (e *entries) markKnown(doc parser.Raw) {
	parsed, err := parser.Parse(doc, doc.URL, 0)
	if err != nil {
		return // deliveries may be feeds
	}
	for i := range parsed.Document.Entries {
		e.isNews(&parsed.Document.Entries[i])
	}
}

// isNews reports whether an entry is new or changed, and marks it as printed.
func (e *entries) isNews(entry *feed.Entry) bool {
	digest, has := e.known[entry.GUID]
	if !has {
		if e.order = append(e.order, entry.GUID); len(e.order) > maxEntries {
			delete(e.known, e.order[0])
			e.order = e.order[1:]
		}
	}
	e.known[entry.GUID] = entry.Digest()
	return digest != entry.Digest()
}

// handle prints the new entries of a delivery or runs the command for each. A failed command does not stop the others.
func (e *entries) handle(ctx context.Context, d delivery) {
	parsed, err := parser.Parse(d.doc, d.topic, 0)
	if err != nil {
		fmt.Fprintf(e.notes, "delivery of %d bytes of %q is not a feed: %v\n", len(d.doc.Body), terminal.OneLine(d.doc.ContentType), err)
		return
	}
	for i := range parsed.Document.Entries {
		entry := &parsed.Document.Entries[i]
		if !e.isNews(entry) {
			continue
		}
		switch text, err := json.Marshal(entry); {
		case err != nil:
			fmt.Fprintf(e.notes, "entry %q: %v\n", entry.GUID, err)
		case e.exec != "":
			e.run(ctx, text)
		case e.json:
			fmt.Fprintf(e.out, "%s\n", text)
		default:
			fmt.Fprintf(e.out, "%s  %s  %s\n", d.doc.Received.Local().Format("15:04:05"), terminal.OneLine(entry.Title), terminal.OneLine(entry.Link))
		}
	}
}

// run runs the command for one entry.
func (e *entries) run(ctx context.Context, entry []byte) {
	ctx, cancel := context.WithTimeout(ctx, execTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", e.exec) //nolint:gosec // the command is the user's own
	cmd.WaitDelay = 5 * time.Second                     // for its children that keep the output open
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(entry), e.out, e.notes
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("timed out after %v", execTimeout)
		}
		fmt.Fprintf(e.notes, "command: %v\n", err)
	}
}
