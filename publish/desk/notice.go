package desk

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// notice is what a page says after something was done, with the way to undo it.
type notice struct {
	Text string
	Undo string // path of the form that undoes it; empty: there is none
	Back string // page to come back to
}

// deeds are what pages say after something was done, by the word that the query has for it: of one thing and, where several
// can be done at once, of many; and what the path of the form that undoes it is made of, with %s for the thing.
var deeds = map[string]struct{ one, many, undo string }{
	"added":    {one: "The source is added. Its first poll is on its way."},
	"changed":  {one: "The source was known already. It has these settings now."},
	"saved":    {one: "Saved. The next poll goes by these settings."},
	"known":    {one: "That feed is a source already. This is it."},
	"due":      {one: "It is polled within seconds."},
	"alldue":   {one: "All sources are polled, one after the other."},
	"paused":   {one: "Paused: it is not polled until a person resumes it.", undo: "/sources/%s/resume"},
	"resumed":  {one: "Resumed: it is polled within seconds.", undo: "/sources/%s/pause"},
	"removed":  {one: "Removed. Its settings are kept for a day, and its articles for good.", undo: "/sources/%s/restore"},
	"restored": {one: "It is back. Its entries come with the next poll."},

	"published": {"Published.", "%d articles published.", "/articles/undo/%s"},
	"takenback": {"Taken back.", "%d articles taken back.", "/articles/undo/%s"},
	"undone":    {one: "Undone: it is as it was before.", many: "Undone: %d articles are as they were before."},

	"sent":        {one: "The newest version of its topic is sent again."},
	"stopped":     {one: "Paused: what comes meanwhile waits for it.", undo: "/subscriptions/%s/resume"},
	"started":     {one: "Resumed: what has waited is sent.", undo: "/subscriptions/%s/pause"},
	"denied":      {one: "It is told that it is refused, and ends with that. There is no undo: only the subscriber can subscribe again."},
	"replayed":    {one: "It is sent again, from the first version that was missed."},
	"replayedall": {one: "All is sent again that still has a subscriber."},
}

// noticeOf is the notice that a request asks for: ?did= says what was done, &to= with what, and &n= with how many.
func noticeOf(r *http.Request) notice {
	query := r.URL.Query()
	to := query.Get("to")
	if len(to) > 32 || strings.Trim(to, "0123456789abcdefghijklmnopqrstuvwxyz-") != "" {
		to = ""
	}
	count, _ := strconv.Atoi(query.Get("n"))
	n := noticeAfter(query.Get("did"), to, min(count, maxLimit))
	n.Back = backOf(r)
	return n
}

// noticeAfter is what is said after something was done with one thing, or with count.
func noticeAfter(did, to string, count int) (n notice) {
	deed := deeds[did]
	n.Text = deed.one
	if count > 1 && deed.many != "" {
		n.Text = fmt.Sprintf(deed.many, count)
	}
	if deed.undo != "" && to != "" {
		n.Undo = fmt.Sprintf(deed.undo, to)
	}
	return n
}

// goBack goes on to the page that a form was on, or else to another one, with a notice.
func goBack(w http.ResponseWriter, r *http.Request, otherwise, did, to string) {
	page := otherwise
	if back := localPath(r.PostFormValue("back")); back != "/" {
		page = back
	}
	u, _ := url.Parse(page) // localPath could read it
	query := u.Query()
	query.Set("did", did)
	query.Set("to", to)
	http.Redirect(w, r, u.Path+"?"+query.Encode(), http.StatusSeeOther) //nolint:gosec // a path of ours: localPath has seen to it
}

// backOf is the address of a page without what was done there.
func backOf(r *http.Request) string {
	query := r.URL.Query()
	query.Del("did")
	query.Del("to")
	query.Del("n")
	if len(query) == 0 {
		return r.URL.Path
	}
	return r.URL.Path + "?" + query.Encode()
}
