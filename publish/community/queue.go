package community

import (
	"fmt"
	"html/template"
	"net/http"
	"net/url"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// reported is something that waits for a moderator, as a page shows it.
type reported struct {
	feed.Report
	HTML         template.HTML // its text
	Writer       writer
	Sanctionable bool // its author can be banned
	page         *page
}

// At returns the address of a page of the site.
func (t reported) At(path string) string { return t.page.At(path) }

// Href returns the address of its page.
func (t reported) Href() string { return t.At(t.Path()) }

// Path returns the path of its page.
func (t reported) Path() string {
	if t.Comment == 0 {
		return fmt.Sprint("/news/", t.News)
	}
	return fmt.Sprintf("/comment/%d/%d", t.News, t.Comment)
}

// Name returns its title.
func (t reported) Name() string {
	if t.Title == "" {
		return "[deleted news]"
	}
	return t.Title
}

// Kind returns what it is.
func (t reported) Kind() string {
	if t.Comment == 0 {
		return "submission"
	}
	return "comment"
}

// Label returns what buttons call it.
func (t reported) Label() string { return t.Kind() + " " + t.ID }

// BanPath returns the path of the form that bans its author.
func (t reported) BanPath() string { return "/moderation/ban/" + url.PathEscape(t.Author) }

// Back returns the address of the page.
func (t reported) Back() string { return t.page.Here }

// moderationPage is what the pages of moderators have.
type moderationPage struct {
	page
	Place string // of them: "reports", "review", "decisions" or "bans"; empty: another one
}

// moderationPage returns a page of moderators.
func (c *Community) moderationPage(r *http.Request, title, place string) (moderationPage, error) {
	p, err := c.page(r, title, "")
	p.Tab = "moderation"
	return moderationPage{p, place}, err
}

// queuePage is the data of queue.html.
type queuePage struct {
	moderationPage
	Order string // "most", or empty: the latest first
	Rows  []reported
	Pager web.Pager
}

// queueShown is how many reported things a page shows.
const queueShown = 30

// showQueue serves GET /moderation.
func (c *Community) showQueue(w http.ResponseWriter, r *http.Request) error {
	query := web.QueryOf(r)
	after, order := query.Position(), query.Get("order")
	if order != "" && order != "most" {
		query.Refuse("order", "use most, or leave it out")
	}
	if query.Err != nil {
		return query.Err
	}
	p, err := c.moderationPage(r, "Reports", "reports")
	if err != nil {
		return err
	}
	var all []feed.Report
	var next feed.Cursor
	if order == "most" {
		all, err = c.store.MostReported(r.Context(), queueShown)
	} else {
		all, next, err = c.store.Reports(r.Context(), after, queueShown)
	}
	if err != nil {
		return err
	}
	return c.renderQueue(w, r, &queuePage{moderationPage: p, Order: order}, all, next)
}

// showHeld serves GET /moderation/review.
func (c *Community) showHeld(w http.ResponseWriter, r *http.Request) error {
	query := web.QueryOf(r)
	after := query.Position()
	if query.Err != nil {
		return query.Err
	}
	p, err := c.moderationPage(r, "Review", "review")
	if err != nil {
		return err
	}
	all, next, err := c.store.Held(r.Context(), after, queueShown)
	if err != nil {
		return err
	}
	return c.renderQueue(w, r, &queuePage{moderationPage: p}, all, next)
}

func (c *Community) renderQueue(w http.ResponseWriter, r *http.Request, view *queuePage, all []feed.Report, next feed.Cursor) error {
	for i := range all {
		view.Rows = append(view.Rows, c.reported(&all[i], &view.page))
	}
	view.Pager = web.PagerOf(r, next.String())
	return c.pages.Render(w, r, "queue.html", view)
}

// reported returns something in the queue as a moderator sees it.
func (c *Community) reported(report *feed.Report, p *page) reported {
	return reported{
		Report: *report, HTML: markup(report.Body), Writer: c.writer(report.Author), Sanctionable: report.Author != "" && !report.Banned, page: p,
	}
}

// bansPage is the data of bans.html.
type bansPage struct {
	moderationPage
	Rows  []feed.Ban
	Pager web.Pager
}

// bansShown is how many banned members a page shows.
const bansShown = 50

// showBans serves GET /moderation/bans.
func (c *Community) showBans(w http.ResponseWriter, r *http.Request) error {
	query := web.QueryOf(r)
	after := query.Position()
	if query.Err != nil {
		return query.Err
	}
	p, err := c.moderationPage(r, "Banned members", "bans")
	if err != nil {
		return err
	}
	all, next, err := c.store.Bans(r.Context(), after, bansShown)
	if err != nil {
		return err
	}
	return c.pages.Render(w, r, "bans.html", &bansPage{p, all, web.PagerOf(r, next.String())})
}
