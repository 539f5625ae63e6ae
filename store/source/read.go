package source

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// Source returns the source with an id, with its last polls. feed.ErrNotFound: there is none.
func (s *Store) Source(ctx context.Context, id string) (feed.Source, error) {
	url, err := s.SourceURL(ctx, id)
	if err != nil {
		return feed.Source{}, err
	}
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) { s.QuerySource(b, url) })
	if err != nil {
		return feed.Source{}, core.Wrap(err, "read source %s", id)
	}
	return s.ReadSource(id, url, &r)
}

// QuerySource adds the commands that read a source with its last polls.
func (s *Store) QuerySource(b *core.Batch, url string) {
	s.queryHashes(b, url)
	b.Add("LRANGE", s.of(url).polls(), 0, feed.MaxPolls-1)
}

// ReadSource takes the replies to the commands of QuerySource. feed.ErrNotFound: there is no such source.
func (s *Store) ReadSource(id, url string, r *core.Replies) (feed.Source, error) {
	var source feed.Source
	exists, err := s.readHashes(&source, url, r, make(map[string]string))
	if err == nil && !exists {
		err = core.Wrap(feed.ErrNotFound, "source %s", id)
	}
	polls := r.Next()
	lines, failed := redis.Strings(polls, nil)
	if _, damaged := polls.(redis.Error); damaged && !isDamaged(&source) {
		setDamaged(&source, &core.DamageError{
			TypedKey: core.TypedKey{Key: s.of(url).polls(), Type: "list"}, Found: "value of another type",
		})
	} else if failed != nil && !damaged {
		err = cmp.Or(err, failed)
	}
	for _, line := range lines {
		source.Polls = append(source.Polls, pollFromLine(line))
	}
	return source, err
}

// SourceURL returns the URL of a source. It caches URLs, so the source may have been removed. feed.ErrNotFound: there is no such
// source.
func (s *Store) SourceURL(ctx context.Context, id string) (string, error) {
	if url, ok := s.urls.Load(id); ok {
		return url.(string), nil
	}
	return s.storedURL(ctx, id)
}

// storedURL returns the URL of a source that exists. It sends one command if the URL is cached.
func (s *Store) storedURL(ctx context.Context, id string) (string, error) {
	likely := s.db.Sources()[0]
	if url, ok := s.urls.Load(id); ok {
		likely = s.db.Source(url.(string))
	}
	url, err := core.OptionalString(s.db.Find(ctx, group, likely, func(k core.Keyspace) []any {
		return []any{"HGET", keys{Keyspace: k}.feeds(), id}
	}))
	if err = core.Unless(url != "", err, feed.ErrNotFound); err != nil {
		return "", core.Wrap(err, "source %s", id)
	}
	s.urls.Store(id, url)
	return url, nil
}

// sortedURLs returns the URLs of all sources.
func (s *Store) sortedURLs(ctx context.Context) ([]string, error) {
	r, err := s.db.QueryAll(ctx, group, func(k core.Keyspace) []any { return []any{"HVALS", keys{Keyspace: k}.feeds()} })
	var all []string
	for len(r) > 0 {
		all = append(all, r.Texts()...)
	}
	slices.Sort(all)
	return all, core.Wrap(err, "list sources")
}

// SourceByURL returns the source with a canonical URL. feed.ErrNotFound: there is none.
func (s *Store) SourceByURL(ctx context.Context, url string) (feed.Source, error) {
	all, err := s.SourcesByURL(ctx, []string{url})
	if err = core.Unless(len(all) > 0, err, feed.ErrNotFound); err != nil {
		return feed.Source{}, core.Wrap(err, "source %s", url)
	}
	return all[0], nil
}

// Sources returns all sources by URL.
func (s *Store) Sources(ctx context.Context) ([]feed.Source, error) {
	urls, err := s.sortedURLs(ctx)
	if err != nil {
		return nil, err
	}
	return s.SourcesByURL(ctx, urls)
}

// SourcesPage returns up to limit sources with URLs after a URL ("" for the first page), and the URL after which the next page
// begins; empty: this is the last page.
func (s *Store) SourcesPage(ctx context.Context, after string, limit int) ([]feed.Source, string, error) {
	urls, err := s.sortedURLs(ctx)
	if err != nil {
		return nil, "", err
	}
	first, found := slices.BinarySearch(urls, after)
	if found {
		first++
	}
	urls, next := urls[first:], ""
	if len(urls) > limit {
		urls, next = urls[:limit], urls[limit-1]
	}
	all, err := s.SourcesByURL(ctx, urls)
	return all, next, err
}

// EachSource calls f with every source, by URL. It holds only some of them in memory.
func (s *Store) EachSource(ctx context.Context, f func(*feed.Source)) error {
	urls, err := s.sortedURLs(ctx)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(urls, loadSize) {
		sources, err := s.SourcesByURL(ctx, some)
		if err != nil {
			return err
		}
		for i := range sources {
			f(&sources[i])
		}
	}
	return nil
}

// loadSize limits the sources that one pipeline reads: a reply takes several times the memory of a feed.Source.
const loadSize = 200

// SourcesByURL returns the sources with canonical URLs, without their polls. It leaves out sources that do not exist.
func (s *Store) SourcesByURL(ctx context.Context, urls []string) ([]feed.Source, error) {
	all := make([]feed.Source, len(urls))
	if err := s.loadInto(ctx, urls, func(i int) *feed.Source { return &all[i] }); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(src feed.Source) bool { return src.ID == "" }), nil
}

// TitlesByURL returns the names, as titles, and the links of sources with canonical URLs, by URL. It leaves out sources that do not exist or are damaged.
func (s *Store) TitlesByURL(ctx context.Context, urls []string) (map[string]feed.About, error) {
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.ReturnDamage()
		for _, url := range urls {
			s.QueryTitle(b, url)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("read titles of sources: %w", err)
	}
	all := make(map[string]feed.About, len(urls))
	for _, url := range urls {
		if about, ok := s.ReadTitle(&r); ok {
			all[url] = about
		}
	}
	return all, nil
}

// QueryTitle adds the command that reads title and link of a source with a canonical URL.
func (s *Store) QueryTitle(b *core.Batch, url string) {
	b.Add("HMGET", s.of(url).meta(), "added", "title", "link", "name")
}

// ReadTitle takes the reply to the command of QueryTitle; false if the source does not exist or is damaged.
func (s *Store) ReadTitle(r *core.Replies) (feed.About, bool) {
	if fields := r.Texts(); len(fields) == 4 && fields[0] != "" {
		return feed.About{Title: cmp.Or(fields[3], fields[1]), Link: fields[2]}, true
	}
	return feed.About{}, false
}

// loadInto reads the source of urls[i] into the zero source at(i), without its polls. A source that does not exist stays zero.
func (s *Store) loadInto(ctx context.Context, urls []string, at func(i int) *feed.Source) error {
	hash, i := make(map[string]string, 64), 0 // reused: a claim reads many sources
	for some := range slices.Chunk(urls, loadSize) {
		replies, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
			for _, url := range some {
				s.queryHashes(b, url)
			}
		})
		if err != nil {
			return fmt.Errorf("read sources: %w", err)
		}
		for _, url := range some {
			if _, err := s.readHashes(at(i), url, &replies, hash); err != nil {
				return err
			}
			i++
		}
	}
	return nil
}

func (s *Store) queryHashes(b *core.Batch, url string) {
	k := s.of(url)
	b.ReturnDamage()
	b.Add("HGETALL", k.meta())
	b.Add("HGETALL", k.push())
}

// readHashes reads the replies to the commands of queryHashes into a zero source, which stays zero if it does not exist. If a hash is
// damaged, the source has the state that says so, and as many fields as can be read. It overwrites hash.
func (s *Store) readHashes(src *feed.Source, url string, r *core.Replies, hash map[string]string) (exists bool, err error) {
	k, meta, push := s.of(url), r.Next(), r.Next()
	if _, damaged := meta.(redis.Error); damaged {
		src.ID, src.URL = feed.SourceID(url), url
		setDamaged(src, damagedHash(k.meta()))
		return true, nil
	}
	if err := core.ReadHash(hash, meta); err != nil {
		return false, fmt.Errorf("read source %s: %w", url, err)
	}
	if len(hash) == 0 {
		return false, nil
	}
	readSource(src, url, hash)
	if _, damaged := push.(redis.Error); damaged {
		setDamaged(src, damagedHash(k.push()))
		return true, nil
	}
	if err := core.ReadHash(hash, push); err != nil {
		return true, fmt.Errorf("read the subscription of %s: %w", url, err)
	}
	if len(hash) > 0 {
		src.Push = callbackFrom(url, hash).Push
	}
	return true, nil
}

// damagedHash is the error about a key that is not a hash.
func damagedHash(key string) error {
	return &core.DamageError{TypedKey: core.TypedKey{Key: key, Type: "hash"}, Found: "value of another type"}
}

// QuerySourceVersion adds the command that reads which state of a source its republished feed depends on. The reply is a list; its
// first element is empty if there is no such source.
func (s *Store) QuerySourceVersion(b *core.Batch, url string) {
	b.Add("HMGET", s.of(url).meta(), "added", "title", "description", "link", "language", "username", "password", "headers",
		"feed_authors", "feed_categories", "feed_image", "feed_icon", "feed_rights", "feed_owner", "feed_owner_email", "feed_type", "feed_explicit",
		"feed_persons")
}
