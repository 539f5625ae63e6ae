package desk

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// How much the pages of the hub list.
const (
	listedTopics        = 50
	listedSubscriptions = 50
)

// hubPages adds the routes of the hub to the pages.
func (d *Desk) hubPages(pages *http.ServeMux) {
	pages.HandleFunc("GET /subscriptions", d.show(d.showSubscriptions))
	pages.HandleFunc("GET /subscriptions/{subscription}", d.show(d.showOneSubscription))
	pages.HandleFunc("POST /subscriptions/{subscription}/resend",
		d.form(hubResend, d.bySubscription("sent", d.opts.Hub.ResendSubscription), d.sorry))
	pages.HandleFunc("POST /subscriptions/{subscription}/pause",
		d.form(hubPause, d.bySubscription("stopped", d.opts.Hub.PauseSubscription), d.sorry))
	pages.HandleFunc("POST /subscriptions/{subscription}/resume",
		d.form(hubResume, d.bySubscription("started", d.opts.Hub.ResumeSubscription), d.sorry))
	pages.HandleFunc("POST /subscriptions/{subscription}/deny", d.form(hubDeny, d.denyByForm, d.sorry))
	pages.HandleFunc("GET /dead-letters", d.show(d.showDeadLetters))
	pages.HandleFunc("POST /dead-letters/{letter}/replay", d.form(hubReplay, d.replayByForm, d.sorry))
	pages.HandleFunc("POST /dead-letters/replay", d.form(hubReplay, d.replayAll, d.sorry))
}

// subscriptionsPage is what the template shows.
type subscriptionsPage struct {
	frame
	Notice     notice
	Counts     string
	Dead       int
	Topics     []topicRow
	MoreTopics int
	Of         string // topic that was chosen; empty: all
	Rows       []subscriptionRow
	Next       string // page of the next ones; empty: there is none
	Late       bool   // it is not the first page
}

// showSubscriptions serves "/subscriptions".
func (d *Desk) showSubscriptions(w http.ResponseWriter, r *http.Request) error {
	query, now := r.URL.Query(), d.opts.Now()
	topic, after := query.Get("topic"), query.Get("after")
	if len(topic) > 12 || len(after) > 16 {
		return wrong("topic", "use an address that this page leads to")
	}
	view, err := d.opts.Hub.HubView(r.Context(), topic, after, listedSubscriptions)
	if err != nil {
		return err
	}
	page := subscriptionsPage{Notice: noticeOf(r), Counts: hubCounts(&view.Counts), Dead: view.Counts.DeadLetters, Late: after != ""}
	slices.SortFunc(view.Topics, moreSubscribers)
	page.MoreTopics = max(0, len(view.Topics)-listedTopics)
	for i := range view.Topics {
		t := &view.Topics[i]
		if t.ID == topic {
			page.Of = topicText(t.URL)
		}
		if i < listedTopics || t.ID == topic {
			page.Topics = append(page.Topics, topicRow{
				ID: t.ID, Text: topicText(t.URL), Subscribers: t.Subscribers, Waiting: t.Waiting, Changed: ago(t.Changed, now),
			})
		}
	}
	for i := range view.Subscriptions {
		page.Rows = append(page.Rows, subscriptionRowOf(&view.Subscriptions[i], now))
	}
	if view.More {
		next := url.Values{"after": {view.Subscriptions[len(view.Subscriptions)-1].ID}}
		if topic != "" {
			next.Set("topic", topic)
		}
		page.Next = withQuery("/subscriptions", next)
	}
	page.frame = d.frame(r, "Subscriptions – feedwire", 0)
	d.render(w, r, http.StatusOK, "subscriptions.html", page)
	return nil
}

// subscriptionPage is what the template shows.
type subscriptionPage struct {
	frame
	Notice         notice
	Row            subscriptionRow
	Mood, Headline string
	Facts          facts
	Deniable       bool
	Callback       string // only for those who may use it
}

// showOneSubscription serves "/subscriptions/{subscription}". Who knows a callback can take the subscription over, so it is
// told to those only who have signed in and look after subscribers.
func (d *Desk) showOneSubscription(w http.ResponseWriter, r *http.Request) error {
	s, err := d.opts.Hub.Subscription(r.Context(), r.PathValue("subscription"))
	if err != nil {
		return err
	}
	now, v := d.opts.Now(), visitorOf(r)
	page := subscriptionPage{Notice: noticeOf(r), Row: subscriptionRowOf(&s, now), Deniable: s.Way == feed.WayWebSub, Mood: "well"}
	if !v.open && feed.Allow(v.scopes, feed.ScopeSignals) {
		page.Callback = s.Callback
	}
	page.Headline = "All was delivered."
	switch {
	case s.Paused:
		page.Mood, page.Headline = "wait", "Paused: what comes waits until a person resumes it."
	case s.Health.Failures > 0:
		page.Mood, page.Headline = "trouble", sentence(page.Row.Trouble)
	case s.Waiting:
		page.Mood, page.Headline = "wait", "A delivery is on its way."
	}
	page.Facts.text("Topic", topicText(s.Topic))
	page.Facts.text("Way", string(s.Way))
	page.Facts.text("Subscriber", s.Hint())
	page.Facts.text("Signed", map[bool]string{true: "yes, with its secret", false: "no: it gave no secret"}[s.Secret != ""])
	page.Facts.time("Since", ago(s.Since, now))
	page.Facts.time("Lease ends", ahead(s.Until, now))
	page.Facts.count("Readers, as it says", s.Readers)
	if h := &s.Health; h.Failures > 0 {
		page.Facts.count("Failures in a row", h.Failures)
		page.Facts.time("Failing since", ago(h.Since, now))
		page.Facts.time("Last try", ago(h.Last, now))
		page.Facts.count("Last status", h.Status)
		page.Facts.text("Last reason", h.Reason)
		page.Facts.time("Next try", ahead(h.Next, now))
	}
	page.frame = d.frame(r, s.Hint()+" – feedwire", 0)
	d.render(w, r, http.StatusOK, "subscription.html", page)
	return nil
}

// bySubscription does something with the subscription of the path and goes back with a notice.
func (d *Desk) bySubscription(did string, do func(ctx context.Context, id string) error) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		id := r.PathValue("subscription")
		s, err := d.opts.Hub.Subscription(r.Context(), id)
		if err != nil {
			return err
		}
		if err := do(r.Context(), id); err != nil {
			return err
		}
		about(r, subscriptionText(&s), "", "")
		goBack(w, r, "/subscriptions/"+s.ID, did, s.ID)
		return nil
	}
}

func (d *Desk) denyByForm(w http.ResponseWriter, r *http.Request) error {
	s, err := d.deny(r, strings.TrimSpace(r.PostFormValue("reason")))
	if err != nil {
		return err
	}
	goBack(w, r, "/subscriptions/"+s.ID, "denied", s.ID)
	return nil
}
