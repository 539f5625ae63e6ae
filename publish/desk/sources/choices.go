package sources

import (
	"net/url"
	"slices"
	"strings"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// choices are the settings on the pages that add and edit a source.
type choices struct {
	Outgoing  feed.OutgoingFeeds
	Intervals []web.Choice
	Form      url.Values // the given values
}

// choicesOf returns the choices for the values of a form.
func (ss *Sources) choicesOf(form url.Values) choices {
	return choices{ss.opts.Feeds, intervalChoices(form.Get("interval")), form}
}

// Chosen reports whether an outgoing feed is selected.
func (c choices) Chosen(typ string) bool { return slices.Contains(c.Form["feed"], typ) }

// choicesBody returns the choices of a form as a body.
func choicesBody(form url.Values) *sourceBody {
	mode, interval := feed.PublishMode(form.Get("publish")), form.Get("interval")
	feeds, categories := append([]string{}, form["feed"]...), splitCategories(form.Get("categories"))
	return &sourceBody{Feeds: &feeds, Publish: &mode, Interval: &interval, Categories: &categories}
}

// intervalChoices returns common intervals, and the selected one if it is another.
func intervalChoices(on string) []web.Choice {
	all := []web.Choice{
		{Text: "adaptive: as often as it posts"}, {Value: "5m", Text: "every 5 minutes"}, {Value: "15m", Text: "every 15 minutes"},
		{Value: "1h", Text: "every hour"}, {Value: "6h", Text: "every 6 hours"}, {Value: "24h", Text: "once a day"},
	}
	if !slices.ContainsFunc(all, func(c web.Choice) bool { return c.Value == on }) {
		all = append(all, web.Choice{Value: on, Text: "every " + on})
	}
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
