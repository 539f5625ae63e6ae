//go:build !race

package daemon

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/publish/desk/users"
	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// documentedKey is a line of a key list in the documentation of store.
type documentedKey struct {
	name, typ, text string
	words           []string // of text, such as names of fields
	section         string   // what it stands under
	pattern         *regexp.Regexp
	expires         bool
	ttl             time.Duration // the longest; 0: none is stated
}

var (
	keyLine     = regexp.MustCompile(`^//\t(\S+)\s+(integer|string|hash|list|set|zset|stream)\s+(.+)$`)
	keySection  = regexp.MustCompile(`^// (Entries|Sources|Push in|Signals|Articles|The hub|People|Timelines|Bookkeeping)\b`)
	keyMore     = regexp.MustCompile(`^//\t\s+(.+)$`)
	keyTTL      = regexp.MustCompile(`TTL ([0-9]+) (h|s)`)
	keyWord     = regexp.MustCompile(`[\w<>]+`)
	fieldOfFeed = regexp.MustCompile(`_(production|development)$`)
	sourceTag   = regexp.MustCompile(`^p[0-6][0-9]$`)
	userTag     = regexp.MustCompile(`^u[0-6][0-9]$`)
)

// placeholders are what may stand for the names in <>.
var placeholders = strings.NewReplacer(
	"<n>", "[0-9]+", "<user>", "[0-9]+", "<feed_url>", "(?:https?://|feedwire:local/).+", "<uuid>", "[0-9a-f-]{36}", "<type>", "[a-z][a-z0-9_-]*", "<id>", "[^:]+",
	"<object>", "[0-9]+(?:-[0-9]+)?", "<host>", ".+", "<token>", "[^:]+", "<topic>", "[0-9a-f]{12}",
	"<name>", "[a-z0-9._@-]+", "<hash>", "[0-9a-f]{64}", "<sum>", "[0-9a-f]{40}", "<whose>", ".+", "<url>", ".+", "<ip>", "[0-9a-f.-]+",
)

// documentedKeys reads the key lists of store and of its packages. In those each key stands under the name of its package.
func documentedKeys(t *testing.T) (all []*documentedKey) {
	t.Helper()
	sections := map[string]string{"source": "Sources", "entry": "Entries", "signal": "Signals", "hub": "The hub", "timeline": "Timelines"}
	paths, err := filepath.Glob(filepath.Join("..", "..", "..", "store", "*", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(paths, filepath.Join("..", "..", "..", "store", "doc.go")) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		section := sections[filepath.Base(filepath.Dir(path))]
		for line := range strings.Lines(string(text)) {
			line = strings.TrimRight(line, "\n")
			if m := keySection.FindStringSubmatch(line); m != nil {
				section = m[1]
			}
			if m := keyLine.FindStringSubmatch(line); m != nil {
				pattern := "^" + placeholders.Replace(regexp.QuoteMeta(m[1])) + "$"
				all = append(all, &documentedKey{name: m[1], typ: m[2], text: m[3], section: section, pattern: regexp.MustCompile(pattern)})
			} else if m := keyMore.FindStringSubmatch(line); m != nil && len(all) > 0 {
				all[len(all)-1].text += " " + m[1]
			}
		}
	}
	for _, k := range all {
		k.expires = strings.Contains(k.text, "TTL")
		k.words = keyWord.FindAllString(k.text, -1)
		if m := keyTTL.FindStringSubmatch(k.text); m != nil {
			var err error
			if k.ttl, err = time.ParseDuration(m[1] + m[2]); err != nil {
				t.Fatal(err)
			}
		}
	}
	return all
}

// TestStableKeysAreDocumented checks that docs/reference/keys.md names only keys of the list, with their type.
func TestStableKeysAreDocumented(t *testing.T) {
	types := make(map[string]string)
	for _, k := range documentedKeys(t) {
		types[k.name] = k.typ
	}
	rows := regexp.MustCompile("(?m)^\\| `(\\S+)` \\| (\\w+) \\|").FindAllStringSubmatch(wiretest.ReadFile(t, "docs/reference/keys.md"), -1)
	if len(rows) < 10 {
		t.Fatalf("docs/reference/keys.md has %d keys", len(rows))
	}
	for _, row := range rows {
		if types[row[1]] != row[2] {
			t.Errorf("docs/reference/keys.md says that %s is a %s; the list of keys says %q", row[1], row[2], types[row[1]])
		}
	}
}

// checkKeys compares every key of a store with the list, and marks in seen what of the list is there.
func checkKeys(t *testing.T, c *storetest.Redigo, prefix string, list []*documentedKey, seen map[string]bool) {
	t.Helper()
	for _, key := range c.Strings("KEYS", "*") {
		name, ok := strings.CutPrefix(key, prefix)
		if !ok {
			t.Errorf("key %s does not begin with the prefix %q", key, prefix)
		}
		place := ""
		if tagged, ok := strings.CutPrefix(name, "{"); ok {
			place, name, _ = strings.Cut(tagged, "}")
		}
		i := slices.IndexFunc(list, func(k *documentedKey) bool { return k.pattern.MatchString(name) })
		if i < 0 {
			t.Errorf("key %s is not documented", key)
			continue
		}
		k := list[i]
		seen[k.name] = true
		if place != "" && !k.belongs(place) {
			t.Errorf("key %s is not in the place of %s", key, k.name)
		}
		checkType(t, c, key, k)
		switch ttl := time.Duration(c.Int("PTTL", key)) * time.Millisecond; {
		case ttl == -2*time.Millisecond: // it has ended since
		case !k.expires && ttl >= 0:
			t.Errorf("key %s has a TTL of %v; the documentation gives %s none", key, ttl, k.name)
		case ttl == -time.Millisecond && (strings.Contains(k.text, "the newest none") || strings.Contains(k.text, "the others none")):
		case k.expires && (ttl < 0 || (k.ttl > 0 && ttl > k.ttl)):
			t.Errorf("key %s has a TTL of %v; the documentation gives %s %v", key, ttl, k.name, k.ttl)
		}
	}
}

// belongs reports whether a key of an installation in parts is in its place, by the tag.
func (k *documentedKey) belongs(place string) bool {
	inPart := sourceTag.MatchString(place)
	switch {
	case k.name == "activity:<n>":
		return inPart || place == "desk"
	case k.name == "signals":
		return inPart || place == "hub"
	case k.name == "removed:<id>":
		return place == "desk"
	case strings.Contains(k.name, "<user>"):
		return userTag.MatchString(place)
	case k.name == "<feed_url>:followers":
		return inPart
	case slices.Contains([]string{"Entries", "Sources", "Push in"}, k.section):
		return inPart
	case slices.Contains([]string{"Signals", "The hub", "Timelines"}, k.section):
		return place == "hub"
	}
	return place == "desk"
}

// checkType compares the type of a key, and the fields of a hash that has named ones.
func checkType(t *testing.T, c *storetest.Redigo, key string, k *documentedKey) {
	t.Helper()
	got, _ := c.Do("TYPE", key).(string)
	switch {
	case k.typ == "integer" && got == "string":
		if value, _ := c.Do("GET", key).([]byte); value != nil {
			if _, err := strconv.ParseInt(string(value), 10, 64); err != nil {
				t.Errorf("key %s holds %q; the documentation says that %s is an integer", key, value, k.name)
			}
		}
	case got == "none": // it has ended since
	case got != k.typ:
		t.Errorf("key %s is a %s; the documentation says that %s is a %s", key, got, k.name, k.typ)
	case got == "hash" && !strings.Contains(k.text, "→"):
		for field := range c.StringMap("HGETALL", key) {
			field = fieldOfFeed.ReplaceAllString(field, "_<type>")
			if !slices.Contains(k.words, field) {
				t.Errorf("key %s has the field %s, which the documentation does not name with %s", key, field, k.name)
			}
		}
	}
}

// Every key that the daemon makes on the walk of a post and beside it is documented with its
// type, its fields and its TTL; and every key of the list is made.
func TestEveryKeyIsDocumented(t *testing.T) {
	t.Parallel()
	const prefix = "news:"
	redis := storetest.RedisAOF(t)
	d := start(t, redis, "  prefix: \""+prefix+"\"\nfetch: {allow_networks: [127.0.0.0/8], keep_entries: 1, host_delay: 30s, min_interval: 0s}\npeople: {sign_up: open}\nvotes: {anonymous: true}\n")
	raw := storetest.Commands(t, redis.Dial)
	list, seen := documentedKeys(t), make(map[string]bool)

	web := wiretest.NewOrigin(t)
	url := web.URL + "/feed.xml"
	web.Set("/feed.xml", wiretest.Posts(3)...)
	src := d.add(url, map[string]any{"publish": "auto"})
	d.add("http://192.0.2.1/feed.xml", nil) // refused before a connection; a host that is not this machine is spared
	wiretest.Eventually(t, "published", func() bool { return len(d.articles("feed=production&state=published")) == 3 })
	for n := range feed.ImportAfter {
		d.fetch("production", wiretest.Facebook, nil)
		wiretest.Eventually(t, "counted", func() bool {
			return d.metric("feedwire_impressions_total", "outcome", "counted") == float64(3*(n+1))
		})
	}
	edited := wiretest.Posts(3)
	edited[2].Title = "Post 2, corrected"
	web.Set("/feed.xml", edited...)
	src = d.poll(src)
	wiretest.Eventually(t, "published again", func() bool { return len(d.articles("feed=production&state=published")) == 1 })
	checkKeys(t, raw, prefix, list, seen)

	for _, move := range []struct{ guid, what string }{{"p0", "publish"}, {"p0", "withdraw"}, {"p1", "publish"}} {
		var done feed.Transition
		d.do(http.MethodPost, "/api/v1/articles/"+feed.ArticleUUID(url, move.guid)+"/"+move.what,
			map[string]string{"feed": "development"}, &done)
	}
	wiretest.Eventually(t, "aged out of a feed without a window", func() bool {
		uuids, err := d.app.store.Articles.ExpireArticles(t.Context(), "development", 0)
		return err == nil && len(uuids) == 1
	})
	decision := feed.Decision{UUID: feed.ArticleUUID(url, "p2"), Type: "development", Publish: true}
	if _, err := d.app.store.Articles.Decide(t.Context(), "by-a-person", []feed.Decision{decision}); err != nil {
		t.Fatal(err)
	}
	for _, guid := range []string{"waits", "dull"} { // a rule would publish what the source lists
		if _, err := d.app.store.Articles.SaveArticle(t.Context(), feed.Article{UUID: feed.ArticleUUID(url, guid), FeedURL: url, GUID: guid, Digest: "1"}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := d.app.store.Articles.Dismiss(t.Context(), "by-a-person-too", []string{feed.ArticleUUID(url, "dull")}, false); err != nil {
		t.Fatal(err)
	}
	web.Set("/feed.xml", edited[2])
	d.poll(src)
	if err := d.app.expireEntries(t.Context()); err != nil {
		t.Fatal(err)
	}
	subscribe(t, d, url)
	useHub(t, d, redis, prefix, url)
	readTimeline(t, d, redis, prefix, url)
	queueHub(t, prefix, list, seen)
	fillParts(t, prefix, list, seen)
	breakOffCopy(t, prefix, list, seen)
	welcome(t, d)
	d.sendPlainRequests(src)
	removed := d.add("http://192.0.2.2/feed.xml", nil)
	d.do(http.MethodDelete, "/api/v1/sources/"+removed.ID, nil, nil)
	wiretest.Eventually(t, "visits are remembered", func() bool {
		states, err := d.app.store.Articles.FeedStates(t.Context(), []string{"production"}, 1)
		return err == nil && len(states[0].Visits) == 1
	})
	whilePolling(t, d, func() {
		work(t, d)
		checkKeys(t, raw, prefix, list, seen)
	})
	d.takeDown(src)
	wiretest.Eventually(t, "the article is removed", func() bool {
		checkKeys(t, raw, prefix, list, seen)
		return seen["removals"]
	})

	checkKeys(t, restoreInPart(t, d, prefix), prefix, list, seen)
	raw.Do("ZADD", prefix+"taken_back_production", 1, "uuid") // as layout 1 has it
	checkKeys(t, raw, prefix, list, seen)

	for _, k := range list {
		if !seen[k.name] {
			t.Errorf("%s is documented, and the walk did not make it; it made %v", k.name, slices.Sorted(maps.Keys(seen)))
		}
	}
}

// sendPlainRequests carries out the operations of the API that need no body and name nothing but an entry.
func (d *daemon) sendPlainRequests(src feed.Source) {
	d.t.Helper()
	var entries feed.Page[feed.Entry]
	d.do(http.MethodGet, "/api/v1/sources/"+src.ID+"/entries", nil, &entries)
	for route, op := range contractOf(d.t, d.Base).operations() {
		method, path, _ := strings.Cut(route, " ")
		path = strings.ReplaceAll(path, "{n}", strings.TrimPrefix(entries.Items[0].ID, "Entry:"))
		if method == http.MethodPost && op.RequestBody == nil && !strings.Contains(path, "{") {
			d.do(method, path, nil, nil)
		}
	}
}

// takeDown takes the newest entry of a source down.
func (d *daemon) takeDown(src feed.Source) {
	d.t.Helper()
	var entries feed.Page[feed.Entry]
	d.do(http.MethodGet, "/api/v1/sources/"+src.ID+"/entries", nil, &entries)
	d.do(http.MethodDelete, "/api/v1/entries/"+entries.Items[0].Number(), nil, nil)
}

// breakOffCopy looks at the keys of a copy that was broken off.
func breakOffCopy(t *testing.T, prefix string, list []*documentedKey, seen map[string]bool) {
	t.Helper()
	from, dial := storetest.New(t, store.Options{Dial: storetest.Redis(t)}), storetest.Redis(t)
	if err := from.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	to := storetest.New(t, store.Options{Dial: dial, Prefix: prefix})
	if _, err := from.CopyTo(ctx, to, false, func(int, int) { cancel() }); err == nil {
		t.Error("the copy was not broken off")
	}
	checkKeys(t, storetest.Commands(t, dial), prefix, list, seen)
}

// subscribe subscribes a source anew that was subscribed, as the daemon does when its hub changes.
func subscribe(t *testing.T, d *daemon, url string) {
	t.Helper()
	c, err := d.app.store.Sources.SourceCallback(t.Context(), url)
	for _, token := range []string{"first", "second"} {
		after := c
		after.State, after.Hub, after.Topic, after.Token = feed.PushPending, "https://hub.example.org/", url, token
		after.Secret, after.Due = "secret", time.Now().Add(time.Hour)
		if err == nil {
			c, err = d.app.store.Sources.ReplaceCallback(t.Context(), c, after)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// welcome leaves something of people: an account that is signed in, a link for another one, a token and its use.
func welcome(t *testing.T, d *daemon) {
	t.Helper()
	d.signUp(t, "ann")
	d.do(http.MethodPost, "/api/v1/users", map[string]string{"name": "bob", "role": "viewer"}, nil)
	d.do(http.MethodPost, "/api/v1/users", map[string]string{"name": "eve", "role": "viewer"}, nil)
	d.do(http.MethodPost, "/api/v1/users", map[string]string{"name": "mia", "role": "member"}, nil)
	d.do(http.MethodPost, "/api/v1/invitations", nil, nil)
	var sources feed.Page[feed.Source]
	d.do(http.MethodGet, "/api/v1/sources", nil, &sources)
	d.do(http.MethodPut, "/api/v1/default-follows/"+sources.Items[0].ID, nil, nil)
	joins := url.Values{"name": {"joe"}, "password": {password}, "again": {password}}
	if ended, status, text := d.person(t).sends("/sign-up", joins); ended != "/read" || status != http.StatusOK {
		t.Fatalf("the sign-up ends at %s: %d\n%s", ended, status, text)
	}
	invited, err := d.app.people.InviteMember(t.Context(), &feed.Visitor{Account: feed.Account{ID: 1}})
	if err == nil {
		err = d.app.store.People.SignUp(t.Context(), feed.SignUp{Name: "ivy", Invitation: invited.Sum})
	}
	if err != nil {
		t.Fatal(err)
	}
	d.do(http.MethodDelete, "/api/v1/users/eve", nil, nil)
	var made users.NewToken
	d.do(http.MethodPost, "/api/v1/tokens", map[string]any{"name": "t", "scopes": []string{"read", "follows"}}, &made)
	other := client.New(d.Base, made.Text, time.Minute)
	if err := other.Call(t.Context(), http.MethodGet, "/api/v1/status", nil, nil); err != nil {
		t.Fatal(err)
	}
	if _, _, err := d.app.store.People.ClaimResponse(t.Context(), 1, "of-ann", "sum", "token"); err != nil {
		t.Fatal(err)
	}
	if _, err := d.app.store.People.CountAttempt(t.Context(), "192.0.2.1", "ann"); err != nil {
		t.Fatal(err)
	}
	mia, err := d.app.store.People.Account(t.Context(), "mia")
	if err != nil {
		t.Fatal(err)
	}
	if err := d.app.store.People.ChangeProfile(t.Context(), mia.ID, feed.ProfileChange{Email: new("mia@example.org")}); err != nil {
		t.Fatal(err)
	}
	if err := d.app.store.People.CountMail(t.Context(), "mia@example.org"); err != nil {
		t.Fatal(err)
	}
	if err := d.app.store.People.RequestReset(t.Context(), "mia", "mia@example.org", "192.0.2.1"); err != nil {
		t.Fatal(err)
	}
}

// work leaves an import under way; the daemon does not get it before the end of the claim.
func work(t *testing.T, d *daemon) {
	t.Helper()
	wiretest.Eventually(t, "claimed", func() bool { // the daemon may be quicker
		if err := d.app.store.Ops.StartJob(t.Context(), feed.Job{ID: rand.Text(), State: feed.JobWaiting}, nil, 100); err != nil {
			t.Fatal(err)
		}
		claim, err := d.app.store.Ops.ClaimJob(t.Context())
		if err != nil {
			return false
		}
		claim.Job.State = feed.JobRunning
		return d.app.store.Ops.SaveJob(t.Context(), claim, 0, []feed.JobResult{{URL: "https://a.example/"}}) == nil
	})
}

// queueHub leaves something where a daemon would not let it wait, in a store without one.
func queueHub(t *testing.T, prefix string, list []*documentedKey, seen map[string]bool) {
	t.Helper()
	redis := storetest.RedisAOF(t)
	s := storetest.New(t, store.Options{Dial: redis.Dial, Prefix: prefix, Owner: "owner"})
	var sub feed.Subscription
	for n := range 40 { // more than are queued with a version
		sub = feed.Subscription{Topic: "http://x.example/", Callback: fmt.Sprintf("http://y.example/%d", n), Kind: feed.KindWebSub}
		if err := s.Hub.Subscribe(t.Context(), &sub); err != nil {
			t.Fatal(err)
		}
	}
	err := errors.Join(s.Hub.AddHubRequest(t.Context(), feed.HubRequest{Mode: feed.HubUnsubscribe, Topic: sub.Topic, Callback: sub.Callback}, 3),
		s.Hub.Distribute(t.Context(), feed.HubStep{FeedURL: sub.Topic, AheadTo: "1-0"}, nil))
	if err != nil {
		t.Fatal(err)
	}
	requests, _, err := s.Hub.ClaimHubRequests(t.Context(), 1, 20*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	checkOpenTopic(t, s, &requests[0])
	raw := storetest.Commands(t, redis.Dial)
	raw.Do("XADD", prefix+"audit:copy", "*", "who", "ann") // by a daemon that is killed
	for _, body := range []string{"one", "two"} {
		if _, err := s.Hub.DistributeServed(t.Context(), feed.Distribution{Topic: sub.Topic, ContentType: "text/plain", Body: []byte(body)}); err != nil {
			t.Fatal(err)
		}
		checkKeys(t, raw, prefix, list, seen)
		if _, _, err := s.Hub.PlanDeliveries(t.Context(), 10); err != nil {
			t.Fatal(err)
		}
		checkKeys(t, raw, prefix, list, seen)
	}
}

// checkOpenTopic leaves open topics of which one is being checked and has a subscription, by a claimed request.
func checkOpenTopic(t *testing.T, s *store.Store, r *feed.HubRequest) {
	t.Helper()
	limits := feed.OpenTopicLimits{Topics: 2, Bytes: 100}
	later := feed.OpenTopic{URL: "http://x.example/later"}
	err := errors.Join(s.Topics.AddOpenTopic(t.Context(), feed.OpenTopic{URL: r.Topic}, time.Now(), limits),
		s.Topics.AddOpenTopic(t.Context(), later, time.Now().Add(time.Hour), limits))
	if err != nil {
		t.Fatal(err)
	}
	claimed, _, err := s.Topics.ClaimOpenTopics(t.Context(), 1, time.Minute)
	if err != nil || len(claimed) != 1 {
		t.Fatalf("claimed %v, %v", claimed, err)
	}
	if err := s.Topics.ReserveOpenTopic(t.Context(), claimed[0], 10, limits); err != nil {
		t.Fatal(err)
	}
	asked := feed.HubRequest{Mode: feed.HubSubscribe, Topic: r.Topic, Callback: r.Callback + "open", Client: "192.0.2.1", Lease: time.Hour}
	if err := s.Hub.AddHubRequest(t.Context(), asked, 3); err != nil {
		t.Fatal(err)
	}
	requests, _, err := s.Hub.ClaimHubRequests(t.Context(), 1, 20*time.Second)
	if err != nil || len(requests) != 1 {
		t.Fatalf("claimed %v, %v", requests, err)
	}
	if err := s.Hub.GrantHubRequest(t.Context(), requests[0], time.Now()); err != nil {
		t.Fatal(err)
	}
}

// fillParts looks at the keys of an installation in parts.
func fillParts(t *testing.T, prefix string, list []*documentedKey, seen map[string]bool) {
	t.Helper()
	dial := storetest.Redis(t)
	s := storetest.New(t, store.Options{Dial: dial, Prefix: prefix, Sharded: true, HostDelay: time.Second, Spread: time.Hour})
	const url = "http://source.example/{feed}"
	src, _, err := s.Sources.AddSource(t.Context(), feed.Source{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	claims, err := s.Sources.ClaimSources(t.Context(), 1, time.Minute)
	if err != nil || len(claims) != 1 {
		t.Fatalf("claimed %d, %v", len(claims), err)
	}
	entry := feed.Entry{FeedURL: src.URL, GUID: "g", Title: "T", Timestamp: time.Now(), Link: "http://x.example/"}
	sub := feed.Subscription{Topic: src.URL, Callback: "http://y.example/", Kind: feed.KindWebSub}
	article := feed.Article{UUID: feed.ArticleUUID(src.URL, "g"), FeedURL: src.URL, GUID: "g", Title: "T", Digest: "d"}
	_, saved := s.Entries.SaveEntries(t.Context(), claims[0], feed.Document{Entries: []feed.Entry{entry}})
	_, left := s.Sources.ReplaceCallback(t.Context(), feed.PushSubscription{FeedURL: src.URL}, feed.PushSubscription{Token: "token", Due: time.Now()})
	_, known := s.Articles.SaveArticle(t.Context(), article)
	_, err = s.Articles.AutoPublish(t.Context(), article.UUID, "production", "d", true)
	if err := errors.Join(s.Check(t.Context()), saved, left, known, err, s.Hub.Subscribe(t.Context(), &sub)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Timelines.Follow(t.Context(), 404, feed.Follow{FeedURL: src.URL}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Timelines.Timeline(t.Context(), 404, feed.Cursor{}, 10); err != nil {
		t.Fatal(err)
	}
	checkKeys(t, storetest.Commands(t, dial), prefix, list, seen)
	finished := s.Sources.FinishPoll(t.Context(), &claims[0], &feed.PollResult{State: feed.PollState{ErrorClass: "dns", Errors: 1, NextPoll: time.Now()}})
	if err := errors.Join(finished, s.Sources.RemoveSource(t.Context(), src.ID, 0)); err != nil {
		t.Fatal(err)
	}
	checkKeys(t, storetest.Commands(t, dial), prefix, list, seen)
}

// useHub leaves something at each station of the hub.
func useHub(t *testing.T, d *daemon, redis *storetest.Server, prefix, url string) {
	t.Helper()
	failing := &feed.Subscription{Topic: url, Callback: "http://127.0.0.1:1/cb", Kind: feed.KindWebSub, Lease: time.Hour}
	ping := &feed.Subscription{Topic: "http://127.0.0.1:1/quiet", Callback: "http://127.0.0.1:1/hub", Kind: feed.KindPing} // never due, and so not ended
	paused := &feed.Subscription{Topic: url, Callback: "http://127.0.0.1:1/paused", Kind: feed.KindWebSub, Lease: time.Hour}
	hook := &feed.Subscription{Topic: feed.SignalFilter{}.Topic(), Callback: "http://127.0.0.1:1/hook", Kind: feed.KindWebhook, Secret: feed.NewWebhookSecret()}
	s := d.app.store
	err := errors.Join(s.Hub.Subscribe(t.Context(), hook), s.Hub.Subscribe(t.Context(), failing), s.Hub.Subscribe(t.Context(), paused), s.Hub.PauseSubscription(t.Context(), paused.ID),
		s.Hub.Subscribe(t.Context(), ping), s.Topics.CountSubscribers(t.Context()), s.Topics.StoreDocument(t.Context(), url, "text/plain", []byte("as it came")))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Hub.DistributeServed(t.Context(), feed.Distribution{Topic: url, ContentType: "text/plain", Body: []byte("news")}); err != nil {
		t.Fatal(err)
	}
	wiretest.Eventually(t, "a delivery has failed", func() bool {
		sub, err := s.Hub.Subscription(t.Context(), failing.ID)
		return err == nil && sub.Health.Failures > 0
	})
	raw := storetest.Commands(t, redis.Dial)
	raw.Do("HSET", prefix+"hub:idle", feed.TopicID(url), 1795206000)
	raw.Do("HSET", prefix+"hub:readers", failing.ID, 17)
	raw.Do("HSET", prefix+"hub:replays", failing.ID, 1795211026489)
	raw.Do("XADD", prefix+"hub:dead", "*", "subscription", failing.ID)
	raw.Do("HSET", prefix+"hub:requests", failing.ID+".1", "{}\n0 0")
	raw.Do("ZADD", prefix+"hub:verify", "+inf", failing.ID+".1")
}

// leavePosts leaves a post of a user, and one that was removed.
func leavePosts(t *testing.T, s *store.Store) {
	t.Helper()
	ctx, url := t.Context(), feed.MemberURL(404)
	_, _, err := s.Sources.AddSource(ctx, feed.Source{URL: url})
	for i := range 2 {
		e := feed.Entry{FeedURL: url, GUID: strconv.Itoa(i), Title: "T", Timestamp: time.Now()}
		err = errors.Join(err, s.Entries.SaveEntry(ctx, &e))
		if i == 1 {
			_, taken := s.Entries.TakeDownEntry(ctx, e.ID)
			err = errors.Join(err, taken)
		}
		err = errors.Join(err, s.Timelines.UpdatePost(ctx, 404, e.ID))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// readTimeline leaves a user with a timeline, and something at each station of the fan-out.
func readTimeline(t *testing.T, d *daemon, redis *storetest.Server, prefix, url string) {
	t.Helper()
	s := d.app.store.Timelines
	_, err := s.Follow(t.Context(), 404, feed.Follow{FeedURL: url})
	if err == nil {
		err = s.CountFetch(t.Context(), 404)
	}
	if err == nil {
		_, err = s.Timeline(t.Context(), 404, feed.Cursor{}, 10)
	}
	if err == nil {
		err = s.MarkSources(t.Context(), 404, feed.Selection{}, time.Time{})
	}
	entries, _ := d.app.store.Entries.Entries(t.Context(), url, 1)
	if err == nil {
		err = s.AddSaved(t.Context(), 404, entries[0].ID)
	}
	if err == nil {
		err = errors.Join(s.CountPost(t.Context(), 404, 1), s.CountUpload(t.Context(), 404, 1, 1), s.CountVote(t.Context(), 404))
		account, limits := feed.Account{ID: 404, Created: time.Now()}, feed.NewAccountLimits{Age: time.Hour, Submissions: 1, Comments: 1}
		for _, what := range []feed.Limited{feed.LimitedSubmissions, feed.LimitedComments} {
			err = errors.Join(err, s.CountLimited(t.Context(), &account, what, limits))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	leavePosts(t, d.app.store)
	leaveVotes(t, d.app.store, &entries[0])
	raw := storetest.Commands(t, redis.Dial)
	leaveNews(t, d.app.store, raw, prefix)
	raw.Do("ZADD", prefix+"user.read:404", 1795206001, "1 "+url)
	raw.Do("ZADD", prefix+"user.keepunread:404", 1795206000, "2 "+url)
	raw.Do("XADD", prefix+"fanout", "*", "feed_url", url)
	raw.Do("XADD", prefix+"fanout:dead", "*", "feed_url", url)
	raw.Do("SADD", prefix+"fanout:pulled", url)
	raw.Do("ZADD", prefix+"score:sport:build", 0, "next")
	raw.Do("EXPIRE", prefix+"score:sport:build", 60)
}

// leaveVotes leaves votes of a user up and down, and a group with and one without members.
func leaveVotes(t *testing.T, s *store.Store, e *feed.Entry) {
	t.Helper()
	other := feed.Entry{ID: "Entry:1000064", FeedURL: e.FeedURL, Timestamp: time.Now()}
	fresh := *e
	fresh.Timestamp = time.Now()
	_, err := s.Rankings.Vote(t.Context(), &fresh, 404, feed.VoteUp)
	if err == nil {
		_, err = s.Rankings.Vote(t.Context(), &other, 404, feed.VoteDown)
	}
	if err == nil {
		_, err = s.SignalVotes(t.Context())
	}
	if err == nil {
		_, err = s.SignalLists(t.Context(), func(list string) string { return "https://wire.example/lists/" + list + ".rss" })
	}
	if err == nil {
		_, err = s.Rankings.VoteAnonymously(t.Context(), &fresh, "192.0.2.1", feed.VoteUp)
	}
	err = errors.Join(err, s.Rankings.AddToGroup(t.Context(), "sport", &fresh), s.Rankings.AddToGroup(t.Context(), "empty", &other),
		s.Rankings.RemoveFromGroup(t.Context(), "empty", other.ID))
	_, saved := s.Rankings.SaveList(t.Context(), feed.EntryList{Name: "front", Title: "Front page"})
	_, placed := s.Rankings.PlaceInList(t.Context(), "front", &fresh, feed.ListTarget{}, "")
	err = errors.Join(err, saved, placed, s.Rankings.ComputeRankings(t.Context()), s.Rankings.SetRulesFollowed(t.Context(), "x"))
	if err == nil {
		_, err = s.Rankings.FollowRules(t.Context(), []feed.Selected{{Entry: other, Groups: []string{"sport"}}})
	}
	for _, group := range []string{"sport", "empty"} {
		if err == nil {
			_, _, err = s.Rankings.ListPlaces(t.Context(), group, feed.Cursor{}, 5)
		}
	}
	if err = errors.Join(err, s.Rankings.RemoveRanked(t.Context(), "Entry:1000128")); err != nil {
		t.Fatal(err)
	}
}

// leaveNews leaves a submission with votes up and down, which a member has reported, one that is held, and a ban.
func leaveNews(t *testing.T, s *store.Store, raw *storetest.Redigo, prefix string) {
	t.Helper()
	e := feed.Entry{ID: "Entry:1000192", FeedURL: feed.MemberURL(404), Timestamp: time.Now()}
	err := s.Community.Submit(t.Context(), &e, &feed.Submission{Title: "T", URL: "https://a.example/"}, false)
	removed := feed.Entry{ID: "Entry:1000256", FeedURL: e.FeedURL, Timestamp: e.Timestamp}
	err = errors.Join(err, s.Community.Submit(t.Context(), &removed, &feed.Submission{Title: "R", Text: "R"}, true))
	_, moderated := s.Community.ModerateNews(t.Context(), 1000256, feed.Removed, "")
	held := feed.Entry{ID: "Entry:1000320", FeedURL: e.FeedURL, Timestamp: e.Timestamp, Hidden: true}
	err = errors.Join(err, moderated, s.Community.Submit(t.Context(), &held, &feed.Submission{Title: "H", Text: "H"}, true))
	a := feed.Account{Name: "voter", Role: feed.RoleMember, Created: time.Now().Add(-100 * time.Hour)}
	err = errors.Join(err, s.People.AddAccount(t.Context(), a))
	if err == nil {
		a, err = s.People.Account(t.Context(), a.Name)
	}
	_, visited := s.Community.VisitCommunity(t.Context(), a.ID)
	err = errors.Join(err, visited)
	raw.Do("HSET", fmt.Sprint(prefix, "user:", a.ID), "karma", feed.KarmaToDownvote)
	if err == nil {
		_, err = s.Community.VoteOnNews(t.Context(), &e, a.ID, feed.VoteDown)
		c, commented := s.Community.AddComment(t.Context(), 1000192, a.ID, feed.NoParent, "Why?")
		_, voted := s.Community.VoteOnComment(t.Context(), 1000192, c, 404, feed.VoteUp)
		_, replied := s.Community.AddComment(t.Context(), 1000192, 404, c, "Why not?")
		_, banned := s.Community.Ban(t.Context(), 405)
		err = errors.Join(err, commented, voted, replied, banned, s.Community.Report(t.Context(), feed.Reported{News: 1000192}, a.ID, "spam"))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// whilePolling does something while the poll of a source is under way.
func whilePolling(t *testing.T, d *daemon, do func()) {
	t.Helper()
	asked, release := make(chan struct{}, 1), make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case asked <- struct{}{}:
		default:
		}
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	defer slow.Close()
	defer close(release)
	d.do(http.MethodPost, "/api/v1/sources", map[string]any{"url": slow.URL}, nil)
	ctx, cancel := context.WithTimeout(t.Context(), wiretest.Patience)
	defer cancel()
	select {
	case <-asked:
		do()
	case <-ctx.Done():
		t.Error("the source was not polled")
	}
}

// restoreInPart brings a backup of a daemon into another Redis, and is cut off.
func restoreInPart(t *testing.T, d *daemon, prefix string) *storetest.Redigo {
	t.Helper()
	var file bytes.Buffer
	if _, err := d.app.store.Ops.Backup(t.Context(), &file); err != nil {
		t.Fatal(err)
	}
	dial := storetest.Redis(t)
	s := storetest.New(t, store.Options{Dial: dial, Prefix: prefix})
	if _, err := s.Ops.RestoreBackup(t.Context(), &readOnce{Reader: bytes.NewReader(file.Bytes())}, false); err == nil {
		t.Fatal("a restore that was cut off succeeded")
	}
	return storetest.Commands(t, dial)
}

// readOnce can be read to its end once, and not again.
type readOnce struct {
	*bytes.Reader
	again bool
}

func (r *readOnce) Seek(offset int64, whence int) (int64, error) {
	r.again = true
	return r.Reader.Seek(offset, whence)
}

func (r *readOnce) Read(p []byte) (int, error) {
	if r.again {
		return 0, errors.New("cut off")
	}
	return r.Reader.Read(p)
}
