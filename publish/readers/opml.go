package readers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// export serves GET /api/v1/me/opml: the follows as a file.
func (rs *Readers) export(w http.ResponseWriter, r *http.Request) error {
	account, err := web.AccountOf(r, rs.store.Account)
	if err != nil {
		return err
	}
	follows, err := rs.follows(r.Context(), account.ID)
	if err != nil {
		return err
	}
	rs.web.Download(w, "text/x-opml; charset=utf-8", "follows.opml", func(w io.Writer) error {
		return rs.opts.WriteOPML(w, account.Name, follows)
	})
	return nil
}

// importTime is how long a request follows sources. An account can follow feed.MaxFollows, and each can take milliseconds.
const importTime = 10 * time.Second

// importOPML serves POST /api/v1/me/opml. A file that takes longer than importTime is continued by the same request again, which passes
// over what is followed.
func (rs *Readers) importOPML(r *http.Request) (all web.Bulk, err error) {
	web.NothingChanged(r)
	user, err := rs.account(r)
	if err != nil {
		return all, err
	}
	body, err := web.ReadBody(r)
	if err != nil {
		return all, err
	}
	all.Items = []web.BulkItem{}
	err = rs.followAll(r, user, body, r.Header.Get("Content-Type"), "body", func(url string, status int, err error) {
		rs.web.Add(&all, r, web.BulkItem{ID: url, Status: status}, err)
	})
	return all, err
}

// followAll follows each source of a file, and calls done with the status or the error of each: errImportTime if importTime ended before.
// Existing follows do not change. feed.ErrInvalid: the file cannot be read; it names a field.
func (rs *Readers) followAll(
	r *http.Request, user int64, file []byte, contentType, field string, done func(url string, status int, err error),
) error {
	list, err := rs.opts.ReadOPML(file, contentType)
	if err == nil && len(list) > feed.MaxFollows {
		err = fmt.Errorf("it lists %d sources, and an account can follow %d", len(list), feed.MaxFollows)
	}
	if err != nil {
		return feed.Invalid(field, err.Error())
	}
	follows, err := rs.store.Follows(r.Context(), user)
	if err != nil {
		return err
	}
	followed, err := rs.aboutSources(r.Context(), follows)
	if err != nil {
		return err
	}
	defer rs.web.DropCopies(user)
	end := rs.web.Now().Add(importTime)
	for i := range list {
		status, err := rs.followListed(r, user, &list[i], followed, end)
		if errors.Is(err, feed.ErrUnavailable) || errors.Is(err, context.Canceled) {
			return err
		}
		done(list[i].Source.URL, status, err)
	}
	return nil
}

var errImportTime = &feed.QuotaError{
	Reason: fmt.Sprintf("a request follows sources for %.0f seconds; import the file again to continue", importTime.Seconds()), Wait: time.Second,
}

// followListed follows a source of a file until end, and returns the status of that. Sources that do not exist are added, by visitors
// without the scope sources as many as POST /api/v1/me/follows adds for them.
func (rs *Readers) followListed(
	r *http.Request, user int64, listed *feed.ListedSource, followed map[string]feed.About, end time.Time,
) (status int, err error) {
	if listed.Problem != "" {
		return 0, feed.Invalid("url", listed.Problem)
	}
	if _, ok := followed[listed.Source.URL]; ok {
		return http.StatusOK, nil
	}
	if !rs.web.Now().Before(end) {
		return 0, errImportTime
	}
	source, err := rs.known(r.Context(), listed.Source.URL)
	if errors.Is(err, feed.ErrNotFound) {
		if err := rs.store.MayFollow(r.Context(), user); err != nil {
			return 0, err
		}
		if v := web.VisitorOf(r); !v.May(feed.ScopeSources) {
			if err := rs.store.CountFetch(r.Context(), user); err != nil {
				return 0, err
			}
		}
		source, err = rs.add(r, listed.Source.URL)
	}
	if err != nil {
		return 0, err
	}
	f := feed.Follow{FeedURL: source.URL, Muted: listed.Muted}
	if title := web.Cut(listed.Source.About.Title, feed.MaxFollowText); title != source.About.Title {
		f.Title = title
	}
	f.Folder = web.Cut(cmp.Or(append([]string{listed.Folder}, listed.Source.Categories...)...), feed.MaxFollowText)
	created, err := rs.follow(r, user, &source, f)
	if created {
		return http.StatusCreated, err
	}
	return http.StatusOK, err
}
