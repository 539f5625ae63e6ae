package readers

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

const (
	undoCookie = "feedwire_unfollowed"
	undoLife   = time.Hour
)

// rememberFollow stores title, folder and muting of a follow that ended in a cookie, which comes back with the form that undoes that.
func (rs *Readers) rememberFollow(w http.ResponseWriter, f feed.Follow) {
	// Texts always encode.
	text, _ := json.Marshal(feed.FollowChange{Title: &f.Title, Folder: &f.Folder, Muted: &f.Muted})
	rs.setCookie(w, undoCookie, base64.RawURLEncoding.EncodeToString(text), "/read/follows/"+feed.SourceID(f.FeedURL), undoLife)
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
