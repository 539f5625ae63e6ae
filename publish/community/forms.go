package community

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// voteByForm serves POST /news/{n}/vote.
func (c *Community) voteByForm(r *http.Request) (next web.Next, err error) {
	voter, n, err := c.change(r, nil)
	if err != nil {
		return next, err
	}
	vote := feed.Vote(r.PostFormValue("vote"))
	before, err := c.cast(r, &voter, &n, vote)
	return web.Next{Page: c.opts.Mount.Path("/"), Did: counted(before, vote)}, err
}

// counted returns the notice about a vote.
func counted(before, vote feed.Vote) string {
	if before != feed.VoteNone && before != vote {
		return "voted-other"
	}
	return "counted"
}

// voteOnCommentByForm serves POST /comment/{n}/{comment}/vote.
func (c *Community) voteOnCommentByForm(r *http.Request) (next web.Next, err error) {
	voter, n, id, err := c.changeComment(r, nil)
	if err != nil {
		return next, err
	}
	vote := feed.Vote(r.PostFormValue("vote"))
	before, err := c.VoteOnComment(r, &voter, n.ID, id, vote)
	return c.after(&n, counted(before, vote), id), err
}

// after returns the page of a submission, at a comment unless that is 0.
func (c *Community) after(n *feed.News, did string, comment int64) web.Next {
	next := web.Next{Page: c.opts.Mount.Path(fmt.Sprint("/news/", n.ID)), Did: did}
	if comment != 0 {
		next.At = fmt.Sprint("c", comment)
	}
	return next
}

// saveByForm serves POST /news/{n}/save and /news/{n}/unsave.
func (c *Community) saveByForm(save bool) func(*http.Request) (web.Next, error) {
	return func(r *http.Request) (next web.Next, err error) {
		reader, n, err := c.change(r, nil)
		if err != nil {
			return next, err
		}
		defer c.web.DropCopies(reader.ID)
		if !save {
			return c.after(&n, "unsaved", 0), c.store.RemoveSaved(r.Context(), reader.ID, n.EntryID())
		}
		if _, err := c.entry(r.Context(), &n); err != nil {
			return next, err
		}
		return c.after(&n, "saved-news", 0), c.store.AddSaved(r.Context(), reader.ID, n.EntryID())
	}
}

// commentByForm serves POST /news/{n}/comments.
func (c *Community) commentByForm(r *http.Request) (next web.Next, err error) {
	author, n, err := c.change(r, nil)
	if err != nil {
		return next, err
	}
	parent := int64(feed.NoParent)
	if text := r.PostFormValue("parent_id"); text != "" {
		if parent, err = strconv.ParseInt(text, 10, 64); err != nil || parent <= 0 {
			return next, feed.Invalid("parent_id", "the comment that you reply to does not exist")
		}
	}
	id, err := c.AddComment(r, &author, n.ID, parent, lines(r.PostFormValue("body")))
	return c.after(&n, "commented", id), err
}

// lines returns the text of a form with the line ends of texts.
func lines(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// editCommentByForm serves POST /editcomment/{n}/{comment}.
func (c *Community) editCommentByForm(r *http.Request) (next web.Next, err error) {
	author, n, id, err := c.changeComment(r, nil)
	if err != nil {
		return next, err
	}
	body, err := c.CheckComment(&author, lines(r.PostFormValue("body")))
	if err != nil {
		return next, err
	}
	return c.after(&n, "edited", id), c.store.EditComment(r.Context(), n.ID, id, author.ID, body)
}

// deleteCommentByForm serves POST /comment/{n}/{comment}/delete.
func (c *Community) deleteCommentByForm(r *http.Request) (next web.Next, err error) {
	author, n, id, err := c.changeComment(r, nil)
	if err != nil {
		return next, err
	}
	return c.after(&n, "deleted", 0), c.store.DeleteComment(r.Context(), n.ID, id, author.ID, moderates(r, &author))
}

// submissionIn returns the submission in a form.
func submissionIn(r *http.Request) feed.Submission {
	return feed.Submission{Title: r.PostFormValue("title"), URL: r.PostFormValue("url"), Text: lines(r.PostFormValue("text"))}
}

// submitPage is the data of submit.html.
type submitPage struct {
	page
	Sent       feed.Submission
	TitleLimit int // characters
	TextLimit  int // characters
	Found      bool
}

// showSubmit serves GET /submit, and shows its form again after a problem. A bookmarklet sends title and URL.
func (c *Community) showSubmit(w http.ResponseWriter, r *http.Request) error {
	sent := submissionIn(r)
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		query := r.URL.Query()
		sent.Title, sent.URL = strings.TrimSpace(query.Get("t")), strings.TrimSpace(query.Get("u"))
	}
	return c.renderSubmit(w, r, sent, false)
}

func (c *Community) renderSubmit(w http.ResponseWriter, r *http.Request, sent feed.Submission, found bool) error {
	p, err := c.page(r, "Submit", "/submit")
	if err != nil {
		return err
	}
	p.Tab = "submit"
	return c.pages.Render(w, r, "submit.html", &submitPage{p, sent, feed.MaxNewsTitle, feed.MaxNewsText, found})
}

// submitByForm serves POST /submit. With the button fetch it fills in the title of the URL.
func (c *Community) submitByForm(w http.ResponseWriter, r *http.Request) error {
	author, err := c.account(r)
	if err != nil {
		return err
	}
	sent := submissionIn(r)
	if r.PostFormValue("fetch") != "" {
		if sent.Title, err = c.titleOf(r, author.ID, sent.URL); err != nil {
			return err
		}
		return c.renderSubmit(w, r, sent, true)
	}
	n, duplicate, err := c.Submit(r, &author, &sent)
	if err != nil {
		return err
	}
	did := "submitted"
	switch {
	case duplicate:
		did = "duplicate"
	case n.State == feed.Held:
		did = "held"
	}
	web.Redirect(w, r, c.after(&n, did, 0))
	return nil
}

// titleOf fetches the title of a URL for a member. A problem of the other site is a feed.ErrInvalid.
func (c *Community) titleOf(r *http.Request, user int64, address string) (string, error) {
	check := feed.Submission{Title: "-", URL: address}
	if err := check.Check(); err != nil {
		return "", err
	}
	if err := c.store.CountFetch(r.Context(), user); err != nil {
		return "", err
	}
	title, err := c.opts.Title(r.Context(), check.URL)
	if err != nil && !errors.Is(err, feed.ErrUnavailable) {
		return "", feed.Invalid("url", "the title could not be read from this address; write it yourself")
	}
	if letters := []rune(title); len(letters) > feed.MaxNewsTitle {
		title = string(letters[:feed.MaxNewsTitle-1]) + "…"
	}
	return title, err
}

// editPage is the data of editnews.html.
type editPage struct {
	*newsPage
	Sent       feed.Submission
	TitleLimit int
	TextLimit  int
}

// showEdit serves GET /editnews/{n}, and shows its form again after a problem.
func (c *Community) showEdit(w http.ResponseWriter, r *http.Request) error {
	view, err := c.newsPage(r, "Edit")
	if err != nil {
		return err
	}
	if !view.Editable && web.FailedWith(r) == 0 {
		return fmt.Errorf("changing this submission is %w: members change their own for 15 minutes", feed.ErrForbidden)
	}
	n := &view.News
	sent := feed.Submission{Title: n.Title, URL: n.URL, Text: n.Text}
	if r.Method == http.MethodPost {
		sent = submissionIn(r)
	}
	return c.pages.Render(w, r, "editnews.html", &editPage{view, sent, feed.MaxNewsTitle, feed.MaxNewsText})
}

// editByForm serves POST /editnews/{n}.
func (c *Community) editByForm(r *http.Request) (next web.Next, err error) {
	editor, before, err := c.change(r, nil)
	if err != nil {
		return next, err
	}
	sent := submissionIn(r)
	n, err := c.replace(r, &editor, &before, &sent)
	did := "edited"
	if n.State == feed.Held {
		did = "edited-held"
	}
	return c.after(&n, did, 0), err
}

// removeByForm serves POST /news/{n}/delete.
func (c *Community) removeByForm(r *http.Request) (next web.Next, err error) {
	return web.Next{Page: c.opts.Mount.Path("/latest"), Did: "deleted"}, c.remove(r)
}
