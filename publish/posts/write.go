package posts

import (
	"context"
	"errors"
	"fmt"
	"html"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// postLiteral serves POST /posts.
func (ps *Posts) postLiteral(w http.ResponseWriter, r *http.Request) error {
	e, err := ps.create(r)
	if err == nil {
		w.Header().Set("Location", "/posts/"+e.Number())
		web.JSON(w, http.StatusCreated, postOf(&e, feed.Score{}, nil))
	}
	return err
}

// postEntry serves POST /api/v1/me/posts.
func (ps *Posts) postEntry(w http.ResponseWriter, r *http.Request) error {
	e, err := ps.create(r)
	if err == nil {
		w.Header().Set("Location", "/api/v1/me/posts/"+e.Number())
		web.JSON(w, http.StatusCreated, e)
	}
	return err
}

// create creates the post of a request.
func (ps *Posts) create(r *http.Request) (e feed.Entry, err error) {
	author, err := web.AccountOf(r, ps.store.Account)
	if err != nil {
		return e, err
	}
	most := ps.opts.PerDay()
	if most == 0 {
		return e, fmt.Errorf("posts are %w: posts.per_day of the configuration is 0", feed.ErrForbidden)
	}
	count := sync.OnceValue(func() error { return ps.store.CountPost(r.Context(), author.ID, most) })
	draft, err := draftOf(r, func(upload []byte) (feed.Enclosure, error) {
		if err := count(); err != nil {
			return feed.Enclosure{}, err
		}
		return ps.opts.Save(r.Context(), author.ID, upload)
	})
	if err == nil {
		err = count()
	}
	if err != nil {
		return e, err
	}
	defer ps.web.DropCopies(author.ID)
	files := make([]feed.Enclosure, len(draft.Media))
	for i, m := range draft.Media {
		if files[i] = (feed.Enclosure{URL: m.url, Type: "image"}); m.stored != nil {
			files[i] = *m.stored
		}
		if slices.ContainsFunc(files[:i], func(f feed.Enclosure) bool { return f.URL == files[i].URL }) {
			return e, feed.Invalid(fmt.Sprintf("media.%d", i), "this image is repeated")
		}
	}
	if err := ps.AddSource(r.Context(), author); err != nil {
		return e, err
	}
	if e, err = ps.opts.Create(r, entryOf(author, draft.Caption, files)); err != nil {
		return e, err
	}
	return e, ps.store.UpdatePost(r.Context(), author.ID, e.ID)
}

// AddSource adds the source of the posts of an author with the first of them. Its author follows it: own posts are in the own timeline.
func (ps *Posts) AddSource(ctx context.Context, author feed.Account) error {
	address := feed.MemberURL(author.ID)
	if _, err := ps.store.Source(ctx, feed.SourceID(address)); !errors.Is(err, feed.ErrNotFound) {
		return err
	}
	if _, err := ps.store.Follow(ctx, author.ID, feed.Follow{FeedURL: address}); err != nil && !errors.Is(err, feed.ErrConflict) {
		return err
	}
	source := feed.Source{URL: address, Publish: feed.PublishManual, Added: ps.web.Now(), About: feed.About{Title: author.Name}}
	_, _, err := ps.store.AddSource(ctx, source)
	return err
}

// entryOf returns a post as an entry without a guid.
func entryOf(author feed.Account, caption string, files []feed.Enclosure) feed.Entry {
	e := feed.Entry{FeedURL: feed.MemberURL(author.ID), Title: caption, Authors: []string{author.Name}}
	var content strings.Builder
	for _, f := range files {
		fmt.Fprintf(&content, `<figure><img src="%s" alt=""></figure>`, html.EscapeString(f.URL))
	}
	e.Content = content.String()
	e.Set(feed.FieldEnclosures, feed.EncodeList(files))
	return e
}

// remove serves DELETE /posts/{post} and DELETE /api/v1/me/posts/{post}.
func (ps *Posts) remove(r *http.Request) error {
	author, e, err := ps.own(r)
	if err != nil {
		return err
	}
	defer ps.web.DropCopies(author.ID)
	if err := ps.opts.Remove(r, &e); err != nil {
		return err
	}
	return ps.store.UpdatePost(r.Context(), author.ID, e.ID)
}
