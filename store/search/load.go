package search

import (
	"cmp"
	"context"

	"github.com/feedwire/feedwire/store/feed"
)

// load returns entries with their content by id, and learns the languages of their sources. Those that do not exist are left out.
func (x *Index) load(ctx context.Context, ids []string) (map[string]feed.Entry, error) {
	found, err := x.store.ContentsByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	var urls []string
	for _, e := range found {
		urls = append(urls, e.FeedURL)
	}
	return found, x.learn(ctx, urls...)
}

// learn reads the languages of sources that are not known yet.
func (x *Index) learn(ctx context.Context, urls ...string) error {
	var unknown []string
	for _, url := range urls {
		if _, known := x.tongues.LoadOrStore(url, unstemmed); !known {
			unknown = append(unknown, url)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	sources, err := x.store.SourcesByURL(ctx, unknown)
	if err != nil {
		for _, url := range unknown {
			x.tongues.Delete(url)
		}
		return err
	}
	for i := range sources {
		x.tongues.Store(sources[i].URL, languageOf(sources[i].About.Language))
	}
	return nil
}

// language returns the language of an entry, which its source may name.
func (x *Index) language(e *feed.Entry) string {
	if tag := e.Extra["language"]; tag != "" {
		return languageOf(tag)
	}
	known, _ := x.tongues.Load(e.FeedURL)
	language, _ := known.(string)
	return cmp.Or(language, unstemmed)
}
