package lists

import (
	"net/http"
	"slices"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// entryPage is the data of entry.html.
type entryPage struct {
	web.Frame
	Entry row
	Back  string // page on which the visitor was; empty: unknown
	Rows  []entryList
	Feeds []link // none
}

// entryList is a list that editors arrange, and whether it has the entry.
type entryList struct {
	feed.EntryList
	Has bool
}

// showEntryLists serves GET /entries/{n}/lists.
func (ls *Lists) showEntryLists(w http.ResponseWriter, r *http.Request) error {
	e, err := ls.entry(r.Context(), r.PathValue("n"))
	if err != nil {
		return err
	}
	all, err := ls.store.Lists(r.Context())
	if err != nil {
		return err
	}
	in, err := ls.store.ListsOf(r.Context(), e.ID)
	if err != nil {
		return err
	}
	page := entryPage{Entry: row{Entry: e}}
	page.Title = "Lists with " + page.Entry.Name()
	if back := web.LocalPath(r.URL.Query().Get("back")); back != "/" {
		page.Back = back
	}
	for _, list := range all {
		if list.Kind == feed.ListArranged {
			page.Rows = append(page.Rows, entryList{list, slices.Contains(in, list.Name)})
		}
	}
	return ls.web.Render(w, r, "entry.html", &page)
}
