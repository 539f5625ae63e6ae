package hub

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

const (
	listedTopics        = 50
	listedSubscriptions = 50
)

// listView is the data of subscriptions.html.
type listView struct {
	web.Frame
	Notice     web.Notice
	Counts     string
	Dead       int // dead letters
	Topics     []topicRow
	MoreTopics int    // not listed
	Of         string // selected topic; empty: all
	Rows       []subscriptionRow
	Next       string // address of the next page; empty: none
	Late       bool   // not the first page
}

// showSubscriptions serves "/subscriptions".
func (h *Hub) showSubscriptions(w http.ResponseWriter, r *http.Request) error {
	query, now := r.URL.Query(), h.web.Now()
	topic, after := query.Get("topic"), query.Get("after")
	if len(topic) > 12 || len(after) > 16 {
		return feed.Invalid("topic", "use a link of this page")
	}
	found, err := h.store.HubView(r.Context(), topic, after, listedSubscriptions)
	if err != nil {
		return err
	}
	view := listView{
		Frame: h.web.Frame(r, "Subscriptions – feedwire", 0), Notice: notices.Of(r),
		Counts: countsText(&found.Counts), Dead: found.Counts.DeadLetters, Late: after != "", MoreTopics: max(0, len(found.Topics)-listedTopics),
	}
	slices.SortFunc(found.Topics, func(a, b feed.Topic) int {
		return cmp.Or(b.Subscribers-a.Subscribers, strings.Compare(a.URL, b.URL))
	})
	for i := range found.Topics {
		t := &found.Topics[i]
		if t.ID == topic {
			view.Of = topicText(t.URL)
		}
		if i < listedTopics || t.ID == topic {
			view.Topics = append(view.Topics, topicRow{
				ID: t.ID, Text: topicText(t.URL), Subscribers: t.Subscribers, Waiting: t.Waiting, Changed: web.Ago(t.Changed, now),
			})
		}
	}
	for i := range found.Subscriptions {
		view.Rows = append(view.Rows, subscriptionRowOf(&found.Subscriptions[i], now))
	}
	if found.More {
		next := url.Values{"after": {found.Subscriptions[len(found.Subscriptions)-1].ID}}
		if topic != "" {
			next.Set("topic", topic)
		}
		view.Next = web.WithQuery("/subscriptions", next)
	}
	h.pages.Render(w, r, http.StatusOK, "subscriptions.html", view)
	return nil
}

// subscriptionView is the data of subscription.html.
type subscriptionView struct {
	web.Frame
	Notice         web.Notice
	Row            subscriptionRow
	Mood, Headline string
	Facts          web.Facts
	Deniable       bool
	Callback       string // empty: the visitor may not see it
}

// showSubscription serves "/subscriptions/{subscription}". Whoever knows a callback can take the subscription over, so only visitors who
// have signed in and may change subscriptions see it.
func (h *Hub) showSubscription(w http.ResponseWriter, r *http.Request) error {
	s, err := h.store.Subscription(r.Context(), r.PathValue("subscription"))
	if err != nil {
		return err
	}
	now, v := h.web.Now(), web.VisitorOf(r)
	view := subscriptionView{
		Frame: h.web.Frame(r, s.Hint()+" – feedwire", 0), Notice: notices.Of(r), Row: subscriptionRowOf(&s, now), Deniable: s.Kind == feed.KindWebSub,
	}
	if !v.Open && feed.Allow(v.Scopes, feed.ScopeSignals) {
		view.Callback = s.Callback
	}
	switch {
	case s.Paused:
		view.Mood, view.Headline = "wait", "Paused. New versions wait until a person resumes the subscription."
	case s.Health.Failures > 0:
		view.Mood, view.Headline = "trouble", web.Sentence(view.Row.Trouble)
	case s.Waiting:
		view.Mood, view.Headline = "wait", "A delivery is pending."
	default:
		view.Mood, view.Headline = "well", "All versions were delivered."
	}
	view.Facts.Text("Topic", topicText(s.Topic))
	view.Facts.Text("Kind", string(s.Kind))
	view.Facts.Text("Subscriber", s.Hint())
	view.Facts.Text("Signed", map[bool]string{true: "yes, with the subscriber's secret", false: "no: the subscriber gave no secret"}[s.Secret != ""])
	view.Facts.Time("Since", web.Ago(s.Since, now))
	view.Facts.Time("Lease ends", web.Ahead(s.Until, now))
	view.Facts.Count("Readers, as reported", s.Readers)
	if health := &s.Health; health.Failures > 0 {
		view.Facts.Count("Failures in a row", health.Failures)
		view.Facts.Time("Failing since", web.Ago(health.Since, now))
		view.Facts.Time("Last try", web.Ago(health.Last, now))
		view.Facts.Count("Last status", health.Status)
		view.Facts.Text("Last reason", health.Reason)
		view.Facts.Time("Next try", web.Ahead(health.Next, now))
	}
	h.pages.Render(w, r, http.StatusOK, "subscription.html", view)
	return nil
}

// changeByForm changes the subscription of the path and redirects with a notice.
func (h *Hub) changeByForm(did string, do func(ctx context.Context, id string) error) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		id := r.PathValue("subscription")
		s, err := h.store.Subscription(r.Context(), id)
		if err != nil {
			return err
		}
		if err := do(r.Context(), id); err != nil {
			return err
		}
		web.Changed(r, feed.SubscriptionObject(&s), "", "")
		web.GoBack(w, r, "/subscriptions/"+s.ID, did, s.ID)
		return nil
	}
}

// denyByForm denies the subscription of the path.
func (h *Hub) denyByForm(w http.ResponseWriter, r *http.Request) error {
	s, err := h.deny(r, strings.TrimSpace(r.PostFormValue("reason")))
	if err != nil {
		return err
	}
	web.GoBack(w, r, "/subscriptions/"+s.ID, "denied", s.ID)
	return nil
}
