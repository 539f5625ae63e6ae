package readers

import (
	"net/http"
	"slices"

	"github.com/feedwire/feedwire/publish/web"
)

const layoutCookie = "feedwire_layout"

// layouts are those of the timeline, the default first.
var layouts = []web.Choice{{Value: "list", Text: "List"}, {Value: "cards", Text: "Cards"}, {Value: "full", Text: "Full text"}}

// layoutOf returns the layouts and marks the one of a reader: that of the query, which a cookie keeps, or that of the cookie.
func (rs *Readers) layoutOf(w http.ResponseWriter, r *http.Request) (all []web.Choice, name string) {
	name = layouts[0].Value
	known := func(value string) bool {
		return slices.ContainsFunc(layouts, func(c web.Choice) bool { return c.Value == value })
	}
	if cookie, err := r.Cookie(layoutCookie); err == nil && known(cookie.Value) {
		name = cookie.Value
	}
	if chosen := r.URL.Query().Get("layout"); known(chosen) {
		name = chosen
		rs.setCookie(w, layoutCookie, name, "/read", visitLife)
	}
	all = slices.Clone(layouts)
	for i := range all {
		all[i].On = all[i].Value == name
	}
	return all, name
}
