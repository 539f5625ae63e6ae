package entry

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// SaveEntry creates an entry, or modifies the entry with its ID, and appends the signal. It sets e.ID. This is post.save() of seed
// 001. A new entry that is hidden has no signal until ShowEntry. feed.ErrExists: another entry has the guid; feed.ErrNotFound: there is no entry with the ID, or no such local source.
func (s *Store) SaveEntry(ctx context.Context, e *feed.Entry) error {
	return s.SaveSeenEntry(ctx, e, "")
}

// SaveSeenEntry is SaveEntry that modifies the entry only if it has the digest seen; "": any. feed.ErrChanged: it has another one.
func (s *Store) SaveSeenEntry(ctx context.Context, e *feed.Entry, seen string) error {
	if err := e.Validate(); err != nil {
		return err
	}
	d := newDraft(e)
	switch {
	case e.ID == "":
		if _, err := s.EntryByGUID(ctx, e.FeedURL, e.GUID); err == nil {
			return fmt.Errorf("save entry %s of %s: %w", e.GUID, e.FeedURL, feed.ErrExists)
		}
		if d.flag = flagNew; e.Hidden {
			d.flag = flagHeld
		}
	case seen != "":
		d.flag = flagSeen + seen
	}
	_, id, err := s.writeByHand(ctx, e.FeedURL, d)
	if err != nil {
		return err
	}
	e.ID = id
	return nil
}

// writeByHand writes the entry of a person or a program. A local source must exist, because it may be removed at the same time.
func (s *Store) writeByHand(ctx context.Context, feedURL string, d draft) (feed.Saved, string, error) {
	b := batch{feedURL: feedURL}
	if feed.IsLocal(feedURL) {
		b.token = tokenOfAny
	}
	saved, id, err := s.write(ctx, b, []draft{d})
	if errors.Is(err, feed.ErrLeaseLost) {
		err = fmt.Errorf("source %s: %w", feedURL, feed.ErrNotFound)
	}
	return saved, id, err
}

// DeleteEntry deletes an entry. The source creates it again if it still lists it.
// feed.ErrNotFound: there is no entry with the ID.
func (s *Store) DeleteEntry(ctx context.Context, id string) error {
	e, err := s.Entry(ctx, id)
	if err != nil {
		return err
	}
	k := s.of(e.FeedURL)
	_, err = s.db.Run(ctx, s.scripts["delete_entry"], []any{k.entry(id), k.sort(), k.guidmap(), k.alias()}, []any{id})
	return core.Wrap(err, "delete %s", id)
}

// UpdateOrCreateEntry changes fields of the entry with a guid, or creates it. Fields are named as in the hash; the value "" removes
// a field. It returns the entry and whether it is new.
func (s *Store) UpdateOrCreateEntry(ctx context.Context, feedURL, guid string, fields map[string]string) (feed.Entry, bool, error) {
	stored, err := s.EntryByGUID(ctx, feedURL, guid)
	if err != nil && !errors.Is(err, feed.ErrNotFound) {
		return feed.Entry{}, false, err
	}
	merged := stored.Fields()
	maps.Copy(merged, fields)
	merged["feed_url"], merged["guid"] = feedURL, guid
	if fields["author"] != "" && fields["authors"] == "" {
		delete(merged, "authors") // it lists the previous authors
	}
	maps.DeleteFunc(merged, func(_, v string) bool { return v == "" })
	e := feed.EntryFromFields(stored.ID, merged)
	if err := e.Validate(); err != nil {
		return feed.Entry{}, false, err
	}
	saved, id, err := s.writeByHand(ctx, feedURL, newDraft(&e))
	if err != nil {
		return feed.Entry{}, false, err
	}
	e.ID = id
	return e, saved.Created > 0, nil
}
