package signal

import (
	"context"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

var signalFields = core.FieldsOf[feed.Signal]()

// signalsFrom returns the signals of records.
func signalsFrom(records []core.Record) []feed.Signal {
	if len(records) == 0 {
		return nil
	}
	all := make([]feed.Signal, 0, len(records))
	for _, r := range records {
		one := feed.Signal{ID: r.ID}
		signalFields.Read(r.Fields, &one)
		all = append(all, one)
	}
	return all
}

// addPosts adds to each signal the post that it is about. If the post was taken down, it removes what had changed in it.
func (s *Store) addPosts(ctx context.Context, all []feed.Signal, load func(context.Context, []feed.EntryRef) ([]feed.Entry, error)) error {
	var refs []feed.EntryRef
	for i := range all {
		if all[i].IsPost() {
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
	for i := range all {
		one := &all[i]
		if err != nil || one.Post != nil || one.GUID == "" || one.Changed == nil {
			continue
		}
		var gone bool
		if gone, err = s.posts.IsTakenDown(ctx, one.FeedURL, one.GUID); gone {
			one.Changed = nil
		}
	}
	return err
}
