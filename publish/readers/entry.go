package readers

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// entryPage is the data of entry.html.
type entryPage struct {
	web.Frame
	Row      row
	Followed bool // the visitor follows its source
	Files    []file
	Next     string // path of the next entry of the timeline; empty: there is none
}

// file is an enclosure.
type file struct{ feed.Enclosure }

// Name returns what the file is called.
func (f file) Name() string {
	return cmp.Or(f.Title, f.URL[strings.LastIndexByte(strings.TrimRight(f.URL, "/"), '/')+1:], f.URL)
}

// Details returns type, size and duration, as far as they are known.
func (f file) Details() string {
	all := []string{f.MediaType()}
	if f.Length > 0 {
		all = append(all, fmt.Sprintf("%.1f MB", float64(f.Length)/1e6))
	}
	if f.Duration > 0 {
		all = append(all, web.Length(time.Duration(f.Duration)*time.Second))
	}
	return strings.Join(all, ", ")
}

// showEntry serves GET /read/entries/{n} to visitors who may see the entry or have saved it.
func (rs *Readers) showEntry(w http.ResponseWriter, r *http.Request) error {
	n := r.PathValue("n")
	if len(n) > 19 || strings.Trim(n, "0123456789") != "" {
		return fmt.Errorf("entry %.32q %w", n, feed.ErrNotFound)
	}
	e, err := rs.store.Entry(r.Context(), "Entry:"+n)
	if err != nil {
		return err
	}
	v := web.VisitorOf(r)
	name, followed, err := rs.nameOf(r.Context(), v.Account.ID, e.FeedURL)
	if err != nil {
		return err
	}
	marked, err := rs.store.ForReader(r.Context(), v.Account.ID, []feed.Entry{e})
	switch {
	case err != nil:
		return err
	case !maySee(&v, &marked[0], followed):
		return fmt.Errorf("entry %s of a source that you do not follow %w", n, feed.ErrNotFound)
	}
	scores, err := rs.store.Scores(r.Context(), v.Account.ID, []string{e.ID})
	if err != nil {
		return err
	}
	page := entryPage{Row: rs.rowOf(v.Account.ID, marked[0], name, scores[e.ID]), Followed: followed}
	page.Title, page.Row.Text = page.Row.Name(), rs.prose.Text(&e)
	for _, f := range e.Enclosures() {
		if !f.Is("image") || !strings.Contains(e.Content, f.URL) {
			page.Files = append(page.Files, file{f})
		}
	}
	if followed {
		if r.Method == http.MethodGet { // who opens an entry has read it
			if err := rs.store.MarkEntries(r.Context(), v.Account.ID, []string{e.ID}, feed.StateRead); err != nil {
				return err
			}
		}
		next, err := rs.store.Timeline(r.Context(), v.Account.ID, feed.Cursor{Score: float64(e.Timestamp.Unix()), Member: n}, 1)
		if err != nil {
			return err
		}
		if len(next.Entries) > 0 {
			page.Next = "/read/entries/" + next.Entries[0].Number()
		}
	}
	prepare(w, v.Account.ID)
	return rs.web.Render(w, r, "entry.html", &page)
}

// maySee reports whether a visitor may see an entry of a source that the account follows or not, with what the account has done with it. An
// entry that has expired is there only for those who saved it, and one that a moderator hid only for its author.
func maySee(v *feed.Visitor, e *feed.ReaderEntry, followed bool) bool {
	return (e.Saved || !e.Expired) && e.ShownTo(v.Account.ID) && v.MaySee(e.FeedURL, followed || e.Saved)
}

// nameOf returns what a source is called for an account, and whether the account follows it.
func (rs *Readers) nameOf(ctx context.Context, user int64, feedURL string) (name string, followed bool, err error) {
	var follows []feed.Follow
	if user != 0 {
		follows, err = rs.store.Follows(ctx, user)
	}
	if err != nil {
		return "", false, err
	}
	f := feed.Follow{FeedURL: feedURL}
	if i := slices.IndexFunc(follows, func(f feed.Follow) bool { return f.FeedURL == feedURL }); i >= 0 {
		f, followed = follows[i], true
	}
	abouts, err := rs.aboutSources(ctx, []feed.Follow{f})
	return f.Named(abouts[feedURL].Title).Name, followed, err
}
