package readers

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

const (
	undoCookie = "feedwire_unfollowed"
	undoLife   = 3600 // seconds
)

// rememberFollow stores title, folder and muting of a follow that ended in a cookie, which comes back with the form that undoes that.
func (rs *Readers) rememberFollow(w http.ResponseWriter, f feed.Follow) {
	// Texts always encode.
	text, _ := json.Marshal(feed.FollowChange{Title: &f.Title, Folder: &f.Folder, Muted: &f.Muted})
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // without TLS a Secure cookie would not come back
		Name: undoCookie, Value: base64.RawURLEncoding.EncodeToString(text), Path: "/read/follows/" + feed.SourceID(f.FeedURL),
		MaxAge: undoLife, HttpOnly: true, Secure: strings.HasPrefix(rs.web.PublicURL, "https://"), SameSite: http.SameSiteLaxMode,
	})
}

// rememberedFollow returns what rememberFollow stored; without it, or if it is damaged, nothing.
func rememberedFollow(r *http.Request) (change feed.FollowChange) {
	if cookie, err := r.Cookie(undoCookie); err == nil {
		if text, err := base64.RawURLEncoding.DecodeString(cookie.Value); err == nil {
			_ = json.Unmarshal(text, &change)
		}
	}
	return change
}
