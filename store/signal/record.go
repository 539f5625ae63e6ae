package signal

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// signalsFrom returns the signals of records.
func signalsFrom(records []core.Record) []feed.Signal {
	if len(records) == 0 {
		return nil
	}
	all := make([]feed.Signal, 0, len(records))
	for _, r := range records {
		f := r.Fields
		one := feed.Signal{
			ID: r.ID, Kind: feed.SignalKind(f["kind"]), FeedURL: f["feed_url"], GUID: f["guid"], Entry: f["entry"],
			Digest: f["digest"], Time: feed.ParseTime(f["time"]),
		}
		if text := f["changed"]; text != "" {
			_ = json.Unmarshal([]byte(text), &one.Changed) // a damaged diff is left out
		}
		one.Unsignalled.Created, _ = strconv.Atoi(f["held_created"]) // absent: 0
		one.Unsignalled.Modified, _ = strconv.Atoi(f["held_modified"])
		all = append(all, one)
	}
	return all
}

// addPosts adds to each signal the post that it is about.
func addPosts(ctx context.Context, all []feed.Signal, load func(context.Context, []feed.EntryRef) ([]feed.Entry, error)) error {
	var refs []feed.EntryRef
	for i := range all {
		if all[i].Entry != "" {
			refs = append(refs, feed.EntryRef{FeedURL: all[i].FeedURL, ID: all[i].Entry})
		}
	}
	posts, err := load(ctx, refs)
	byID := make(map[string]*feed.Entry, len(posts))
	for i := range posts {
		byID[posts[i].ID] = &posts[i]
	}
	for i := range all {
		// After a failover that lost writes, an id may be given to another entry.
		if p := byID[all[i].Entry]; p != nil && p.GUID == all[i].GUID && p.FeedURL == all[i].FeedURL {
			all[i].Post = p
		}
	}
	return err
}
