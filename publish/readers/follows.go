package readers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// timeline serves GET /api/v1/me/feed.
func (rs *Readers) timeline(r *http.Request) (page feed.Page[feed.ReaderEntry], err error) {
	query := web.QueryOf(r)
	return rs.entries(r, query, func(ctx context.Context, user int64, after feed.Cursor, limit int) (found feed.TimelinePage, err error) {
		selected, err := rs.selection(ctx, user, query)
		if err != nil {
			return found, err
		}
		return rs.selected(ctx, user, query.Get("q"), selected, after, limit)
	})
}

// selected returns up to limit selected entries of the timeline after a cursor, those that a text selects if there is one.
func (rs *Readers) selected(
	ctx context.Context, user int64, text string, selected feed.Selection, after feed.Cursor, limit int,
) (feed.TimelinePage, error) {
	if strings.TrimSpace(text) != "" {
		return rs.search(ctx, user, text, selected, after, limit)
	}
	return rs.store.Select(ctx, user, selected, after, limit)
}

// entries returns the page that a query asks for of a list of entries of the account of a request.
func (rs *Readers) entries(
	r *http.Request, query *web.Query, read func(ctx context.Context, user int64, after feed.Cursor, limit int) (feed.TimelinePage, error),
) (page feed.Page[feed.ReaderEntry], err error) {
	limit := query.Limit()
	after, err := feed.ParseTimelineCursor(query.Get("cursor"))
	if err = cmp.Or(query.Err, err); err != nil {
		return page, err
	}
	user, err := rs.account(r)
	if err != nil {
		return page, err
	}
	found, err := read(r.Context(), user, after, limit)
	if err != nil {
		return page, err
	}
	all, err := rs.store.ForReader(r.Context(), user, found.Entries)
	return web.List(all, feed.TimelineCursor(found.Next)), err
}

// list serves GET /api/v1/me/follows: follows by the URL of their source.
func (rs *Readers) list(r *http.Request) (page feed.Page[feed.NamedFollow], err error) {
	user, err := rs.account(r)
	if err != nil {
		return page, err
	}
	read := func(ctx context.Context) ([]feed.NamedFollow, error) { return rs.follows(ctx, user) }
	return web.Paged(read, func(f feed.NamedFollow) string { return f.FeedURL })(r)
}

// follows returns the follows of a user by the URL of their source.
func (rs *Readers) follows(ctx context.Context, user int64) ([]feed.NamedFollow, error) {
	all, err := rs.store.Follows(ctx, user)
	if err != nil {
		return nil, err
	}
	return rs.named(ctx, all)
}

// named returns follows with the names of their sources.
func (rs *Readers) named(ctx context.Context, follows []feed.Follow) ([]feed.NamedFollow, error) {
	abouts, err := rs.aboutSources(ctx, follows)
	all := make([]feed.NamedFollow, len(follows))
	for i, f := range follows {
		all[i] = f.Named(abouts[f.FeedURL].Title)
	}
	return all, err
}

// aboutSources returns the titles and links of the sources of follows by URL, without those of removed sources.
func (rs *Readers) aboutSources(ctx context.Context, follows []feed.Follow) (map[string]feed.About, error) {
	urls := make([]string, len(follows))
	for i := range follows {
		urls[i] = follows[i].FeedURL
	}
	return rs.store.TitlesByURL(ctx, urls)
}

// postFollow serves POST /api/v1/me/follows.
func (rs *Readers) postFollow(w http.ResponseWriter, r *http.Request) error {
	web.NothingChanged(r)
	var body struct {
		URL string `json:"url"`
		feed.FollowChange
	}
	if err := web.Decode(r, &body); err != nil {
		return err
	}
	f, created, err := rs.followURL(r, body.URL, body.FollowChange)
	return respond(w, &f, created, err)
}

// followURL follows the source with a URL, or adds the feed that is there as a source.
func (rs *Readers) followURL(r *http.Request, address string, change feed.FollowChange) (f feed.NamedFollow, created bool, err error) {
	user, err := rs.account(r)
	if err != nil {
		return f, false, err
	}
	if address = strings.TrimSpace(address); address == "" {
		return f, false, feed.Invalid("url", "required: the URL of a page or feed")
	}
	if _, err := change.Apply(feed.Follow{}); err != nil { // before anything is fetched
		return f, false, err
	}
	source, err := rs.sourceAt(r, user, address)
	if err != nil {
		return f, false, err
	}
	return rs.save(r, user, &source, change)
}

// sourceAt returns the source with a URL. If there is none, it adds the feed that the URL leads to as a source that is in no outgoing
// feed. A feed that cannot be read is not added.
func (rs *Readers) sourceAt(r *http.Request, user int64, address string) (feed.Source, error) {
	source, err := rs.known(r.Context(), address)
	if !errors.Is(err, feed.ErrNotFound) {
		return source, err
	}
	if err := rs.store.MayFollow(r.Context(), user); err != nil { // before a source is added for nothing
		return source, err
	}
	if err := rs.store.CountFetch(r.Context(), user); err != nil {
		return source, err
	}
	found, err := rs.opts.Discover(r.Context(), address)
	switch {
	case err != nil:
		return source, feed.Invalid("url", err.Error())
	case len(found) == 0:
		return source, feed.Invalid("url", "no feed found; enter the address of the feed itself, or of a page that links to it")
	}
	first := found[0]
	source, err = rs.known(r.Context(), first.URL)
	if !errors.Is(err, feed.ErrNotFound) {
		return source, err
	}
	if first.Found == feed.FoundPage || first.Found == feed.FoundHeader { // Discover has not fetched it
		if _, err := rs.opts.Peek(r.Context(), first.URL); err != nil {
			return source, feed.Invalid("url", fmt.Sprintf("the page links to %s: %v", first.URL, err))
		}
	}
	return rs.add(r, first.URL)
}

// add adds a source that is in no outgoing feed.
func (rs *Readers) add(r *http.Request, url string) (feed.Source, error) {
	source, created, err := rs.store.AddSource(r.Context(), feed.Source{URL: url, Publish: feed.PublishManual, Added: rs.web.Now()})
	if created {
		rs.web.Logger.Info("source added by a follow", "source", source.URL)
		web.AlsoChanged(r, feed.SourceObject(&source), "", "followed")
	}
	return source, err
}

// known returns the source with a URL. feed.ErrNotFound: there is none.
func (rs *Readers) known(ctx context.Context, address string) (feed.Source, error) {
	if !feed.IsLocal(address) && !strings.Contains(address, "://") {
		address = "https://" + address
	}
	url, err := feed.SourceURL(address)
	if err != nil {
		return feed.Source{}, feed.Invalid("url", err.Error())
	}
	source, err := rs.store.Source(ctx, feed.SourceID(url))
	if errors.Is(err, feed.ErrNotFound) && feed.IsLocal(url) {
		err = feed.Invalid("url", "there is no such source")
	}
	return source, err
}

// getFollow serves GET /api/v1/me/follows/{id}.
func (rs *Readers) getFollow(r *http.Request) (f feed.NamedFollow, err error) {
	user, err := rs.account(r)
	if err != nil {
		return f, err
	}
	follow, err := rs.followOf(r.Context(), user, r.PathValue("id"))
	if err == nil && follow.FeedURL == "" {
		err = feed.ErrNotFound
	}
	if err != nil {
		return f, err
	}
	named, err := rs.named(r.Context(), []feed.Follow{follow})
	if err != nil {
		return f, err
	}
	return named[0], nil
}

// putFollow serves PUT /api/v1/me/follows/{id}. With If-Match it only changes a follow that exists.
func (rs *Readers) putFollow(w http.ResponseWriter, r *http.Request) error {
	var change feed.FollowChange
	if err := web.Decode(r, &change); err != nil {
		return err
	}
	f, created, err := rs.followSource(r, change, web.HasCondition(r))
	return respond(w, &f, created, err)
}

// followSource changes the follow of the source of the path. If there is none, it follows the source, or returns feed.ErrChanged if the
// follow must exist.
func (rs *Readers) followSource(r *http.Request, change feed.FollowChange, mustExist bool) (f feed.NamedFollow, created bool, err error) {
	user, err := rs.account(r)
	if err != nil {
		return f, false, err
	}
	id, err := feed.ParseSourceID(r.PathValue("id"))
	if err != nil {
		return f, false, err
	}
	source, err := rs.store.Source(r.Context(), id)
	if err != nil {
		return f, false, err
	}
	if mustExist {
		follow, err := rs.followOf(r.Context(), user, id)
		if err == nil && follow.FeedURL == "" {
			err = fmt.Errorf("source %s is not followed: %w", id, feed.ErrChanged)
		}
		if err != nil {
			return f, false, err
		}
	}
	return rs.save(r, user, &source, change)
}

// save follows a source, changes the follow, and returns it.
func (rs *Readers) save(
	r *http.Request, user int64, source *feed.Source, change feed.FollowChange,
) (f feed.NamedFollow, created bool, err error) {
	follow, err := change.Apply(feed.Follow{FeedURL: source.URL})
	if err == nil {
		defer rs.web.DropCopies(user)
		created, err = rs.follow(r, user, source, follow)
	}
	if err == nil {
		follow, err = rs.store.ChangeFollow(r.Context(), user, source.URL, change)
	}
	return follow.Named(source.About.Title), created, err
}

// follow makes a user follow a source, if the visitor may follow it, and reports whether the user did not before.
func (rs *Readers) follow(r *http.Request, user int64, source *feed.Source, f feed.Follow) (created bool, err error) {
	if v := web.VisitorOf(r); !v.MayFollow(source, false) {
		followed, err := rs.followOf(r.Context(), user, source.ID)
		if err != nil || followed.FeedURL != "" {
			return false, err
		}
		defaults, err := rs.store.DefaultFollows(r.Context())
		if err != nil {
			return false, err
		}
		if !v.MayFollow(source, slices.Contains(defaults, source.URL)) {
			return false, fmt.Errorf("source %s %w: it is fetched with credentials; members can follow it if an editor adds it to the default follows",
				source.ID, feed.ErrUnusable)
		}
	}
	return rs.store.Follow(r.Context(), user, f)
}

// respond responds with a follow.
func respond(w http.ResponseWriter, f *feed.NamedFollow, created bool, err error) error {
	switch {
	case err != nil:
		return err
	case created:
		w.Header().Set("Location", "/api/v1/me/follows/"+f.ID)
		web.JSON(w, http.StatusCreated, f)
	default:
		web.JSON(w, http.StatusOK, f)
	}
	return nil
}

// unfollow serves DELETE /api/v1/me/follows/{id}.
func (rs *Readers) unfollow(r *http.Request) error {
	_, err := rs.endFollow(r)
	return err
}

// endFollow ends the follow of the source of the path, and returns it; the zero Follow: there was none. A source that was removed can be
// unfollowed, too.
func (rs *Readers) endFollow(r *http.Request) (f feed.Follow, err error) {
	user, err := rs.account(r)
	if err != nil {
		return f, err
	}
	f, err = rs.followOf(r.Context(), user, r.PathValue("id"))
	if err != nil || f.FeedURL == "" {
		return f, err
	}
	defer rs.web.DropCopies(user)
	return f, rs.store.Unfollow(r.Context(), user, f.FeedURL)
}

// followOf returns the follow of a source that is named by id or URL; the zero Follow: there is none.
func (rs *Readers) followOf(ctx context.Context, user int64, name string) (feed.Follow, error) {
	id, err := feed.ParseSourceID(name)
	if err != nil {
		return feed.Follow{}, err
	}
	follows, err := rs.store.Follows(ctx, user)
	i := slices.IndexFunc(follows, func(f feed.Follow) bool { return feed.SourceID(f.FeedURL) == id })
	if err != nil || i < 0 {
		return feed.Follow{}, err
	}
	return follows[i], nil
}
