package community

import (
	"html/template"
	"net/http"
	"net/url"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// noticesOf returns the notices of the site at a mount.
func noticesOf(mount web.Mount) web.Notices {
	all := web.Notices{
		"submitted":     {One: "Your submission is in the list of new submissions."},
		"duplicate":     {One: "This URL was submitted before. Here is that submission."},
		"held":          {One: "Your submission waits until a moderator approves it. Until then only you see it. You find it in your saved submissions."},
		"edited":        {One: "The change is saved."},
		"edited-held":   {One: "The change is saved. Only you see the submission until a moderator approves it."},
		"deleted":       {One: "It is deleted."},
		"commented":     {One: "Your comment is published."},
		"counted":       {One: "Your vote counts. It is final."},
		"saved-news":    {One: "The submission is saved."},
		"unsaved":       {One: "The submission is no longer saved."},
		"voted-other":   {One: "You have voted before, and votes are final."},
		"reported":      {One: "Thank you. A moderator reads your report and decides. The author does not learn who reported."},
		"dismissed":     {One: "The report is closed. Nothing else changed.", Undo: mount.Path("/moderation/reopen/%s")},
		"locked":        {One: "The discussion is locked.", Undo: mount.Path("/moderation/unlock/%s")},
		"unlocked":      {One: "The discussion is open again.", Undo: mount.Path("/moderation/lock/%s")},
		"banned":        {One: "The member is banned.", Undo: mount.Path("/moderation/unban/%s")},
		"unbanned":      {One: "The ban has ended.", Undo: mount.Path("/moderation/ban/%s")},
		"decided":       {One: "The decision about 1 report is made.", Many: "The decision about %d reports is made."},
		"decided-some":  {One: "The decision is made, except where it was not possible. These reports remain.", Many: "The decision about %d reports is made. It was not possible for those that remain."},
		"reviewed":      {One: "The decision about 1 submission is made.", Many: "The decision about %d submissions is made."},
		"reviewed-some": {One: "The decision is made, except where it was not possible. These submissions remain.", Many: "The decision about %d submissions is made. It was not possible for those that remain."},
		"undone":        {One: "The decision is undone."},
	}
	texts := map[feed.Visibility]string{
		feed.Hidden: "It is hidden. Only its author sees it.", feed.Removed: "It is removed. No one sees it.", feed.Visible: "Everyone sees it.",
		feed.Rejected: "It is rejected. Its author sees it with the reason.", feed.Held: "It waits for a moderator.",
	}
	for state, text := range texts {
		for before := range texts {
			all[decidedWord(before, state)] = web.NoticeText{One: text, Undo: mount.Path("/moderation/undo/" + string(before) + "/%s")}
		}
	}
	return all
}

// decidedWord returns the word of the notice about a decision.
func decidedWord(before, state feed.Visibility) string { return string(state) + "-" + string(before) }

// page is what all pages of the site have.
type page struct {
	web.Frame
	Tab        string       // the list that is shown: "top", "latest", "saved", "replies"; empty: none
	Canonical  string       // public address of the page; empty: it has none
	Discussion string       // path of the feed of the comments on the page; empty: there are none
	Me         feed.Account // the visitor; without ID: a stranger
	Member     feed.Member  // what the site knows about the visitor
	Moderates  bool         // the visitor makes decisions
	Waiting    feed.Waiting // for one
	site       *Community
}

// Page returns what all pages have. Templates find its fields faster than in a view that embeds it.
func (p *page) Page() *page { return p }

// At returns the address of a page of the site.
func (p *page) At(path string) string { return p.site.at(path) }

func (c *Community) at(path string) string { return c.opts.Mount.Path(path) }

// Entry returns the address of a page of accounts that leads back to this page.
func (p *page) Entry(path string) string { return path + "?next=" + url.QueryEscape(p.Here) }

// SignUp returns the address to sign up.
func (p *page) SignUp() string { return p.Entry("/sign-up") }

// plainPage returns a page for the visitor without anything from the store.
func (c *Community) plainPage(r *http.Request, title string) page {
	return page{Frame: web.Frame{Title: title, Site: c.opts.Name}, Me: web.VisitorOf(r).Account, Moderates: mayModerate(r), site: c}
}

// page returns a page for the visitor, whose visit it counts. path is that of its canonical address.
func (c *Community) page(r *http.Request, title, path string) (p page, err error) {
	p = c.plainPage(r, title)
	if path != "" {
		p.Canonical = c.opts.Mount.URL(path)
	}
	if p.Moderates {
		if p.Waiting, err = c.store.Waiting(r.Context()); err != nil {
			return p, err
		}
	}
	if p.Me.ID != 0 {
		p.Member, err = c.store.VisitCommunity(r.Context(), p.Me.ID)
	}
	return p, err
}

// problemPage is the data of problem.html.
type problemPage struct {
	page
	Back string // page to return to
}

// showProblem shows why a page or a form failed.
func (c *Community) showProblem(w http.ResponseWriter, r *http.Request) error {
	p := problemPage{page: c.plainPage(r, "Problem"), Back: web.LocalPath(r.PostFormValue("back"))}
	if p.Back == "/" {
		p.Back = p.At("/")
	}
	return c.pages.Render(w, r, "problem.html", &p)
}

// aboutPage is the data of about.html.
type aboutPage struct {
	page
	Bookmarklet template.URL // submits the page that a browser shows
}

// showAbout serves GET /about.
func (c *Community) showAbout(w http.ResponseWriter, r *http.Request) error {
	p, err := c.page(r, "About", "/about")
	if err != nil {
		return err
	}
	script := "location.href='" + template.JSEscapeString(c.opts.Mount.URL("/submit")) + "?u='+encodeURIComponent(location.href)+'&t='+encodeURIComponent(document.title)"
	return c.pages.Render(w, r, "about.html", &aboutPage{p, template.URL("javascript:" + url.PathEscape(script))}) //nolint:gosec // of the configuration
}
