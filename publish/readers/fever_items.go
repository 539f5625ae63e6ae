package readers

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// maxFeverItems bounds the entries of an answer. Apps read on until there are fewer.
const maxFeverItems = 50

// feverItems adds up to 50 entries: those with_ids; those after since_id, oldest first; or those before max_id, newest first. The order is
// that of their ids.
func (rs *Readers) feverItems(c *feverCall, answer object) error {
	since, sinceErr := c.number("since_id", 0)
	before, beforeErr := c.number("max_id", 0)
	if err := cmp.Or(sinceErr, beforeErr); err != nil {
		return err
	}
	ids, err := rs.feverIDsOf(c, feed.Selection{})
	if err != nil {
		return err
	}
	answer["total_items"] = len(ids)
	switch {
	case c.Has("with_ids"):
		ids = parseIDs(c.Get("with_ids"))
	case c.Has("since_id"):
		i, _ := slices.BinarySearch(ids, since+1)
		ids = ids[i:]
	default:
		if before > 0 {
			i, _ := slices.BinarySearch(ids, before)
			ids = ids[:i]
		}
		slices.Reverse(ids)
	}
	answer["items"], err = rs.feverEntries(c, ids[:min(len(ids), maxFeverItems)])
	return err
}

// feverIDsOf returns the ids of selected entries of the timeline in ascending order.
func (rs *Readers) feverIDsOf(c *feverCall, selected feed.Selection) ([]int64, error) {
	places, err := rs.wholeStream(&c.call, selected, 0, 0)
	ids := make([]int64, len(places))
	for i := range places {
		ids[i], _ = strconv.ParseInt(places[i].Member, 10, 64) // it is the number of an entry
	}
	slices.Sort(ids)
	return ids, err
}

// parseIDs returns the ids of a list, each once. It leaves out what is no id.
func parseIDs(list string) (ids []int64) {
	seen := make(map[int64]bool)
	for text := range strings.SplitSeq(list, ",") {
		if id, err := strconv.ParseInt(text, 10, 64); err == nil && id > 0 && !seen[id] {
			ids, seen[id] = append(ids, id), true
		}
	}
	return ids
}

// joinIDs returns a list of ids.
func joinIDs(ids []int64) string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = strconv.FormatInt(id, 10)
	}
	return strings.Join(texts, ",")
}

// feverEntries returns the entries with some ids, without those of feeds that the user does not follow: apps fail if an entry is of
// none of the feeds.
func (rs *Readers) feverEntries(c *feverCall, ids []int64) ([]object, error) {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = entryID(strconv.FormatInt(id, 10))
	}
	entries, err := rs.loadEntries(&c.call, names)
	items := make([]object, 0, len(entries))
	for i := range entries {
		e := &entries[i]
		source, followed := c.feeds[e.FeedURL]
		if !followed {
			continue
		}
		id, _ := strconv.ParseInt(e.Number(), 10, 64) // ids of the store have numbers
		items = append(items, object{
			"id": id, "feed_id": source, "title": e.Title, "author": strings.Join(e.Authors, ", "), "html": rs.prose.Clean(&e.Entry), "url": e.Link,
			"is_saved": bit(e.Saved), "is_read": bit(e.Read), "created_on_time": publishedAt(&e.Entry).Unix(),
		})
	}
	return items, err
}

// bit returns 1 if b is true, else 0.
func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// feverUnread adds the ids of unread entries.
func (rs *Readers) feverUnread(c *feverCall, answer object) error {
	ids, err := rs.feverIDsOf(c, feed.Selection{State: feed.StateUnread})
	answer["unread_item_ids"] = joinIDs(ids)
	return err
}

// feverSaved adds the ids of saved entries of feeds that the user follows.
func (rs *Readers) feverSaved(c *feverCall, answer object) error {
	found, err := rs.store.Saved(c.Context(), c.user, feed.Cursor{}, feed.MaxSaved)
	var ids []string
	for i := range found.Entries {
		if _, followed := c.feeds[found.Entries[i].FeedURL]; followed {
			ids = append(ids, found.Entries[i].Number())
		}
	}
	answer["saved_item_ids"] = strings.Join(ids, ",")
	return err
}

// feverMark marks an entry as read, unread, saved or unsaved, or the entries of a feed or group up to a time as read. Entries, feeds and
// groups that do not exist are ignored, because apps repeat what failed.
func (rs *Readers) feverMark(c *feverCall, _ object) error {
	id, err := strconv.ParseInt(c.Get("id"), 10, 64)
	if err != nil {
		return feed.Invalid("id", "use a whole number")
	}
	before, err := c.upTo("before", rs.web.Now())
	if err != nil {
		return err
	}
	defer rs.web.DropCopies(c.user)
	entry := []string{entryID(strconv.FormatInt(id, 10))}
	switch c.Get("mark") + " " + c.Get("as") {
	case "item read":
		return rs.store.MarkEntries(c.Context(), c.user, entry, feed.StateRead)
	case "item unread":
		return rs.store.MarkEntries(c.Context(), c.user, entry, feed.StateUnread)
	case "item saved":
		return rs.star(&c.call, entry, true)
	case "item unsaved":
		return rs.star(&c.call, entry, false)
	case "feed read", "group read":
		if selected, ok := c.selected(c.Get("mark"), id); ok {
			return rs.store.MarkSources(c.Context(), c.user, selected, before)
		}
		return nil
	}
	return feed.Invalid("mark", "use item as read, unread, saved or unsaved, or feed or group as read")
}

// selected returns what the id of a feed or group selects.
func (c *feverCall) selected(what string, id int64) (selected feed.Selection, ok bool) {
	if what == "group" && id == everything {
		return selected, true
	}
	for i := range c.follows {
		f := &c.follows[i]
		switch {
		case what == "feed" && c.feeds[f.FeedURL] == id:
			return feed.Selection{FeedURL: f.FeedURL}, true
		case what == "group" && c.groups[label(f)] == id:
			return feed.Selection{Folder: &f.Folder}, true
		}
	}
	return selected, false
}
