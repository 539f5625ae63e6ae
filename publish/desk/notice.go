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

// noticeOf is the notice that a request asks for: ?did= says what was done, and &to= with what.
func noticeOf(r *http.Request) notice {
	query := r.URL.Query()
	to := query.Get("to")
	if len(to) > 32 || strings.Trim(to, "0123456789abcdefghijklmnopqrstuvwxyz-") != "" {
		to = ""
	}
	n := notice{Back: backOf(r)}
	switch query.Get("did") {
	case "added":
		n.Text = "The source is added. Its first poll is on its way."
	case "changed":
		n.Text = "The source was known already. It has these settings now."
	case "saved":
		n.Text = "Saved. The next poll goes by these settings."
	case "known":
		n.Text = "That feed is a source already. This is it."
	case "due":
		n.Text = "It is polled within seconds."
	case "alldue":
		n.Text = "All sources are polled, one after the other."
	case "paused":
		n.Text, n.Undo = "Paused: it is not polled until a person resumes it.", "/sources/"+to+"/resume"
	case "resumed":
		n.Text, n.Undo = "Resumed: it is polled within seconds.", "/sources/"+to+"/pause"
	case "removed":
		n.Text, n.Undo = "Removed. Its settings are kept for a day, and its articles for good.", "/sources/"+to+"/restore"
	case "restored":
		n.Text = "It is back. Its entries come with the next poll."
	case "sent":
		n.Text = "The newest version of its topic is sent again."
	case "stopped":
		n.Text, n.Undo = "Paused: what comes meanwhile waits for it.", "/subscriptions/"+to+"/resume"
	case "started":
		n.Text, n.Undo = "Resumed: what has waited is sent.", "/subscriptions/"+to+"/pause"
	case "denied":
		n.Text = "It is told that it is refused, and ends with that. There is no undo: only the subscriber can subscribe again."
	case "replayed":
		n.Text = "It is sent again, from the first version that was missed."
	case "replayedall":
		n.Text = "All is sent again that still has a subscriber."
	case "published", "takenback", "undone":
		count, _ := strconv.Atoi(query.Get("n"))
		n = decisionNotice(query.Get("did"), to, min(max(count, 1), maxLimit))
		n.Back = backOf(r)
	}
	if to == "" {
		n.Undo = ""
	}
	return n
}

// decisionNotice is what is said after many articles were published, taken back, or brought back.
func decisionNotice(did, id string, count int) notice {
	n := notice{Text: "Published.", Undo: "/articles/undo/" + id}
	switch did {
	case "takenback":
		n.Text = "Taken back."
	case "undone":
		n.Text, n.Undo = "Undone: it is as it was before.", ""
	}
	if count > 1 {
		n.Text = map[string]string{
			"published": "%d articles published.", "takenback": "%d articles taken back.", "undone": "Undone: %d articles are as they were before.",
		}[did]
		n.Text = fmt.Sprintf(n.Text, count)
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
