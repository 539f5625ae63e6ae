package store

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// maxListReads bounds how often PublicEntries reads places for one page: they may be of entries that no one may see.
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
		var found []feed.Entry
		if found, after, more, err = s.ListedEntries(ctx, list, after, limit-len(page.Entries)); err != nil {
			return page, err
		}
		if err := s.addPublic(ctx, &page, found); err != nil {
			return page, core.Wrap(err, "list %s", list)
		}
	}
	return page, nil
}

// ListedEntries reads up to limit places of a list after a cursor. It returns the entries at these places that exist, best first and without
// content, the cursor of the last place, and whether more follow. A list of submissions has those that everyone sees. feed.ErrNotFound: there
// is no such list; feed.ErrUnavailable: it is a saved search, and the index does not have all entries.
func (s *Store) ListedEntries(ctx context.Context, list string, after feed.Cursor, limit int) (all []feed.Entry, last feed.Cursor, more bool, err error) {
	about, err := s.Rankings.List(ctx, list)
	if err != nil {
		return nil, after, false, err
	}
	if about.Kind == feed.ListSearch {
		return s.searched(ctx, &about, after, limit)
	}
	places, more, err := s.listPlaces(ctx, list, after, limit)
	if err != nil || len(places) == 0 {
		return nil, after, more, err
	}
	ids := make([]string, len(places))
	for i, p := range places {
		ids[i] = "Entry:" + p.Member
	}
	found, err := s.Entries.HeadlinesByID(ctx, ids)
	if err != nil {
		return nil, after, more, core.Wrap(err, "list %s", list)
	}
	if _, news := s.newsOrder(list); news {
		public, err := s.Community.PublicNews(ctx, ids)
		if err != nil {
			return nil, after, more, err
		}
		maps.DeleteFunc(found, func(id string, _ feed.Entry) bool { return !public[id] })
	}
	for _, id := range ids {
		if e, exists := found[id]; exists {
			all = append(all, e)
		}
	}
	return all, places[len(places)-1], more, nil
}

// searched is ListedEntries of a saved search. While the index is being built it would take entries out of feeds, and put them in again as new.
func (s *Store) searched(ctx context.Context, list *feed.EntryList, after feed.Cursor, limit int) (all []feed.Entry, last feed.Cursor, more bool, err error) {
	if s.search == nil {
		return nil, after, false, fmt.Errorf("list %s: search.enabled of the configuration is false: %w", list.Name, feed.ErrUnavailable)
	}
	wanted, err := feed.ParseSearch(list.Query)
	if err != nil {
		return nil, after, false, core.Wrap(err, "list %s", list.Name)
	}
	found, err := s.search(ctx, &wanted, func(e *feed.Entry) bool { return !e.Hidden }, after, limit)
	if err == nil && found.Incomplete {
		err = fmt.Errorf("the index of the search is being built: %w", feed.ErrUnavailable)
	}
	for _, hit := range found.Hits {
		all = append(all, hit.Entry)
	}
	return all, found.Next, !found.Next.IsZero(), core.Wrap(err, "list %s", list.Name)
}

// listPlaces returns up to limit entries of a list of any noun after a cursor.
func (s *Store) listPlaces(ctx context.Context, list string, after feed.Cursor, limit int) ([]feed.Cursor, bool, error) {
	if order, news := s.newsOrder(list); news {
		return s.Community.NewsPlaces(ctx, order, after, limit)
	}
	return s.Rankings.ListPlaces(ctx, list, after, limit)
}

// newsOrder returns the order of a list of submissions, and whether there is such a list.
func (s *Store) newsOrder(list string) (feed.NewsOrder, bool) {
	orders := map[string]feed.NewsOrder{feed.ListNewsTop: feed.NewsTop, feed.ListNewsLatest: feed.NewsLatest}
	return orders[list], orders[list] != "" && s.db.Options().Community
}

// addPublic adds those of some entries to a page that anyone may see.
func (s *Store) addPublic(ctx context.Context, page *feed.ListPage, found []feed.Entry) error {
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
	for _, e := range found {
		if source := page.Sources[e.FeedURL]; source.URL != "" && !source.Private() {
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
