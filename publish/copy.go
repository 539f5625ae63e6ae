package publish

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

const (
	copyDir    = "copies"
	copySuffix = ".copy"
	copyPause  = time.Second // between two writes of a feed that changes all the time
)

// diskCopy is the last good document of a feed on disk, for a start while the store is away. The file holds the SHA-256 of
// all that follows, a line of JSON, and the bodies.
type diskCopy struct {
	path     string
	settings string // of its outlet
	log      *slog.Logger
	due      chan struct{} // there is another document
}

// copyHead is the line before the bodies.
type copyHead struct {
	Settings string            `json:"settings"`
	Modified time.Time         `json:"modified"`
	Dated    bool              `json:"dated"`
	Until    time.Time         `json:"until"`
	Shown    []feed.Impression `json:"shown"`
	Plain    copyVariant       `json:"plain"`
	Gzip     copyVariant       `json:"gzip"`
}

type copyVariant struct {
	ETag   string              `json:"etag"`
	Header map[string][]string `json:"header"`
	Bare   map[string][]string `json:"bare"`
	Size   int                 `json:"size"`
}

// digestOf is a digest of all settings that the document of o depends on.
func digestOf(o *outlet) string {
	rules := make(map[string]string, len(o.rules))
	for source, r := range o.rules {
		rules[source] = r.Digest()
	}
	settings, _ := json.Marshal([]any{o.name, o.Outgoing, o.profile, rules, o.opts.PublicURL, o.opts.HubURL}) // such values always encode
	sum := sha256.Sum256(settings)
	return hex.EncodeToString(sum[:])
}

// newCopy is the copy of what o serves; nil where there is no directory for it.
func newCopy(o *outlet) *diskCopy {
	if o.opts.Dir == "" {
		return nil
	}
	return &diskCopy{
		path: filepath.Join(o.opts.Dir, copyDir, o.name+copySuffix), settings: o.settings,
		log: o.opts.Logger.With("feed", o.name), due: make(chan struct{}, 1),
	}
}

// run writes the current document after each change, until ctx ends.
func (c *diskCopy) run(ctx context.Context, current func() *document) {
	if c == nil {
		return
	}
	var written *document
	failed := false
	for ended := false; !ended; {
		select {
		case <-c.due:
		case <-ctx.Done():
			ended = true
		}
		doc := current()
		if doc == nil || doc == written {
			continue
		}
		err := c.save(doc)
		if written = doc; err != nil && !failed {
			c.log.Error("last good copy not written: a start while the store is away would find an older one", "err", err)
		}
		failed = err != nil
		select {
		case <-time.After(copyPause):
		case <-ctx.Done():
		}
	}
}

// save replaces the file in one step.
func (c *diskCopy) save(doc *document) error {
	head, err := json.Marshal(copyHead{
		c.settings, doc.modified, doc.dated, doc.until, doc.shown, copyOf(&doc.plain), copyOf(&doc.gzip),
	})
	if err != nil {
		return err
	}
	content := slices.Concat(head, []byte("\n"), doc.plain.body, doc.gzip.body)
	if err := os.MkdirAll(filepath.Dir(c.path), 0o700); err != nil {
		return err
	}
	temporary := c.path + ".new"
	file, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(file, "%x\n", sha256.Sum256(content))
	if err == nil {
		_, err = file.Write(content)
	}
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	if err := os.Rename(temporary, c.path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(c.path))
}

func copyOf(v *variant) copyVariant { return copyVariant{v.etag, v.header, v.bare, len(v.body)} }

// load reads the document; nil: there is none that could be served.
func (c *diskCopy) load() *document {
	if c == nil {
		return nil
	}
	content, err := os.ReadFile(c.path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	doc, head, err := parseCopy(content, err)
	switch {
	case err != nil:
		c.log.Error("last good copy not used", "file", c.path, "err", err)
		return nil
	case head.Settings != c.settings:
		c.log.Warn("last good copy not used: the settings of the feed have changed since", "file", c.path)
		return nil
	}
	c.log.Info("last good copy read", "articles", len(doc.shown), "modified", doc.modified)
	return doc
}

// parseCopy reads what save wrote, if reading it had no error.
func parseCopy(content []byte, err error) (*document, *copyHead, error) {
	if err != nil {
		return nil, nil, err
	}
	sum, content, _ := bytes.Cut(content, []byte("\n"))
	if string(sum) != fmt.Sprintf("%x", sha256.Sum256(content)) {
		return nil, nil, errors.New("its checksum is wrong")
	}
	line, bodies, _ := bytes.Cut(content, []byte("\n"))
	var head copyHead
	if err := json.Unmarshal(line, &head); err != nil {
		return nil, nil, err
	}
	plain, zipped := head.Plain.Size, head.Gzip.Size
	if plain < 0 || zipped < 0 || plain > len(bodies) || zipped != len(bodies)-plain {
		return nil, nil, errors.New("its sizes are wrong")
	}
	doc := &document{
		until: head.Until, shown: head.Shown, modified: head.Modified, dated: head.Dated,
		plain: head.Plain.variant(bodies[:plain]), gzip: head.Gzip.variant(bodies[plain:]),
	}
	return doc, &head, nil
}

func (v copyVariant) variant(body []byte) variant { return variant{body, v.ETag, v.Header, v.Bare} }

// forgetCopies deletes the copies of feeds that are not served any more.
func (p *Publisher) forgetCopies() {
	if p.opts.Dir == "" {
		return
	}
	files, _ := os.ReadDir(filepath.Join(p.opts.Dir, copyDir)) // none: nothing to delete
	for _, f := range files {
		typ := strings.TrimSuffix(f.Name(), copySuffix)
		if p.outlet(typ) != nil || typ == f.Name() {
			continue
		}
		if err := os.Remove(filepath.Join(p.opts.Dir, copyDir, f.Name())); err != nil {
			p.opts.Logger.Warn("copy of a removed feed not deleted", "feed", typ, "err", err)
		}
	}
}
