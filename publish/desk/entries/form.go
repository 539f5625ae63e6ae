package entries

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// addByForm creates an entry of the source in the path, or shows a preview of it.
func (es *Entries) addByForm(w http.ResponseWriter, r *http.Request) error {
	source, err := es.localSource(r)
	if err != nil {
		return err
	}
	return es.saveForm(w, r, &source, &feed.Entry{}, es.showAdd)
}

// editByForm replaces the entry in the path, or shows a preview.
func (es *Entries) editByForm(w http.ResponseWriter, r *http.Request) error {
	page, err := es.editedPage(r)
	if err != nil {
		return err
	}
	if r.PostFormValue("seen") != page.Seen {
		return fmt.Errorf("entry %s: %w", page.Entry.Number(), feed.ErrChanged)
	}
	return es.saveForm(w, r, &page.Source, &page.Entry, es.showEdit)
}

func (es *Entries) saveForm(w http.ResponseWriter, r *http.Request, source *feed.Source, stored *feed.Entry, show web.Handler) error {
	e, err := formBody(r.PostForm, stored).entry(source, stored, es.web.Now())
	if invalid, ok := errors.AsType[feed.FieldErrors](err); ok {
		for i, one := range invalid { // pages show the reasons only
			invalid[i].Reason = one.Field + ": " + one.Reason
		}
	}
	if err != nil {
		return err
	}
	if r.PostFormValue("preview") != "" {
		web.NothingChanged(r)
		return show(w, r)
	}
	if e, err = es.save(r, e, stored, stored.Digest()); err == nil {
		web.Redirect(w, r, web.Next{Page: "/entries/" + e.Number(), Did: "saved"})
	}
	return err
}

// formBody returns a form as a body. Fields of the stored entry that the form does not have, or did not change, stay.
func formBody(form url.Values, stored *feed.Entry) entryBody {
	b := entryBody{}
	if stored.ID != "" {
		text, _ := json.Marshal(stored)
		_ = json.Unmarshal(text, &b) // an object
	}
	was := formOf(stored)
	for _, name := range []string{"title", "link", "content", "authors", "categories"} {
		text := strings.TrimSpace(form.Get(name))
		if text == was.Get(name) {
			continue
		}
		var value any = text
		switch list := splitList(text); name {
		case "authors":
			value = list
		case "categories":
			terms := make([]feed.Category, len(list))
			for i, term := range list {
				terms[i].Term = term
			}
			value = terms
		}
		b[name], _ = json.Marshal(value)
	}
	return b
}

// splitList splits a text at commas.
func splitList(text string) []string {
	all := []string{}
	for one := range strings.SplitSeq(text, ",") {
		if one = strings.TrimSpace(one); one != "" {
			all = append(all, one)
		}
	}
	return all
}

func (es *Entries) takeDownByForm(r *http.Request) (web.Next, error) {
	e, err := es.entryOf(r)
	if err != nil {
		return web.Next{}, err
	}
	return web.Next{Page: "/sources/" + feed.SourceID(e.FeedURL), Did: "takendown"}, es.Remove(r, &e)
}
