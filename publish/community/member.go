package community

import (
	"context"
	"fmt"
	"html/template"
	"net/http"
	"slices"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// userPage is the data of user.html.
type userPage struct {
	page
	User   feed.Account
	Karma  int
	About  template.HTML
	Avatar string // path of the picture; empty: there is none
	Email  string // as the member and admins see; empty: there is none
	Wrote  wrote
	Recent []story // the newest submissions
	Banned bool    // as moderators see
}

// Sanctionable reports whether the visitor can ban the member.
func (p *userPage) Sanctionable() bool { return p.Moderates && !p.User.Role.Moderates() }

// BanPath returns the path of the form that bans the member, or ends the ban.
func (p *userPage) BanPath() string {
	if p.Banned {
		return "/moderation/unban/" + p.User.Name
	}
	return "/moderation/ban/" + p.User.Name
}

// InvitationsPath returns the path of the page that shows who invited whom.
func (p *userPage) InvitationsPath() string { return invitationsPath(p.User.Name) }

// recentShown is how many submissions the page of a member shows.
const recentShown = 5

// showUser serves GET /user/{name}. Strangers see members who have written something, so that the page does not reveal which names exist.
func (c *Community) showUser(w http.ResponseWriter, r *http.Request) error {
	p, user, err := c.userOf(r)
	if err != nil {
		return err
	}
	view := userPage{page: p, User: user}
	m, err := c.store.Member(r.Context(), user.ID)
	if err != nil {
		return err
	}
	if view.Sanctionable() {
		since, err := c.store.BannedSince(r.Context(), user.ID)
		if err != nil {
			return err
		}
		view.Banned = !since.IsZero()
	}
	profile, err := c.store.Profile(r.Context(), user.ID)
	if err != nil {
		return err
	}
	view.About = markup(profile.About)
	if profile.Email != "" && c.pictured() {
		view.Avatar = "/avatar/" + user.Name
	}
	if user.ID == p.Me.ID || moderates(r, &p.Me) {
		view.Email = profile.Email
	}
	if view.Wrote, err = c.countWritten(r.Context(), user.ID); err != nil {
		return err
	}
	posted, err := c.store.Posts(r.Context(), user.ID, feed.Cursor{}, recentShown)
	if err != nil {
		return err
	}
	all, err := c.submissions(r, view.Me.ID, posted.Entries)
	if err != nil {
		return err
	}
	view.Karma, view.Recent = m.Karma, c.stories(all, &view.page)
	return c.pages.Render(w, r, "user.html", &view)
}

// wrote is how much a member has written.
type wrote struct{ Posts, Comments int }

func (c *Community) countWritten(ctx context.Context, user int64) (n wrote, err error) {
	if n.Posts, err = c.store.CountPosts(ctx, user); err == nil {
		n.Comments, err = c.store.CountComments(ctx, user)
	}
	return n, err
}

// userOf returns the page of the account that a path names, with the account.
func (c *Community) userOf(r *http.Request) (p page, user feed.Account, err error) {
	name := r.PathValue("name")
	if p, err = c.page(r, name, "/user/"+name); err != nil {
		return p, user, err
	}
	unknown := fmt.Errorf("member %.64q %w", name, feed.ErrNotFound)
	if name, err = feed.CheckName(name); err != nil {
		return p, user, unknown
	}
	user, err = c.store.Account(r.Context(), name)
	if err != nil || user.ID == p.Me.ID || p.Moderates {
		return p, user, err
	}
	wrote, err := c.hasWritten(r.Context(), user.ID)
	if err == nil && !wrote {
		err = unknown
	}
	return p, user, err
}

// hasWritten reports whether a member has submitted something, or commented.
func (c *Community) hasWritten(ctx context.Context, user int64) (bool, error) {
	posted, err := c.store.Posts(ctx, user, feed.Cursor{}, 1)
	if err != nil || len(posted.Entries) > 0 {
		return err == nil, err
	}
	comments, _, err := c.store.CommentsOf(ctx, user, 0, feed.Cursor{}, 1)
	return len(comments) > 0, err
}

// submissions returns those of some entries that are submissions.
func (c *Community) submissions(r *http.Request, reader int64, entries []feed.Entry) ([]feed.News, error) {
	ids := make([]int64, len(entries))
	for i := range entries {
		ids[i] = numberOf(&entries[i])
	}
	return c.news(r, reader, ids...)
}

// showSaved serves GET /saved.
func (c *Community) showSaved(w http.ResponseWriter, r *http.Request) error {
	p, err := c.page(r, "Saved", "")
	if err != nil {
		return err
	}
	p.Tab = "saved"
	return c.showEntries(w, r, c.store.Saved, p.Me.ID, storiesPage{page: p, Heading: "Saved", Empty: "You have saved nothing yet. Voting up saves, too."})
}

// showSubmitted serves GET /usernews/{name}.
func (c *Community) showSubmitted(w http.ResponseWriter, r *http.Request) error {
	p, user, err := c.userOf(r)
	if err != nil {
		return err
	}
	p.Title = "Submissions of " + user.Name
	return c.showEntries(w, r, c.store.Posts, user.ID, storiesPage{page: p, Heading: p.Title, Empty: user.Name + " has submitted nothing yet."})
}

// showEntries shows those of the entries of an account that are submissions.
func (c *Community) showEntries(
	w http.ResponseWriter, r *http.Request, read func(context.Context, int64, feed.Cursor, int) (feed.TimelinePage, error), user int64, view storiesPage,
) error {
	query := web.QueryOf(r)
	after := query.Position()
	if query.Err != nil {
		return query.Err
	}
	found, err := read(r.Context(), user, after, storiesShown)
	if err != nil {
		return err
	}
	all, err := c.submissions(r, view.Me.ID, found.Entries)
	if err != nil {
		return err
	}
	view.Stories, view.Pager = c.stories(all, &view.page), pagerOf(r, found.Next.String(), 0)
	return c.pages.Render(w, r, "stories.html", &view)
}

// written is a comment with the submission that it is on.
type written struct {
	Story  story
	Remark remark
}

// writtenPage is the data of comments.html.
type writtenPage struct {
	page
	Heading string
	Rows    []written
	Pager   web.Pager
	Empty   string
}

const (
	writtenShown = 20
	repliesShown = 10 // comments with the replies to them
)

// showWritten serves GET /usercomments/{name}.
func (c *Community) showWritten(w http.ResponseWriter, r *http.Request) error {
	p, user, err := c.userOf(r)
	if err != nil {
		return err
	}
	p.Title = "Comments of " + user.Name
	view := writtenPage{page: p, Heading: p.Title, Empty: user.Name + " has written no comments yet."}
	query := web.QueryOf(r)
	after := query.Position()
	if query.Err != nil {
		return query.Err
	}
	comments, next, err := c.commentsOf(r, user.ID, view.Me.ID, after, writtenShown)
	if err != nil {
		return err
	}
	news, err := c.newsOf(r, view.Me.ID, comments)
	if err != nil {
		return err
	}
	for i := range comments {
		n, own := news[comments[i].NewsID], &comments[i]
		if n == nil || own.Deleted {
			continue
		}
		own.Author = user.Name
		d := discussion{c, &view.page, n, moderates(r, &view.Me), func(c *feed.Comment) feed.Vote { return c.Vote }, 0}
		view.Rows = append(view.Rows, written{c.storyOf(n, &view.page), d.remarkOf(&own.Comment)})
	}
	view.Pager = pagerOf(r, next.String(), 0)
	return c.pages.Render(w, r, "comments.html", &view)
}

// newsOf returns the submissions that comments are on by their numbers.
func (c *Community) newsOf(r *http.Request, reader int64, comments []feed.UserComment) (map[int64]*feed.News, error) {
	var ids []int64
	news := make(map[int64]*feed.News)
	for i := range comments {
		if _, twice := news[comments[i].NewsID]; !twice {
			news[comments[i].NewsID] = nil
			ids = append(ids, comments[i].NewsID)
		}
	}
	all, err := c.news(r, reader, ids...)
	for i := range all {
		news[all[i].ID] = &all[i]
	}
	return news, err
}

// showReplies serves GET /replies: the last comments of the visitor with the replies to them, which are read then.
func (c *Community) showReplies(w http.ResponseWriter, r *http.Request) error {
	p, err := c.page(r, "Replies", "")
	if err != nil {
		return err
	}
	p.Tab = "replies"
	view := writtenPage{page: p, Heading: "Replies", Empty: "Replies to your comments appear here."}
	query := web.QueryOf(r)
	after := query.Position()
	if query.Err != nil {
		return query.Err
	}
	comments, next, err := c.commentsOf(r, view.Me.ID, view.Me.ID, after, repliesShown)
	if err != nil {
		return err
	}
	if view.Rows, err = c.answered(r, &view.page, comments); err != nil {
		return err
	}
	view.Pager = pagerOf(r, next.String(), 0)
	if view.Member.Replies > 0 && r.Method == http.MethodGet {
		if err := c.store.SeeReplies(r.Context(), view.Me.ID); err != nil {
			return err
		}
		view.Member.Replies = 0 // the visitor sees them now
	}
	return c.pages.Render(w, r, "comments.html", &view)
}

// answered returns those of some comments of the visitor that have replies, with these.
func (c *Community) answered(r *http.Request, p *page, comments []feed.UserComment) (rows []written, err error) {
	news, err := c.newsOf(r, p.Me.ID, comments)
	if err != nil {
		return nil, err
	}
	threads := make(map[int64]feed.Outline)
	unread := p.Member.Replies
	for i := range comments {
		n := news[comments[i].NewsID]
		if n == nil {
			continue
		}
		thread, known := threads[n.ID]
		if !known {
			if thread, err = c.outline(r, n.ID, p.Me.ID); err != nil {
				return nil, err
			}
			threads[n.ID] = thread
		}
		own := find(thread.Comments, comments[i].ID)
		if own == nil || len(own.Replies) == 0 {
			continue
		}
		d := discussion{c, p, n, moderates(r, &p.Me), thread.Vote, commentsShown}
		row := written{c.storyOf(n, p), d.remarkOf(own)}
		for j := range own.Replies {
			row.Remark.Shown = append(row.Remark.Shown, d.remarkOf(&own.Replies[j]))
		}
		rows = append(rows, row)
	}
	remarks := make([]*remark, len(rows))
	for i := range rows {
		remarks[i] = &rows[i].Remark
	}
	if err = c.nameAuthors(r, remarks...); err != nil {
		return nil, err
	}
	markNew(rows, p.Me.ID, unread)
	return rows, nil
}

// markNew marks the newest replies by others as new.
func markNew(rows []written, user int64, unread int) {
	var replies []*remark
	for i := range rows {
		for j := range rows[i].Remark.Shown {
			if one := &rows[i].Remark.Shown[j]; one.AuthorID != user && !one.Deleted {
				replies = append(replies, one)
			}
		}
	}
	slices.SortFunc(replies, func(a, b *remark) int { return b.Created.Compare(a.Created) })
	for _, one := range replies[:min(unread, len(replies))] {
		one.New = true
	}
}
