package readers

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

const (
	longID      = "tag:google.com,2005:reader/item/"
	maxContents = 1000 // entries with content in an answer
)

// parseItemID returns the number of an entry from an id: the long form with or without zeros, 16 hexadecimal digits, or decimal.
func parseItemID(id string) (number string, ok bool) {
	hex, isLong := strings.CutPrefix(id, longID)
	base := 10
	if isLong || len(hex) == 16 {
		base = 16
	}
	n, err := strconv.ParseInt(hex, base, 64)
	return strconv.FormatInt(n, 10), err == nil && n > 0
}

// itemEntries returns the ids of the entries that a call names.
func itemEntries(c *call) []string {
	ids := make([]string, 0, len(c.Values["i"]))
	for _, id := range c.Values["i"] {
		if n, ok := parseItemID(id); ok {
			ids = append(ids, "Entry:"+n)
		}
	}
	return ids
}

// itemIDs serves stream/items/ids.
func (rs *Readers) itemIDs(w http.ResponseWriter, c *call) error {
	web.NothingChanged(c.Request)
	page, err := rs.readStream(c, c.Get("s"), maxIDs)
	if err != nil {
		return err
	}
	refs := make([]object, len(page.places))
	for i, p := range page.places {
		refs[i] = object{"id": p.Member, "directStreamIds": []string{}, "timestampUsec": strconv.FormatInt(int64(p.Score)*1e6, 10)}
	}
	answer := object{"itemRefs": refs}
	if !page.next.IsZero() {
		answer["continuation"] = continuation(page.next)
	}
	return reply(w, answer)
}

// streamContents serves stream/contents/<stream> and stream/contents?s=.
func (rs *Readers) streamContents(w http.ResponseWriter, c *call) error {
	web.NothingChanged(c.Request)
	stream := cmp.Or(c.Get("s"), statePrefix+readingList)
	page, err := rs.readStream(c, stream, maxContents)
	if err != nil {
		return err
	}
	ids := make([]string, len(page.places))
	for i, p := range page.places {
		ids[i] = "Entry:" + p.Member
	}
	return rs.replyItems(w, c, stream, ids, page.next)
}

// itemContents serves stream/items/contents.
func (rs *Readers) itemContents(w http.ResponseWriter, c *call) error {
	web.NothingChanged(c.Request)
	ids := itemEntries(c)
	if len(ids) > maxContents {
		return feed.Invalid("i", fmt.Sprintf("name up to %d", maxContents))
	}
	return rs.replyItems(w, c, statePrefix+readingList, ids, feed.Cursor{})
}

// replyItems answers with entries that the user follows or has saved.
func (rs *Readers) replyItems(w http.ResponseWriter, c *call, stream string, ids []string, next feed.Cursor) error {
	items, err := rs.items(c, ids)
	if err != nil {
		return err
	}
	answer := object{"direction": "ltr", "id": stream, "title": "", "updated": rs.web.Now().Unix(), "items": items}
	if !next.IsZero() {
		answer["continuation"] = continuation(next)
	}
	return reply(w, answer)
}

// loadEntries returns entries with content and what the user has done with them, in the order of ids, without those that do not exist, and
// those that have expired and that others saved.
func (rs *Readers) loadEntries(c *call, ids []string) ([]feed.ReaderEntry, error) {
	found, err := rs.store.ContentsByID(c.Context(), ids)
	if err != nil {
		return nil, err
	}
	entries := make([]feed.Entry, 0, len(ids))
	for _, id := range ids {
		if e, ok := found[id]; ok {
			entries = append(entries, e)
		}
	}
	all, err := rs.store.ForReader(c.Context(), c.user, entries)
	return slices.DeleteFunc(all, func(e feed.ReaderEntry) bool { return e.Expired && !e.Saved || !e.ShownTo(c.user) }), err
}

// items returns entries that the user follows or has saved.
func (rs *Readers) items(c *call, ids []string) ([]item, error) {
	all, err := rs.loadEntries(c, ids)
	if err != nil {
		return nil, err
	}
	follows := make(map[string]*feed.Follow, len(c.follows))
	for i := range c.follows {
		follows[c.follows[i].FeedURL] = &c.follows[i]
	}
	sources := make(map[string]bool) // that are followed, of the entries
	for i := range all {
		if url := all[i].FeedURL; follows[url] != nil {
			sources[url] = true
		}
	}
	abouts, err := rs.store.TitlesByURL(c.Context(), slices.Collect(maps.Keys(sources)))
	items := make([]item, 0, len(all))
	for i := range all {
		e := &all[i]
		if f := follows[e.FeedURL]; f != nil || e.Saved {
			items = append(items, rs.item(e, f, abouts[e.FeedURL]))
		}
	}
	return items, err
}

// editTag serves edit-tag: a adds tags to entries i, and r removes them. Tags other than read, kept-unread and starred are ignored.
func (rs *Readers) editTag(c *call) error {
	ids := itemEntries(c)
	if len(ids) > maxIDs {
		return feed.Invalid("i", fmt.Sprintf("name up to %d", maxIDs))
	}
	defer rs.web.DropCopies(c.user)
	for _, edit := range []struct {
		tags []string
		add  bool
	}{{c.Values["r"], false}, {c.Values["a"], true}} {
		for _, name := range edit.tags {
			if err := rs.editOneTag(c, ids, strings.TrimPrefix(tag(name), statePrefix), edit.add); err != nil {
				return err
			}
		}
	}
	return nil
}

func (rs *Readers) editOneTag(c *call, ids []string, name string, add bool) error {
	switch {
	case name == read && add, name == keptUnread && !add:
		return rs.store.MarkEntries(c.Context(), c.user, ids, feed.StateRead)
	case name == read, name == keptUnread:
		return rs.store.MarkEntries(c.Context(), c.user, ids, feed.StateUnread)
	case name == starred:
		return rs.star(c, ids, add)
	}
	return nil
}

// star saves entries, or removes them from those that are saved. Entries that do not exist or that the user may not see are left out.
func (rs *Readers) star(c *call, ids []string, add bool) error {
	change := rs.store.RemoveSaved
	if add {
		change = rs.store.AddSaved
	}
	for some := range slices.Chunk(ids, maxContents) {
		if add {
			var err error
			if some, err = rs.visible(c.Request, c.user, some); err != nil {
				return err
			}
		}
		for _, id := range some {
			if err := change(c.Context(), c.user, id); err != nil && !errors.Is(err, feed.ErrNotFound) {
				return err
			}
		}
	}
	return nil
}

// markAllAsRead serves mark-all-as-read for a stream s, up to a time ts in seconds or microseconds.
func (rs *Readers) markAllAsRead(c *call) error {
	selected, isStarred, err := c.selection(c.Get("s"))
	upto, tsErr := c.upTo("ts", rs.web.Now())
	if err := cmp.Or(err, tsErr); err != nil {
		return err
	}
	if isStarred || selected.State != "" {
		return feed.Invalid("s", "use a feed, a label or reading-list")
	}
	defer rs.web.DropCopies(c.user)
	return rs.store.MarkSources(c.Context(), c.user, selected, upto)
}
