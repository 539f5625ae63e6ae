package community

import (
	"cmp"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// Bounds of a page with comments. All others are on pages that it links to.
const (
	commentsShown = 100
	depthShown    = 8
)

// remark is a comment on a page.
type remark struct {
	remarkView
	ParentID int64
	AuthorID int64
	Created  time.Time
	Erasable bool // by the visitor, now
	Hidden   int  // replies at any depth that only the page of the comment shows
	Shown    []remark
}

// remarkView is the view of the row of a comment, and has what the row shows only.
type remarkView struct {
	ID         int64
	News       int64 // number of the submission
	Body       string
	Author     string // empty: the account was removed
	Ago        web.Moment
	Points     int // upvotes minus downvotes
	Vote       feed.Vote
	Deleted    bool
	State      feed.Visibility
	Writes     bool // its author submitted the news
	New        bool // the visitor has not seen it
	Below      int  // replies at any depth
	Signed     bool // the visitor has an account
	Open       bool // the visitor can vote on it, and reply
	Editable   bool // by the visitor, now
	Reportable bool // by the visitor. Moderators decide instead
	Moderated  bool // the visitor makes decisions about it
	site       *Community
}

// Row returns its row without replies.
func (c *remarkView) Row() (template.HTML, error) { return c.site.remarkRows.Of(*c) }

// HTML returns its text.
func (c *remarkView) HTML() template.HTML { return markup(c.Body) }

// Writer returns its author.
func (c *remarkView) Writer() writer { return c.site.writer(c.Author) }

// At returns the address of a page of the site.
func (c *remarkView) At(path string) string { return c.site.at(path) }

// Path returns the path of its page.
func (c *remarkView) Path() string { return fmt.Sprintf("/comment/%d/%d", c.News, c.ID) }

// ReplyPath returns the path of the page with the form for a reply.
func (c *remarkView) ReplyPath() string { return fmt.Sprintf("/reply/%d/%d", c.News, c.ID) }

// EditPath returns the path of the page that changes it.
func (c *remarkView) EditPath() string { return fmt.Sprintf("/editcomment/%d/%d", c.News, c.ID) }

// Thing names it in decisions.
func (c *remarkView) Thing() string { return feed.Reported{News: c.News, Comment: c.ID}.String() }

// ReportPath returns the path of the form that reports it.
func (c *remarkView) ReportPath() string { return fmt.Sprintf("/report/%d/%d", c.News, c.ID) }

// Label returns what buttons call it.
func (c *remarkView) Label() string {
	return fmt.Sprintf("comment %d by %s", c.ID, cmp.Or(c.Author, "a removed account"))
}

// discussion makes remarks of comments for a page.
type discussion struct {
	site      *Community
	page      *page
	news      *feed.News
	moderates bool
	vote      func(c *feed.Comment) feed.Vote // of the visitor
	room      int                             // comments that the page has room for
}

// remarkOf returns a comment without its replies.
func (d *discussion) remarkOf(c *feed.Comment) remark {
	me := d.page.Me.ID
	r := remark{ParentID: c.ParentID, AuthorID: c.AuthorID, Created: c.Created, remarkView: remarkView{
		ID: c.ID, News: d.news.ID, Body: c.Body, Author: c.Author, Ago: web.Ago(c.Created, d.site.web.Now()), Points: c.Up - c.Down, Vote: d.vote(c),
		Deleted: c.Deleted, State: c.State, Writes: c.AuthorID != 0 && c.AuthorID == d.news.AuthorID, Below: below(c),
		Signed: me != 0, Moderated: d.page.Moderates, site: d.site,
	}}
	if c.Deleted {
		return r
	}
	r.Reportable = me != 0 && c.AuthorID != me && !d.page.Moderates
	r.Editable = d.site.editable(d.page, c.AuthorID, c.Created, feed.CommentEdit)
	r.Erasable = r.Editable || d.moderates
	r.Open = !d.news.Deleted && d.news.State == "" && c.State == ""
	return r
}

// below counts the replies to a comment at any depth.
func below(c *feed.Comment) int {
	n := len(c.Replies)
	for i := range c.Replies {
		n += below(&c.Replies[i])
	}
	return n
}

// remarks returns as many of some siblings with their replies as there is room for, but at least one.
func (d *discussion) remarks(siblings []feed.Comment, depth int) (shown []remark) {
	for i := range siblings {
		if d.room <= 0 {
			break
		}
		d.room--
		r := d.remarkOf(&siblings[i])
		if depth < depthShown {
			r.Shown = d.remarks(siblings[i].Replies, depth+1)
		}
		if len(r.Shown) < len(siblings[i].Replies) {
			for _, rest := range siblings[i].Replies[len(r.Shown):] {
				r.Hidden += 1 + below(&rest)
			}
		}
		shown = append(shown, r)
	}
	return shown
}

// nameAuthors sets the authors of remarks and of the replies below them.
func (c *Community) nameAuthors(r *http.Request, remarks ...*remark) error {
	var ids []int64
	all := withReplies(remarks...)
	for _, one := range all {
		ids = append(ids, one.AuthorID)
	}
	names, err := c.store.Names(r.Context(), ids...)
	for _, one := range all {
		one.Author = names[one.AuthorID]
	}
	return err
}

// withReplies returns remarks and the replies below them.
func withReplies(remarks ...*remark) (all []*remark) {
	for _, one := range remarks {
		all = append(append(all, one), withReplies(pointers(one.Shown)...)...)
	}
	return all
}

func pointers(remarks []remark) []*remark {
	all := make([]*remark, len(remarks))
	for i := range remarks {
		all[i] = &remarks[i]
	}
	return all
}

// find returns the comment with a number in a thread; nil: there is none.
func find(thread []feed.Comment, id int64) *feed.Comment {
	for i := range thread {
		if thread[i].ID == id {
			return &thread[i]
		}
		if c := find(thread[i].Replies, id); c != nil {
			return c
		}
	}
	return nil
}

// newsPage is the data of news.html.
type newsPage struct {
	page
	News     feed.News
	Story    story
	Text     template.HTML
	Editable bool // by the visitor, now
	Saved    bool
	Root     *remark // the comment that the page is about; nil: the submission
	Remarks  []remark
	Pager    web.Pager
	Limit    int // characters of a comment
}

// showNews serves GET /news/{n}.
func (c *Community) showNews(w http.ResponseWriter, r *http.Request) error {
	view, err := c.newsPage(r, "")
	if err != nil {
		return err
	}
	view.Canonical, view.Discussion = c.opts.Mount.URL(view.Story.Path()), view.Story.Path()+"/rss"
	thread, err := c.outline(r, view.Story.ID, view.Me.ID)
	if err != nil {
		return err
	}
	return c.renderThread(w, r, view, thread)
}

// showComment serves GET /comment/{n}/{comment}.
func (c *Community) showComment(w http.ResponseWriter, r *http.Request) error {
	id, err := commentInPath(r)
	if err != nil {
		return err
	}
	view, err := c.newsPage(r, "Comment")
	if err != nil {
		return err
	}
	replies, err := c.setRoot(r, view, id)
	if err != nil {
		return err
	}
	view.Canonical, view.Story.Heading = c.opts.Mount.URL(view.Root.Path()), true
	return c.renderThread(w, r, view, replies)
}

// newsPage returns the page of the submission in a path. Without a title it has that of the submission.
func (c *Community) newsPage(r *http.Request, title string) (view *newsPage, err error) {
	view = new(newsPage)
	if view.page, err = c.page(r, title, ""); err != nil {
		return view, err
	}
	n, err := c.inPath(r, &view.Me)
	if err != nil {
		return view, err
	}
	view.News, view.Limit, view.Story, view.Text = n, feed.MaxComment, c.storyOf(&n, &view.page), markup(n.Text)
	if title == "" {
		view.Title, view.Story.Heading = view.Story.Name(), true
	} else {
		view.Title = title + " on " + view.Story.Name()
	}
	view.Editable = !n.Deleted && n.Source == "" && n.State != feed.Rejected && (c.editable(&view.page, n.AuthorID, n.Created, feed.NewsEdit) || moderates(r, &view.Me))
	if view.Me.ID != 0 && !n.Deleted {
		marked, err := c.store.ForReader(r.Context(), view.Me.ID, []feed.Entry{{ID: n.EntryID()}})
		if err != nil {
			return view, err
		}
		view.Saved = len(marked) == 1 && marked[0].Saved
	}
	return view, nil
}

func (c *Community) discussionOf(r *http.Request, view *newsPage, thread feed.Outline) *discussion {
	return &discussion{c, &view.page, &view.News, moderates(r, &view.Me), thread.Vote, commentsShown}
}

// renderThread shows the part of some siblings with their replies that a query asks for.
func (c *Community) renderThread(w http.ResponseWriter, r *http.Request, view *newsPage, thread feed.Outline) error {
	query := web.QueryOf(r)
	from := query.Number("from", 0, 0, feed.MaxThread)
	if query.Err != nil {
		return query.Err
	}
	siblings := thread.Comments[min(from, len(thread.Comments)):]
	view.Remarks = c.discussionOf(r, view, thread).remarks(siblings, 1)
	if err := c.nameAuthors(r, pointers(view.Remarks)...); err != nil {
		return err
	}
	if from > 0 {
		view.Pager.First = r.URL.Path
	}
	if len(view.Remarks) < len(siblings) {
		view.Pager.Next = web.WithQuery(r.URL.Path, url.Values{"from": {strconv.Itoa(from + len(view.Remarks))}})
	}
	return c.pages.Render(w, r, "news.html", view)
}

// replyPage is the data of reply.html.
type replyPage struct {
	*newsPage
	Body string // in the form
}

// showReply serves GET /reply/{n}/{comment}, and shows the form of a comment again after a problem.
func (c *Community) showReply(w http.ResponseWriter, r *http.Request) error {
	view, err := c.newsPage(r, "Reply")
	if err != nil {
		return err
	}
	text := r.PathValue("comment")
	if text == "" {
		text = r.PostFormValue("parent_id")
	}
	reply := replyPage{view, r.PostFormValue("body")}
	if parent, _ := strconv.ParseInt(text, 10, 64); parent > 0 {
		if _, err := c.setRoot(r, view, parent); err != nil {
			return err
		}
	}
	return c.pages.Render(w, r, "reply.html", &reply)
}

// setRoot makes a comment the one that a page is about, and returns its replies.
func (c *Community) setRoot(r *http.Request, view *newsPage, id int64) (replies feed.Outline, err error) {
	thread, err := c.outline(r, view.Story.ID, view.Me.ID)
	if err != nil {
		return replies, err
	}
	root := find(thread.Comments, id)
	if root == nil {
		return replies, fmt.Errorf("comment %d %w", id, feed.ErrNotFound)
	}
	about := c.discussionOf(r, view, thread).remarkOf(root)
	view.Root = &about
	return feed.Outline{Comments: root.Replies, Vote: thread.Vote}, c.nameAuthors(r, view.Root)
}

// showEditComment serves GET /editcomment/{n}/{comment}, and shows its form again after a problem.
func (c *Community) showEditComment(w http.ResponseWriter, r *http.Request) error {
	id, err := commentInPath(r)
	if err != nil {
		return err
	}
	view, err := c.newsPage(r, "Edit a comment")
	if err == nil {
		_, err = c.setRoot(r, view, id)
	}
	if err != nil {
		return err
	}
	if !view.Root.Erasable && web.FailedWith(r) == 0 {
		return fmt.Errorf("changing this comment is %w: members change their own for 2 hours", feed.ErrForbidden)
	}
	body := view.Root.Body
	if values, sent := r.PostForm["body"]; sent && len(values) == 1 {
		body = values[0]
	}
	return c.pages.Render(w, r, "editcomment.html", &replyPage{view, body})
}
