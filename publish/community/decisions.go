package community

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// decision is what a moderator did, as pages show it.
type decision struct {
	feed.ModerationEntry
	Href string // page of the thing
}

// Did returns what the moderator did to the object.
func (d decision) Did() string {
	switch {
	case d.Action != "moderate":
		return ""
	case d.After == string(feed.Hidden):
		return "hid"
	case d.After == string(feed.Removed):
		return "removed"
	case d.After == string(feed.Rejected):
		return "rejected"
	case d.After == string(feed.Held):
		return "held"
	case d.Before == string(feed.Held):
		return "approved"
	}
	return "restored"
}

// decisionsPage is the data of decisions.html.
type decisionsPage struct {
	moderationPage
	Rows  []decision
	Pager web.Pager
}

// Bounds of decisions.
const (
	decisionsShown    = 50
	decisionsExported = 10_000
)

// showDecisions serves GET /moderation/decisions.
func (c *Community) showDecisions(w http.ResponseWriter, r *http.Request) error {
	query := web.QueryOf(r)
	before := query.StreamCursor()
	if query.Err != nil {
		return query.Err
	}
	p, err := c.moderationPage(r, "Decisions", "decisions")
	if err != nil {
		return err
	}
	all, next, err := c.opts.Moderator.Decisions(r.Context(), before, decisionsShown)
	if err != nil {
		return err
	}
	view := decisionsPage{moderationPage: p, Pager: web.PagerOf(r, next)}
	for i := range all {
		d := decision{all[i], p.At("/user/" + all[i].Object)}
		if o, err := feed.ParseReported(d.Thing); err == nil {
			d.Href = reported{Report: feed.Report{Reported: o}, page: &p.page}.Href()
		}
		view.Rows = append(view.Rows, d)
	}
	return c.pages.Render(w, r, "decisions.html", &view)
}

// exportDecisions serves GET /moderation/decisions.csv and /moderation/decisions.json: the latest decisionsExported, newest first.
func (c *Community) exportDecisions(w http.ResponseWriter, r *http.Request) error {
	all := []feed.ModerationEntry{}
	for before := ""; len(all) < decisionsExported; {
		part, next, err := c.opts.Moderator.Decisions(r.Context(), before, web.MaxLimit)
		if err != nil {
			return err
		}
		all = append(all, part...)
		if before = next; next == "" {
			break
		}
	}
	if strings.HasSuffix(r.URL.Path, ".json") {
		c.web.Download(w, "application/json", "decisions.json", func(w io.Writer) error { return json.NewEncoder(w).Encode(all) })
		return nil
	}
	c.web.Download(w, "text/csv; charset=utf-8", "decisions.csv", func(w io.Writer) error { return writeCSV(w, all) })
	return nil
}

func writeCSV(w io.Writer, all []feed.ModerationEntry) error {
	table := csv.NewWriter(w)
	_ = table.Write([]string{"id", "time", "who", "action", "object", "before", "after", "reason"}) // Error returns what fails
	for i := range all {
		d := &all[i]
		_ = table.Write([]string{d.ID, d.Time.Format(time.RFC3339), cell(d.Who), d.Action, cell(d.Object), d.Before, d.After, cell(d.Reason)})
	}
	table.Flush()
	return table.Error()
}

// cell returns a text that no spreadsheet reads as a formula.
func cell(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}
