package readers

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// tagList serves tag/list.
func tagList(w http.ResponseWriter, c *call) error {
	tags, known := []object{{"id": statePrefix + starred}}, make(map[string]bool)
	for i := range c.follows {
		if name := label(&c.follows[i]); !known[name] {
			known[name] = true
			tags = append(tags, object{"id": labelPrefix + name, "type": "folder"})
		}
	}
	return reply(w, object{"tags": tags})
}

// subscriptionList serves subscription/list.
func (rs *Readers) subscriptionList(w http.ResponseWriter, c *call) error {
	abouts, err := rs.aboutSources(c.Context(), c.follows)
	if err != nil {
		return err
	}
	all := make([]object, len(c.follows))
	for i := range c.follows {
		f := &c.follows[i]
		about := abouts[f.FeedURL]
		all[i] = object{
			"id": streamID(f.FeedURL), "title": f.Named(about.Title).Name, "url": f.FeedURL, "htmlUrl": about.Link, "iconUrl": "",
			"categories": []object{{"id": labelPrefix + label(f), "label": label(f)}},
		}
	}
	return reply(w, object{"subscriptions": all})
}

// unreadCount serves unread-count.
func (rs *Readers) unreadCount(w http.ResponseWriter, c *call) error {
	counts, err := rs.store.UnreadCounts(c.Context(), c.user)
	if err != nil {
		return err
	}
	newest := strconv.FormatInt(rs.web.Now().UnixMicro(), 10)
	all, unread := []object{}, unreadOf(c.follows, counts)
	add := func(id string, n int) {
		all = append(all, object{"id": id, "count": n, "newestItemTimestampUsec": newest})
	}
	for _, s := range unread.Sources {
		add(streamID(s.FeedURL), s.Unread)
	}
	for _, folder := range unread.Folders {
		add(labelPrefix+cmp.Or(folder.Name, uncategorized), folder.Unread)
	}
	add(statePrefix+readingList, unread.Unread)
	return reply(w, object{"max": unread.Unread, "unreadcounts": all})
}

// quickAdd serves subscription/quickadd.
func (rs *Readers) quickAdd(w http.ResponseWriter, c *call) error {
	web.NothingChanged(c.Request)
	address := strings.TrimPrefix(c.Get("quickadd"), "feed/")
	f, _, err := rs.followURL(c.Request, address, feed.FollowChange{})
	if err != nil {
		return err
	}
	return reply(w, object{"numResults": 1, "query": address, "streamId": streamID(f.FeedURL), "streamName": f.Name})
}

// importSubscriptions serves subscription/import.
func (rs *Readers) importSubscriptions(w http.ResponseWriter, c *call) error {
	all, err := rs.importOPML(c.Request)
	if err == nil {
		plain(w, "OK: "+strconv.Itoa(all.Done))
	}
	return err
}

// editSubscription serves subscription/edit: subscribe, unsubscribe or edit, with title t, label a to add, and label r to remove.
func (rs *Readers) editSubscription(c *call) error {
	web.NothingChanged(c.Request)
	for _, stream := range c.Values["s"] {
		if err := rs.editOne(c, stream); err != nil {
			return err
		}
	}
	return nil
}

func (rs *Readers) editOne(c *call, stream string) error {
	f := c.followOf(stream)
	var change feed.FollowChange
	if c.Has("t") {
		title := c.Get("t")
		change.Title = &title
	}
	if added := labelsOf(c.Values["a"]); len(added) > 0 {
		change.Folder = &added[0]
	} else if removed := labelsOf(c.Values["r"]); f != nil && slices.Contains(removed, f.Folder) {
		change.Folder = new(string)
	}
	switch action := c.Get("ac"); {
	case action == "subscribe" && f == nil:
		_, _, err := rs.followURL(c.Request, strings.TrimPrefix(stream, "feed/"), change)
		return err
	case f == nil && action == "unsubscribe":
		return nil
	case f == nil:
		return feed.Invalid("s", "the account does not follow it")
	case action == "unsubscribe":
		return rs.store.Unfollow(c.Context(), c.user, f.FeedURL)
	case action == "edit", action == "subscribe":
		_, err := rs.store.ChangeFollow(c.Context(), c.user, f.FeedURL, change)
		return err
	}
	return feed.Invalid("ac", "use subscribe, unsubscribe or edit")
}

// labelsOf returns the folders of tags that are labels.
func labelsOf(tags []string) (folders []string) {
	for _, name := range tags {
		if folder, ok := strings.CutPrefix(tag(name), labelPrefix); ok && folder != uncategorized {
			folders = append(folders, folder)
		} else if ok {
			folders = append(folders, "")
		}
	}
	return folders
}

// renameTag serves rename-tag.
func (rs *Readers) renameTag(c *call) error { return rs.moveLabel(c, labelsOf(c.Values["dest"])) }

// disableTag serves disable-tag.
func (rs *Readers) disableTag(c *call) error { return rs.moveLabel(c, []string{""}) }

// moveLabel moves the follows of a label into a folder.
func (rs *Readers) moveLabel(c *call, to []string) error {
	from, ok := strings.CutPrefix(tag(c.Get("s")), labelPrefix)
	if c.Get("s") == "" && c.Get("t") != "" {
		from, ok = c.Get("t"), true
	}
	if !ok || len(to) != 1 {
		return feed.Invalid("s", "name a label")
	}
	for _, f := range c.inLabel(from) {
		if _, err := rs.store.ChangeFollow(c.Context(), c.user, f.FeedURL, feed.FollowChange{Folder: &to[0]}); err != nil {
			return err
		}
	}
	return nil
}
