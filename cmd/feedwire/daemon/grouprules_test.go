package daemon

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// Entries of a source join a group by rule as they are polled, and follow the rules of a reload.
func TestEntriesJoinGroupsByTheRulesOfTheConfiguration(t *testing.T) {
	t.Parallel()
	web := wiretest.NewOrigin(t)
	web.Set("/feed.xml", wiretest.Post("p1", "Ferry to the islands", "<p>A</p>"), wiretest.Post("p2", "Storm tonight", "<p>B</p>"))
	const groups = "groups:\n  sea: ['title:ferry']\n"
	r := startReloader(t, storetest.RedisAOF(t), groups)
	src := r.add(web.URL+"/feed.xml", nil)
	members := func() string {
		var page feed.Page[feed.Ranked]
		if err := r.Call(t.Context(), http.MethodGet, "/api/v1/lists/sea", nil, &page); err != nil {
			return "" // there is no such group yet
		}
		var titles []string
		for _, e := range page.Items {
			titles = append(titles, e.Entry.Title)
		}
		slices.Sort(titles)
		return strings.Join(titles, ", ")
	}
	wiretest.Eventually(t, "the ferry is in the group", func() bool { return members() == "Ferry to the islands" })
	r.must(politeness + "groups:\n  sea: ['title:ferry', 'title:storm']\n")
	wiretest.Eventually(t, "the storm is in the group, too", func() bool { return members() == "Ferry to the islands, Storm tonight" })
	r.must(politeness + "groups:\n  sea: ['source:" + src.URL + "x']\n")
	wiretest.Eventually(t, "no rule selects them", func() bool { return members() == "" })
}
