package readers

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
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

const (
	markedCookie = "feedwire_marked"
	maxUndone    = feed.MaxKeptUnread // entries; the store can keep as many unread
	maxCookie    = 3500               // bytes of a value; browsers store 4096 with name and path
)

// rememberMarked stores the numbers of entries in a cookie, which comes back with the form below a path that marks them as unread. It
// reports whether they fit.
func (rs *Readers) rememberMarked(w http.ResponseWriter, path string, numbers []int64) bool {
	slices.Sort(numbers)
	var packed []byte
	last := int64(0)
	for _, n := range numbers {
		packed, last = binary.AppendVarint(packed, n-last), n
	}
	value := base64.RawURLEncoding.EncodeToString(packed)
	if len(numbers) == 0 || len(value) > maxCookie {
		return false
	}
	rs.setCookie(w, markedCookie, value, path, undoLife)
	return true
}

// rememberedMarked returns the ids of the entries that rememberMarked stored; those before the damage if it is damaged.
func rememberedMarked(r *http.Request) (ids []string) {
	cookie, err := r.Cookie(markedCookie)
	if err != nil {
		return nil
	}
	packed, _ := base64.RawURLEncoding.DecodeString(cookie.Value)
	for last := int64(0); len(packed) > 0 && len(ids) < maxUndone; {
		step, size := binary.Varint(packed)
		if size <= 0 {
			break
		}
		packed, last = packed[size:], last+step
		ids = append(ids, fmt.Sprint("Entry:", last))
	}
	return ids
}
