package readers

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// everything is the id of the group of all feeds.
const everything = 0

// feverMount is the path of the Fever API, which apps such as Reeder, Unread and Fluent Reader use. It is that of FreshRSS; other servers
// have it at /fever/.
const feverMount = "/api/fever.php"

// feverApps passes on calls of the Fever API. It reads the key in their forms as a credential.
func feverApps(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if path := strings.TrimSuffix(r.URL.Path, "/"); path != feverMount && path != "/fever" {
			next.ServeHTTP(w, r)
			return
		}
		r, routed := cloneCall(r)
		defer routed()
		r.URL.Path, r.URL.RawPath = feverMount, ""
		r.Body = http.MaxBytesReader(w, r.Body, web.MaxForm)
		formErr := r.ParseForm()
		err := r.ParseMultipartForm(web.MaxForm) //nolint:gosec // MaxBytesReader bounds the form
		switch {
		case isTooLarge(formErr), isTooLarge(err):
			http.Error(w, fmt.Sprintf("The form of the call is larger than %d KiB.", web.MaxForm>>10), http.StatusRequestEntityTooLarge)
			return
		case err != nil && !errors.Is(err, http.ErrNotMultipart):
			http.Error(w, "The form of the call cannot be read.", http.StatusBadRequest)
			return
		}
		r.Header.Del("Authorization")
		if key := r.PostForm.Get("api_key"); key != "" {
			r.Header.Set("Authorization", "Fever "+key)
		}
		next.ServeHTTP(w, r)
	})
}

// feverRoutes returns the routes of the Fever API.
func (rs *Readers) feverRoutes(edit *web.Action) []web.Route {
	get := web.Route{Pattern: "GET " + feverMount, Query: web.AnyQuery, Scope: feed.ScopeFollows, Untagged: true, Unknown: refuseFever, Serve: rs.fever}
	post := get
	post.Pattern, post.Action = "POST "+feverMount, edit
	return []web.Route{get, post}
}

// refuseFever answers a call without a valid key.
func refuseFever(w http.ResponseWriter, _ *http.Request) error {
	return reply(w, object{"api_version": 3, "auth": 0})
}

// feverCall is a call of the Fever API.
type feverCall struct {
	call
	feeds  map[string]int64 // ids of the feeds that the user follows, by URL
	groups map[string]int64 // ids of their labels
}

// fever serves a call, which may mark something and ask for several lists.
func (rs *Readers) fever(w http.ResponseWriter, r *http.Request) error {
	if v := web.VisitorOf(r); !v.ByToken { // a session comes with links of other sites, too
		return refuseFever(w, r)
	}
	user, err := rs.account(r)
	if err != nil {
		return err
	}
	follows, err := rs.store.Follows(r.Context(), user)
	if err != nil {
		return err
	}
	c := &feverCall{call: call{r, r.Form, user, follows}}
	if err := rs.setFeverIDs(c); err != nil {
		return err
	}
	answer := object{"api_version": 3, "auth": 1, "last_refreshed_on_time": rs.web.Now().Unix()}
	for _, part := range []struct {
		name string
		add  func(c *feverCall, answer object) error
	}{
		{"mark", rs.feverMark}, {"groups", feverGroups}, {"feeds", rs.feverFeeds}, {"items", rs.feverItems},
		{"unread_item_ids", rs.feverUnread}, {"saved_item_ids", rs.feverSaved}, {"favicons", noFavicons}, {"links", noLinks},
	} {
		if c.Has(part.name) {
			if err := part.add(c, answer); err != nil {
				return err
			}
		}
	}
	return reply(w, answer)
}

// setFeverIDs sets the ids of the feeds and groups of a call. Apps store them, so they must not change with what else the user follows:
// of two feeds with the same hash, the one that was followed first has it, and the other one stores its id in the follow.
func (rs *Readers) setFeverIDs(c *feverCall) error {
	oldest := slices.SortedFunc(slices.Values(c.follows), func(a, b feed.Follow) int {
		return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.FeedURL, b.FeedURL))
	})
	urls, labels, stored := make([]string, len(oldest)), make([]string, len(oldest)), make(map[string]int64)
	for i := range oldest {
		f := &oldest[i]
		urls[i], labels[i] = f.FeedURL, label(f)
		if f.FeverID != 0 {
			stored[f.FeedURL] = f.FeverID
		}
	}
	c.feeds, c.groups = feverIDs(urls, stored), feverIDs(labels, nil)
	for _, url := range urls {
		id := c.feeds[url]
		if stored[url] != 0 || id == feverHash(url) {
			continue
		}
		_, err := rs.store.ChangeFollow(c.Context(), c.user, url, feed.FollowChange{FeverID: &id})
		if err != nil && !errors.Is(err, feed.ErrNotFound) { // unfollowed meanwhile
			return err
		}
	}
	return nil
}

// feverIDs returns ids by name: those in stored, and hashes. If two names have the same hash, the first one has it, and the second one
// has the next id that is free.
func feverIDs(names []string, stored map[string]int64) map[string]int64 {
	ids, taken := make(map[string]int64, len(names)), map[int64]bool{everything: true}
	for name, id := range stored {
		ids[name], taken[id] = id, true
	}
	for _, name := range names {
		if ids[name] != 0 {
			continue
		}
		id := feverHash(name)
		for taken[id] {
			id = (id + 1) & math.MaxInt32
		}
		ids[name], taken[id] = id, true
	}
	return ids
}

// feverHash returns a hash of 31 bits, because some apps store signed numbers of 32 bits.
func feverHash(name string) int64 {
	sum := sha256.Sum256([]byte(name))
	return int64(binary.BigEndian.Uint32(sum[:4]) & math.MaxInt32)
}

// feverGroups adds the groups, which are labels, and which feeds have them.
func feverGroups(c *feverCall, answer object) error {
	groups := make([]object, 0, len(c.groups))
	for _, name := range slices.Sorted(maps.Keys(c.groups)) {
		groups = append(groups, object{"id": c.groups[name], "title": name})
	}
	answer["groups"], answer["feeds_groups"] = groups, c.feedsGroups()
	return nil
}

// feedsGroups returns the feeds of each group.
func (c *feverCall) feedsGroups() []object {
	all := make([]object, 0, len(c.groups))
	for _, name := range slices.Sorted(maps.Keys(c.groups)) {
		var feeds []string
		for _, f := range c.inLabel(name) {
			feeds = append(feeds, strconv.FormatInt(c.feeds[f.FeedURL], 10))
		}
		all = append(all, object{"group_id": c.groups[name], "feed_ids": strings.Join(feeds, ",")})
	}
	return all
}

// feverFeeds adds the feeds.
func (rs *Readers) feverFeeds(c *feverCall, answer object) error {
	abouts, err := rs.aboutSources(c.Context(), c.follows)
	feeds := make([]object, len(c.follows))
	for i := range c.follows {
		f := &c.follows[i]
		about := abouts[f.FeedURL]
		feeds[i] = object{
			"id": c.feeds[f.FeedURL], "favicon_id": 0, "title": f.Named(about.Title).Name, "url": f.FeedURL, "site_url": about.Link, "is_spark": 0,
			"last_updated_on_time": rs.web.Now().Unix(),
		}
	}
	answer["feeds"], answer["feeds_groups"] = feeds, c.feedsGroups()
	return err
}

func noFavicons(_ *feverCall, answer object) error {
	answer["favicons"] = []object{}
	return nil
}

func noLinks(_ *feverCall, answer object) error {
	answer["links"] = []object{}
	return nil
}
