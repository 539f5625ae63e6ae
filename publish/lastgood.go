package publish

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/feedwire/feedwire/publish/document"
	"github.com/feedwire/feedwire/publish/journal"
	"github.com/feedwire/feedwire/signals/retry"
	"github.com/feedwire/feedwire/store/feed"
)

const (
	copyDir    = "copies"
	copySuffix = ".copy"
	copyFormat = 2           // part of the checksum: copies in another format are not used
	copyPause  = time.Second // between two writes for a feed that changes all the time
)

// lastGood is the last good document of an outlet on disk, for a start while the store is unavailable. The file contains the
// SHA-256 of the rest, a line of JSON, and the body.
type lastGood struct {
	all      *copies
	path     string
	checksum string // of the outlet
	log      *slog.Logger
	changed  chan struct{}
}

type copyHead struct {
	Checksum string            `json:"settings"`
	Modified time.Time         `json:"modified"`
	Dated    bool              `json:"dated"`
	Until    time.Time         `json:"until"`
	Shown    []feed.Impression `json:"shown"`
}

// newLastGood returns the copy for o, or nil if there is no directory.
func newLastGood(o *outlet) *lastGood {
	if o.copies.dir == "" {
		return nil
	}
	return &lastGood{
		all: o.copies, path: filepath.Join(o.copies.dir, o.name+copySuffix), checksum: o.checksum,
		log: o.opts.Logger.With("feed", o.name), changed: make(chan struct{}, 1),
	}
}

// run writes the current document after each change, until ctx ends.
func (l *lastGood) run(ctx context.Context, current func() *rendered) {
	if l == nil {
		return
	}
	var written *rendered
	removals, failed := 0, false
	for ended := false; !ended; {
		select {
		case <-l.changed:
		case <-ctx.Done():
			ended = true
		}
		doc := current()
		held, removed := l.all.state()
		if doc == nil || held || doc == written && removals == removed {
			continue
		}
		err := l.save(doc)
		if errors.Is(err, errHeld) {
			continue
		}
		if written, removals = doc, removed; err != nil && !failed {
			l.log.Error("last good copy not written: a start while the store is unavailable would serve an older one", "err", err)
		}
		failed = err != nil
		retry.Await(ctx, nil, copyPause)
	}
}

// wake makes run look at the current document.
func (l *lastGood) wake() {
	if l != nil {
		retry.Wake(l.changed)
	}
}

func (l *lastGood) save(doc *rendered) error {
	l.all.mu.RLock()
	defer l.all.mu.RUnlock()
	if l.all.held > 0 {
		return errHeld
	}
	head, err := json.Marshal(copyHead{l.checksum, doc.Modified, doc.Dated, doc.until, doc.shown})
	if err != nil {
		return err
	}
	content := slices.Concat(head, []byte("\n"), doc.Body())
	if err := os.MkdirAll(filepath.Dir(l.path), 0o700); err != nil {
		return err
	}
	temporary := l.path + ".new"
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
	if err := os.Rename(temporary, l.path); err != nil {
		return err
	}
	return journal.SyncDir(filepath.Dir(l.path))
}

// load returns the document, or nil if there is none that can be served.
func (l *lastGood) load(m document.Meta) *rendered {
	if l == nil {
		return nil
	}
	content, err := os.ReadFile(l.path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	var head copyHead
	var body []byte
	if err == nil {
		head, body, err = parseCopy(content)
	}
	switch {
	case err != nil:
		l.log.Error("last good copy not used", "file", l.path, "err", err)
		return nil
	case head.Checksum != l.checksum:
		l.log.Warn("last good copy not used: the settings of the feed have changed since", "file", l.path)
		return nil
	}
	l.log.Info("last good copy read", "articles", len(head.Shown), "modified", head.Modified)
	return &rendered{Document: document.Restore(body, m, head.Modified, head.Dated), until: head.Until, shown: head.Shown}
}

func parseCopy(content []byte) (head copyHead, body []byte, err error) {
	sum, content, _ := bytes.Cut(content, []byte("\n"))
	if string(sum) != fmt.Sprintf("%x", sha256.Sum256(content)) {
		return head, nil, errors.New("checksum mismatch")
	}
	line, body, _ := bytes.Cut(content, []byte("\n"))
	err = json.Unmarshal(line, &head)
	return head, body, err
}

// removeCopies deletes the copies of feeds that are no longer served.
func (p *Publisher) removeCopies() {
	if err := p.copies.remove(func(name string) bool { return p.outlet(name) == nil }); err != nil {
		p.opts.Logger.Warn("copies of removed feeds not deleted", "err", err)
	}
}
