package intake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// updateArticles creates or refreshes the articles that a signal is about, and publishes the article of a signalled entry
// if a rule says so. It caches in sources what it reads.
func (in *Intake) updateArticles(ctx context.Context, s *feed.Signal, sources map[string]feed.Source) (outcome, error) {
	if s.Kind == feed.PostDeleted {
		return in.removeArticle(ctx, s)
	}
	if s.Post == nil && s.Unsignalled.IsZero() { // a feed signal, or the entry no longer exists
		return outcomeIgnored, nil
	}
	source, cached := sources[s.FeedURL]
	if !cached {
		var err error
		source, err = in.store.SourceByURL(ctx, s.FeedURL)
		switch {
		case errors.Is(err, feed.ErrNotFound): // removed
			return outcomeIgnored, nil
		case err != nil:
			return "", fmt.Errorf("find source %s: %w", s.FeedURL, err)
		}
		sources[s.FeedURL] = source
	}
	feeds := *in.destinations.Load()
	if !take(feeds, &source) {
		return outcomeIgnored, nil
	}
	if s.Post == nil {
		return in.saveUnsignalled(ctx, feeds, s, &source)
	}
	return in.saveAndPublish(ctx, feeds, s, &source)
}

// removeArticle removes the article of an entry that was taken down, unless an entry with its guid was written since.
func (in *Intake) removeArticle(ctx context.Context, s *feed.Signal) (outcome, error) {
	gone, err := in.store.IsTakenDown(ctx, s.FeedURL, s.GUID)
	if err != nil || !gone {
		return outcomeIgnored, err
	}
	return outcomeRemoved, in.store.RemoveArticle(ctx, feed.ArticleUUID(s.FeedURL, s.GUID))
}

// saveAndPublish saves the article of a signalled entry and applies the publishing rule of every feed. Feeds that do not take
// the source are included: an editor may have published the article there, and then an edit is republished.
func (in *Intake) saveAndPublish(ctx context.Context, feeds []destination, s *feed.Signal, source *feed.Source) (outcome, error) {
	article, err := in.save(ctx, feeds, s, source, s.Post)
	if err != nil || article == nil {
		return outcomeIgnored, err
	}
	for i := range feeds {
		to := &feeds[i]
		mode := cmp.Or(to.Publish, source.Publish) // the setting of the feed has precedence
		publishNew := to.selects(source, s.Post) && mode == feed.PublishAuto
		if err := in.publish(ctx, article, to, publishNew); err != nil {
			return "", err
		}
	}
	return outcomeArticle, nil
}

// publish publishes an article in a feed by rule, if it is due.
func (in *Intake) publish(ctx context.Context, article *feed.Article, to *destination, publishNew bool) error {
	done, err := in.store.AutoPublish(ctx, article.UUID, to.Type, article.Digest, publishNew)
	if err != nil {
		return fmt.Errorf("publish article %s in %s: %w", article.UUID, to.Type, err)
	}
	if done.Changed {
		in.opts.OnTransition(to.Type, done.From, done.To)
		in.opts.Logger.Info("article published by rule",
			"article", article.UUID, "feed", to.Type, "source", article.FeedURL, "revision", done.Revision)
	}
	return nil
}

// maxUnsignalled bounds how many entries are read for one signal: as many as a document can hold by default.
const maxUnsignalled = 2000

// saveUnsignalled saves the articles of entries that changed without signals of their own. It publishes none of them: they are
// old news.
func (in *Intake) saveUnsignalled(ctx context.Context, feeds []destination, s *feed.Signal, source *feed.Source) (outcome, error) {
	entries, err := in.store.Entries(ctx, s.FeedURL, maxUnsignalled)
	if err != nil {
		return "", fmt.Errorf("read entries of %s: %w", s.FeedURL, err)
	}
	result := outcomeIgnored
	for i := range entries {
		if i%batchSize == batchSize-1 {
			in.behind(s.ID)
		}
		article, err := in.save(ctx, feeds, s, source, &entries[i])
		if err != nil && !errors.Is(err, feed.ErrInvalid) {
			return "", err
		}
		if article != nil {
			result = outcomeArticle
		}
	}
	return result, nil
}

// save saves the article of an entry and returns it. It returns nil if the entry does not become an article.
func (in *Intake) save(ctx context.Context, feeds []destination, s *feed.Signal, source *feed.Source, e *feed.Entry) (*feed.Article, error) {
	if wanted, err := in.wanted(ctx, feeds, source, e); err != nil || !wanted {
		return nil, err
	}
	return in.saveArticle(ctx, e, source, s.ID)
}

// saveArticle saves the article of an entry and returns it, or nil if the entry was taken down. signal is the id of the signal that told of
// the entry; empty: none did.
func (in *Intake) saveArticle(ctx context.Context, e *feed.Entry, source *feed.Source, signal string) (*feed.Article, error) {
	article := ArticleOf(e, source)
	article.Signal = signal
	if _, err := in.store.SaveArticle(ctx, article); err != nil {
		return nil, fmt.Errorf("save article %s: %w", article.UUID, err)
	}
	gone, err := in.store.IsTakenDown(ctx, e.FeedURL, e.GUID) // a takedown after this removes the article
	if err != nil || !gone {
		return &article, err
	}
	return nil, in.store.RemoveArticle(ctx, article.UUID)
}

// Reread refreshes the articles of a source whose entries a newer parser has read anew. It publishes none of them again.
func (in *Intake) Reread(ctx context.Context, feedURL string) error {
	source, err := in.store.SourceByURL(ctx, feedURL)
	if err != nil || !take(*in.destinations.Load(), &source) {
		return err
	}
	entries, err := in.store.Entries(ctx, feedURL, maxUnsignalled)
	if err != nil {
		return fmt.Errorf("read entries of %s: %w", feedURL, err)
	}
	for i := range entries {
		article := ArticleOf(&entries[i], &source)
		switch err := in.store.RefreshArticle(ctx, article, entries[i].Unread); {
		case errors.Is(err, feed.ErrUnavailable):
			return err
		case err != nil:
			in.opts.Logger.Error("article keeps its fields until its next edit", "article", article.UUID, "source", feedURL, "err", err)
		}
	}
	return nil
}

// wanted reports whether an entry becomes an article: if a feed selects it or it already is an article. An article that an
// editor published or promoted, or that a feed selected before an edit, is followed as long as take says so.
func (in *Intake) wanted(ctx context.Context, feeds []destination, source *feed.Source, e *feed.Entry) (bool, error) {
	if slices.ContainsFunc(feeds, func(d destination) bool { return d.selects(source, e) }) {
		return true, nil
	}
	uuid := feed.ArticleUUID(e.FeedURL, e.GUID)
	_, err := in.store.Article(ctx, uuid, nil)
	switch {
	case errors.Is(err, feed.ErrNotFound):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("find article %s: %w", uuid, err)
	}
	return true, nil
}

// ArticleOf makes the article of an entry. The entry's timestamp replaces missing dates, and its source its language: an outgoing
// feed may have several sources.
func ArticleOf(e *feed.Entry, source *feed.Source) feed.Article {
	fields := e.FieldValues()
	if language := cmp.Or(fields[feed.FieldLanguage], source.About.Language); language != "" {
		fields[feed.FieldLanguage] = language
	}
	return feed.Article{
		UUID: feed.ArticleUUID(e.FeedURL, e.GUID), FeedURL: e.FeedURL, GUID: e.GUID, Entry: e.ID,
		Title: e.Title, Canonical: canonical(e.Link), Authors: e.Authors, Summary: e.Summary, Content: e.Content,
		Categories: e.Categories(), Image: e.Image(), Enclosures: e.Enclosures(), Fields: fields,
		Digest: e.Digest(), DigestV1: e.DigestV1(), Published: cmp.Or(e.Published, e.Timestamp), Modified: cmp.Or(e.Updated, e.Timestamp),
	}
}

// canonical returns a link without its fragment and utm_ parameters. A link that cannot be parsed is returned unchanged.
func canonical(link string) string {
	u, err := url.Parse(link)
	if err != nil {
		return link
	}
	u.Fragment, u.RawFragment = "", ""
	parameters := slices.DeleteFunc(strings.Split(u.RawQuery, "&"), func(p string) bool {
		return len(p) >= 4 && strings.EqualFold(p[:4], "utm_")
	})
	u.RawQuery = strings.Join(parameters, "&")
	return cmp.Or(u.String(), link)
}
