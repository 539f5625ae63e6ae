package community

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// submitted is the response to a submission.
type submitted struct {
	feed.News
	Duplicate bool `json:"duplicate,omitempty"` // it is an earlier submission of the URL
}

// submit serves POST /api/v1/submissions.
func (c *Community) submit(w http.ResponseWriter, r *http.Request) error {
	author, err := c.account(r)
	if err != nil {
		return err
	}
	var s feed.Submission
	if err := web.Decode(r, &s); err != nil {
		return err
	}
	n, duplicate, err := c.Submit(r, &author, &s)
	if err != nil {
		return err
	}
	status := http.StatusCreated
	if duplicate {
		status = http.StatusOK
	}
	w.Header().Set("Location", fmt.Sprint("/api/v1/submissions/", n.ID))
	web.JSON(w, status, submitted{n, duplicate})
	return nil
}

// Submit submits s for an account, or returns the earlier submission of its URL.
func (c *Community) Submit(r *http.Request, author *feed.Account, s *feed.Submission) (n feed.News, duplicate bool, err error) {
	ctx, admin := r.Context(), author.Role == feed.RoleAdmin
	if err := s.Check(); err != nil {
		return n, false, err
	}
	if err := c.mayWrite(author, s); err != nil {
		return n, false, err
	}
	if err := c.store.MaySubmit(ctx, author.ID, s, admin); err != nil {
		return c.first(r, author, err)
	}
	if err := c.count(r, author, feed.LimitedSubmissions); err != nil {
		return n, false, err
	}
	if err := c.opts.AddSource(ctx, *author); err != nil {
		return n, false, err
	}
	defer c.web.DropCopies(author.ID)
	e := feed.Entry{FeedURL: feed.MemberURL(author.ID), Authors: []string{author.Name}, Hidden: c.holds(author)}
	write(&e, s)
	if e, err = c.opts.Create(r, e); err != nil {
		return n, false, err
	}
	if !e.Hidden { // otherwise with its signal
		if err := c.store.UpdatePost(ctx, author.ID, e.ID); err != nil {
			return n, false, err
		}
	}
	if err := c.store.Submit(ctx, &e, s, admin); err != nil {
		return c.undo(r, author, &e, err)
	}
	n, err = c.read(r, author, numberOf(&e))
	if err == nil {
		err = c.save(r, author.ID, &e)
	}
	return n, false, err
}

// holds reports whether submissions of an account wait for a moderator now.
func (c *Community) holds(a *feed.Account) bool {
	limits := c.opts.NewAccounts()
	return c.opts.Review().Holds(a, &limits, c.web.Now())
}

// write sets the parts of an entry that follow from a submission.
func write(e *feed.Entry, s *feed.Submission) {
	e.Title, e.Link, e.Content = s.Title, s.URL, string(markup(s.Text))
}

// undo takes down an entry that did not become a submission, because another request was faster.
func (c *Community) undo(r *http.Request, author *feed.Account, e *feed.Entry, reason error) (feed.News, bool, error) {
	if errors.Is(reason, feed.ErrUnavailable) {
		return feed.News{}, false, reason // it may be one
	}
	if err := c.takeDown(r, author.ID, e); err != nil {
		return feed.News{}, false, err
	}
	return c.first(r, author, reason)
}

// takeDown takes down the entry of a submission. It is a no-op if that is done.
func (c *Community) takeDown(r *http.Request, author int64, e *feed.Entry) error {
	id := e.ID
	if err := c.opts.Remove(r, e); err != nil && !errors.Is(err, feed.ErrNotFound) {
		return err
	}
	return c.store.UpdatePost(r.Context(), author, id)
}

// first returns the earlier submission that an error names.
func (c *Community) first(r *http.Request, reader *feed.Account, err error) (n feed.News, duplicate bool, _ error) {
	earlier, ok := errors.AsType[*feed.DuplicateError](err)
	if !ok {
		return n, false, err
	}
	n, err = c.read(r, reader, earlier.First)
	return n, true, err
}

// save saves the entry of a submission for a member, unless the member has saved too many, or it was taken down meanwhile.
func (c *Community) save(r *http.Request, user int64, e *feed.Entry) error {
	err := c.store.AddSaved(r.Context(), user, e.ID)
	if errors.Is(err, feed.ErrConflict) || errors.Is(err, feed.ErrNotFound) {
		return nil
	}
	return err
}

// edit serves PUT /api/v1/submissions/{n}.
func (c *Community) edit(r *http.Request) (n feed.News, err error) {
	var s feed.Submission
	editor, err := c.account(r)
	if err != nil {
		return n, err
	}
	if err := web.Decode(r, &s); err != nil {
		return n, err
	}
	before, err := c.inPath(r, &editor)
	if err != nil {
		return n, err
	}
	return c.replace(r, &editor, &before, &s)
}

// replace changes a submission to s. If it then waits for a moderator, its entry is hidden before it changes.
func (c *Community) replace(r *http.Request, editor *feed.Account, before *feed.News, s *feed.Submission) (n feed.News, err error) {
	if err := s.Check(); err != nil {
		return n, err
	}
	if err := c.mayWrite(editor, s); err != nil {
		return n, err
	}
	hold := c.holds(editor)
	if err := c.store.EditNews(r.Context(), before.ID, editor.ID, moderates(r, editor), s, hold); err != nil {
		return n, err
	}
	if hold {
		if err := c.store.HideEntry(r.Context(), feed.EntryRef{FeedURL: feed.MemberURL(before.AuthorID), ID: before.EntryID()}); err != nil {
			return n, err
		}
	}
	defer c.web.DropCopies(before.AuthorID)
	if err := c.opts.Edit(r, before.EntryID(), func(e *feed.Entry) { write(e, s) }); err != nil {
		return n, err
	}
	return c.read(r, editor, before.ID)
}

// remove serves DELETE /api/v1/submissions/{n}.
func (c *Community) remove(r *http.Request) error {
	editor, err := c.account(r)
	if err != nil {
		return err
	}
	n, err := c.inPath(r, &editor)
	if err != nil {
		return err
	}
	return c.delete(r, &editor, &n)
}

// delete deletes a submission, and takes its entry down if a member wrote it.
func (c *Community) delete(r *http.Request, editor *feed.Account, n *feed.News) error {
	if err := c.store.DeleteNews(r.Context(), n.ID, editor.ID, moderates(r, editor)); err != nil {
		return err
	}
	if n.Source != "" { // its entry stays
		return nil
	}
	defer c.web.DropCopies(n.AuthorID)
	return c.takeDown(r, n.AuthorID, &feed.Entry{ID: n.EntryID()})
}

func numberOf(e *feed.Entry) int64 {
	n, _ := strconv.ParseInt(e.Number(), 10, 64) // a stored entry has one
	return n
}
