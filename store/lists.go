package store

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// maxListReads bounds how often PublicEntries reads places for one page: they may be of entries that nobody may see.
const maxListReads = 5

// PublicEntries returns up to limit entries of a list after a cursor, best first and without content: those that anyone may see, because
// their source exists and is fetched without credentials. A page may have fewer entries although the list continues at Next.
// feed.ErrNotFound: there is no such list.
func (s *Store) PublicEntries(ctx context.Context, list string, after feed.Cursor, limit int) (page feed.ListPage, err error) {
	if page.List, err = s.Rankings.List(ctx, list); err != nil {
		return page, err
	}
	page.Sources = make(map[string]feed.Source)
	for read, more := 0, true; more; read++ {
		if len(page.Entries) == limit || read == maxListReads {
			page.Next = after
			return page, nil
		}
		var places []feed.Cursor
		if places, more, err = s.Rankings.ListPlaces(ctx, list, after, limit-len(page.Entries)); err != nil {
			return page, err
		}
		if len(places) > 0 {
			after = places[len(places)-1]
		}
		if err := s.addPublic(ctx, &page, places); err != nil {
			return page, core.Wrap(err, "list %s", list)
		}
	}
	return page, nil
}

// addPublic adds the entries at places to a page that anyone may see.
func (s *Store) addPublic(ctx context.Context, page *feed.ListPage, places []feed.Cursor) error {
	ids := make([]string, len(places))
	for i, p := range places {
		ids[i] = "Entry:" + p.Member
	}
	found, err := s.Entries.HeadlinesByID(ctx, ids)
	if err != nil {
		return err
	}
	var urls []string
	for _, e := range found {
		if _, known := page.Sources[e.FeedURL]; !known {
			urls = append(urls, e.FeedURL)
			page.Sources[e.FeedURL] = feed.Source{}
		}
	}
	sources, err := s.Sources.SourcesByURL(ctx, urls)
	if err != nil {
		return err
	}
	for _, source := range sources {
		page.Sources[source.URL] = source
	}
	for _, id := range ids {
		e, exists := found[id]
		if source := page.Sources[e.FeedURL]; exists && source.URL != "" && !source.Private() {
			page.Entries = append(page.Entries, e)
		}
	}
	return nil
}

// ListEntries returns the first entries of a list that anyone may see, with content. See PublicEntries.
func (s *Store) ListEntries(ctx context.Context, list string, limit int) (feed.ListPage, error) {
	page, err := s.PublicEntries(ctx, list, feed.Cursor{}, limit)
	if err != nil {
		return page, err
	}
	page.Entries, err = s.Entries.LoadEntries(ctx, feed.RefsOf(page.Entries))
	return page, core.Wrap(err, "list %s", list)
}

// ListVersion returns a text that changes with everything that ListEntries returns of the entries, and with what the list and their sources are called.
// feed.ErrNotFound: there is no such list.
func (s *Store) ListVersion(ctx context.Context, list string, limit int) (string, error) {
	page, err := s.PublicEntries(ctx, list, feed.Cursor{}, limit)
	if err != nil {
		return "", err
	}
	versions, err := s.db.Pipeline(ctx, "ranking", func(b *core.Batch) {
		for _, ref := range feed.RefsOf(page.Entries) {
			s.Entries.QueryVersion(b, ref)
		}
	})
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q ", page.List.Title, page.List.Description)
	for i := range page.Entries {
		e := &page.Entries[i]
		about := page.Sources[e.FeedURL].About
		fmt.Fprintf(sum, "%q %q %q ", e.ID, about.Title, about.Link)
	}
	fmt.Fprintf(sum, "%q", versions)
	return base64.RawURLEncoding.EncodeToString(sum.Sum(nil)[:16]), core.Wrap(err, "version of list %s", list)
}
