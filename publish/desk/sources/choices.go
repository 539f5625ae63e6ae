package sources

import (
	"net/http"
	"slices"
	"strings"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// choices are the settings on the pages that add and edit a source.
type choices struct {
	Feeds      []feedChoice
	Auto       bool
	Categories string
	Intervals  []web.Choice
}

// feedChoice is an outgoing feed.
type feedChoice struct {
	Type, Title string
	On          bool
}

// choicesOf returns the choices of a form, or the defaults.
func (ss *Sources) choicesOf(r *http.Request) choices {
	feeds := r.PostForm["feed"]
	if !r.PostForm.Has("publish") {
		feeds = ss.opts.Feeds.Default()
	}
	return choices{
		Feeds: ss.feedChoices(feeds), Auto: r.PostFormValue("publish") == string(feed.PublishAuto), Categories: r.PostFormValue("categories"),
		Intervals: intervalChoices(r.PostFormValue("interval")),
	}
}

// choicesBody returns the choices of a form as a body.
func choicesBody(r *http.Request) *sourceBody {
	mode, interval := feed.PublishMode(r.PostFormValue("publish")), r.PostFormValue("interval")
	feeds, categories := append([]string{}, r.PostForm["feed"]...), splitCategories(r.PostFormValue("categories"))
	return &sourceBody{Feeds: &feeds, Publish: &mode, Interval: &interval, Categories: &categories}
}

func (ss *Sources) feedChoices(on []string) []feedChoice {
	all := make([]feedChoice, len(ss.opts.Feeds))
	for i := range ss.opts.Feeds {
		f := &ss.opts.Feeds[i]
		all[i] = feedChoice{f.Type, f.Title, slices.Contains(on, f.Type)}
	}
	return all
}

// intervalChoices returns common intervals, and the selected one if it is another.
func intervalChoices(on string) []web.Choice {
	all := []web.Choice{
		{Text: "adaptive: as often as it posts"}, {Value: "5m", Text: "every 5 minutes"}, {Value: "15m", Text: "every 15 minutes"},
		{Value: "1h", Text: "every hour"}, {Value: "6h", Text: "every 6 hours"}, {Value: "24h", Text: "once a day"},
	}
	at := slices.IndexFunc(all, func(c web.Choice) bool { return c.Value == on })
	if at < 0 {
		at, all = len(all), append(all, web.Choice{Value: on, Text: "every " + on})
	}
	all[at].On = true
	return all
}

// splitCategories splits categories at commas.
func splitCategories(text string) []string {
	all := strings.Split(text, ",")
	for i := range all {
		all[i] = strings.TrimSpace(all[i])
	}
	return slices.DeleteFunc(all, func(c string) bool { return c == "" })
}
