package hub

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// listedTopics is how many topics a page lists.
const listedTopics = 50

// listView is the data of subscriptions.html.
type listView struct {
	web.Frame
	Counts     string
	Dead       int // dead letters
	Topics     []feed.Topic
	MoreTopics int        // not listed
	Of         feed.Topic // selected; zero: all
	Rows       []subscriptionRow
	Pager      web.Pager
}

// Topic returns the text of a topic.
func (listView) Topic(url string) string { return TopicText(url) }

// showSubscriptions serves "/subscriptions".
func (h *Hub) showSubscriptions(w http.ResponseWriter, r *http.Request) error {
	query, now := r.URL.Query(), h.web.Now()
	topic, after := query.Get("topic"), query.Get("cursor")
	if len(topic) > 12 || len(after) > 16 {
		return feed.Invalid("topic", "use a link of this page")
	}
	found, err := h.store.HubView(r.Context(), topic, after, web.DefaultLimit)
	if err != nil {
		return err
	}
	view := listView{
		Frame: web.Frame{Title: "Subscriptions"}, Counts: countsText(&found.Counts), Dead: found.Counts.DeadLetters,
		MoreTopics: max(0, len(found.Topics)-listedTopics),
	}
	for i := range found.Subscriptions {
		view.Rows = append(view.Rows, subscriptionRowOf(&found.Subscriptions[i], now))
	}
	slices.SortFunc(found.Topics, func(a, b feed.Topic) int {
		return cmp.Or(b.Subscribers-a.Subscribers, strings.Compare(a.URL, b.URL))
	})
	for i, t := range found.Topics {
		if t.ID == topic {
			view.Of = t
		}
		if i < listedTopics || t.ID == topic {
			view.Topics = append(view.Topics, t)
		}
	}
	next := ""
	if found.More {
		next = found.Subscriptions[len(found.Subscriptions)-1].ID
	}
	view.Pager = web.PagerOf(r, next)
	return h.web.Render(w, r, "subscriptions.html", &view)
}

// subscriptionView is the data of subscription.html.
type subscriptionView struct {
	web.Frame
	Row            subscriptionRow
	Mood, Headline string
	Facts          web.Facts
	Attempts       []attemptRow
	Deniable       bool
	Callback       string // empty: the visitor may not see it
}

// showSubscription serves "/subscriptions/{subscription}". Whoever knows a callback can take the subscription over, so only visitors who
// have signed in and may change subscriptions see it.
func (h *Hub) showSubscription(w http.ResponseWriter, r *http.Request) error {
	s, attempts, err := h.store.SubscriptionView(r.Context(), r.PathValue("subscription"))
	if err != nil {
		return err
	}
	now, v := h.web.Now(), web.VisitorOf(r)
	view := subscriptionView{
		Frame: web.Frame{Title: s.Hint()}, Row: subscriptionRowOf(&s, now), Attempts: attemptRows(attempts, now), Deniable: s.Kind == feed.KindWebSub,
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
	view.Facts.Text("Topic", TopicText(s.Topic))
	view.Facts.Text("Kind", string(s.Kind))
	view.Facts.Text("Subscriber", s.Hint())
	view.Facts.Text("Signed", map[bool]string{true: "yes, with the subscriber's secret", false: "no: the subscriber gave no secret"}[s.Secret != ""])
	view.Facts.Text("Format", s.Form.Format())
	view.Facts.Text("Filter", strings.Join(s.Form.Rules(), " · "))
	view.Facts.Time("Since", web.Ago(s.Since, now))
	view.Facts.Time("Lease ends", web.Ahead(s.Until, now))
	view.Facts.Count("Readers, as reported", s.Readers)
	if health := &s.Health; health.Failures > 0 {
		view.Facts.Count("Failures in a row", health.Failures)
		view.Facts.Time("Failing since", web.Ago(health.Since, now))
		view.Facts.Time("Last try", web.Ago(health.Last, now))
		view.Facts.Count("Last status", health.Status)
		view.Facts.Text("Last reason", health.Reason)
		view.Facts.Time("Next attempt", web.Ahead(health.Next, now))
	}
	return h.web.Render(w, r, "subscription.html", &view)
}
