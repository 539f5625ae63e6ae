package web

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// An entity tag has the form "state.content" if people decide about the resource, else "content". Polls and impressions change
// the content only, and If-Match compares the state only, so that a write does not fail because a source was polled meanwhile.

// tagged adds the entity tag of the response, and answers 304 if the client has it (RFC 9110 section 13.1.2).
func tagged(h Handler) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		rec := newRecorder(w)
		if err := h(rec, r); err != nil {
			return err
		}
		if rec.status != http.StatusOK {
			rec.send()
			return nil
		}
		tag := `"` + w.Header().Get("ETag") + Hash(rec.body.Bytes()) + `"`
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

// SetState sets the part of the entity tag that If-Match compares: a Hash of everything that people decide.
func SetState(w http.ResponseWriter, state string) { w.Header().Set("ETag", state+".") }

// hasTag reports whether is accepts one of the entity tags of a header; "*" always matches. It ignores that a proxy made a tag
// weak, as proxies do when they compress.
func hasTag(header []string, is func(tag string) bool) bool {
	return slices.ContainsFunc(strings.Split(strings.Join(header, ","), ","), func(tag string) bool {
		tag = strings.TrimPrefix(strings.TrimSpace(tag), "W/")
		return tag == "*" || is(tag)
	})
}

// HasCondition reports whether a request has an If-Match.
func HasCondition(r *http.Request) bool { return len(r.Header.Values("If-Match")) > 0 }

// CheckCondition returns feed.ErrChanged if the If-Match of a request does not have this state, or its If-None-Match has it (RFC
// 9110 sections 13.1.1 and 13.1.2). An empty state means that the resource does not exist.
func CheckCondition(r *http.Request, state string) error {
	is := func(tag string) bool {
		first, _, _ := strings.Cut(strings.Trim(tag, `"`), ".")
		return first == state
	}
	switch exists := state != ""; {
	case HasCondition(r) && (!exists || !hasTag(r.Header.Values("If-Match"), is)):
		return fmt.Errorf("the resource does not match If-Match: %w; read it again and repeat the decision", feed.ErrChanged)
	case exists && hasTag(r.Header.Values("If-None-Match"), is):
		return fmt.Errorf("the resource matches If-None-Match: %w", feed.ErrChanged)
	}
	return nil
}
