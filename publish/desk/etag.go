package desk

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// An entity tag has two parts, "decided.all", where the thing is one that people decide about: polls and impressions change
// the second one only. A condition of a write (If-Match) is about the first one, so that nobody is told of a conflict
// because a source was polled meanwhile. Other answers have the second part only.

// tagged answers with the entity tag of what is answered, or that it has not changed (RFC 9110 section 13.1.2).
func tagged(h handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		rec := &recorder{ResponseWriter: w, status: http.StatusOK}
		if err := h(rec, r); err != nil {
			return err
		}
		if rec.status != http.StatusOK {
			rec.send()
			return nil
		}
		tag := `"` + w.Header().Get("ETag") + hashText(rec.body.String()) + `"`
		w.Header().Set("ETag", tag)
		if hasTag(r.Header.Values("If-None-Match"), func(given string) bool { return given == tag }) {
			w.Header().Del("Content-Type")
			w.WriteHeader(http.StatusNotModified)
			return nil
		}
		rec.send()
		return nil
	}
}

// decided begins the entity tag of an answer with what people have decided.
func decided(w http.ResponseWriter, what string) { w.Header().Set("ETag", what+".") }

// hasTag reports whether one of the entity tags of a header is the one that is looked for; "*" is each. That a proxy has
// made a tag weak, as it does when it compresses, is of no account.
func hasTag(header []string, is func(tag string) bool) bool {
	return slices.ContainsFunc(strings.Split(strings.Join(header, ","), ","), func(tag string) bool {
		tag = strings.TrimPrefix(strings.TrimSpace(tag), "W/")
		return tag == "*" || is(tag)
	})
}

// conditional reports whether a write is wanted only if nobody has decided anything since.
func conditional(r *http.Request) bool { return len(r.Header.Values("If-Match")) > 0 }

// unchanged is nil where a request sets no condition, or things stand as it knows them (RFC 9110 section 13.1.1).
func unchanged(r *http.Request, what string) error {
	if !conditional(r) || hasTag(r.Header.Values("If-Match"), func(tag string) bool {
		first, _, _ := strings.Cut(strings.Trim(tag, `"`), ".")
		return first == what
	}) {
		return nil
	}
	return fmt.Errorf("it is not as If-Match says: %w; read it again, and decide anew", feed.ErrChanged)
}

// decidedOfSource stands for all that people have decided about a source.
func decidedOfSource(s *feed.Source) string {
	return hashText(fmt.Sprintf("%s %d %d %t", s.URL, s.Added.Unix(), s.Edition, s.Paused))
}

// decidedOfArticle stands for where an article is out, and in which revision.
func decidedOfArticle(a *feed.Article) string {
	text := a.UUID
	for _, typ := range slices.Sorted(maps.Keys(a.Feeds)) {
		text += fmt.Sprintf(" %s %s %d", typ, a.Feeds[typ].State, a.Feeds[typ].Revision)
	}
	return hashText(text)
}
