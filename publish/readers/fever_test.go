package readers_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish/readers"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// fever is an answer of the Fever API. The ids of feeds and groups are those of apps that store 32 bits.
type fever struct {
	Version int `json:"api_version"`
	Auth    int
	Groups  []struct {
		ID    int32
		Title string
	}
	FeedsGroups []feverMembers `json:"feeds_groups"`
	Feeds       []feverFeed
	Favicons    []any
	Links       []any
	Total       int `json:"total_items"`
	Items       []feverItem
	Unread      *string `json:"unread_item_ids"`
	Saved       *string `json:"saved_item_ids"`
}

type feverMembers struct {
	GroupID int32  `json:"group_id"`
	FeedIDs string `json:"feed_ids"`
}

type feverFeed struct {
	ID         int32
	Title, URL string
}

type feverItem struct {
	ID               int64
	FeedID           int32 `json:"feed_id"`
	Title, HTML, URL string
	Saved            int   `json:"is_saved"`
	Read             int   `json:"is_read"`
	Created          int64 `json:"created_on_time"`
}

// fever sends the query of a call, with the key in its form.
func (a *app) fever(query string) (answer fever) {
	a.t.Helper()
	text := a.call(http.StatusOK, "/api/fever.php?api&"+query, url.Values{"api_key": {"0123"}})
	if err := json.Unmarshal([]byte(text), &answer); err != nil || answer.Version != 3 || answer.Auth != 1 {
		a.t.Fatalf("%s: %v: %s", query, err, text)
	}
	return answer
}

// feverItems returns the ids of the entries of an answer.
func (a *app) feverItems(query string) (ids []int64) {
	a.t.Helper()
	for _, item := range a.fever("items&" + query).Items {
		ids = append(ids, item.ID)
	}
	return ids
}

// parseIDs returns the ids of a list in ascending order.
func parseIDs(t *testing.T, list *string) (ids []int64) {
	t.Helper()
	if list == nil {
		t.Fatal("there is no list of ids")
	}
	for text := range strings.SplitSeq(*list, ",") {
		if id, err := strconv.ParseInt(text, 10, 64); err == nil {
			ids = append(ids, id)
		} else if *list != "" {
			t.Errorf("the list is %q", *list)
		}
	}
	return slices.Sorted(slices.Values(ids))
}

func TestFeverAppReadsFeedsAndGroups(t *testing.T) {
	a := newApp(t)
	a.send(201, "PUT", site, `{"folder": "Sea", "title": "Harbour"}`)
	a.send(201, "PUT", quiet, `{}`)
	all := a.fever("groups&feeds&favicons&links")
	if len(all.Groups) != 2 || all.Favicons == nil || all.Links == nil || all.Items != nil || all.Unread != nil {
		t.Fatalf("got %+v", all)
	}
	got := make(map[string]string)
	for _, f := range all.Feeds {
		for _, g := range all.Groups {
			if slices.Contains(all.FeedsGroups, feverMembers{g.ID, strconv.Itoa(int(f.ID))}) {
				got[f.URL] = f.Title + " in " + g.Title
			}
		}
	}
	if len(got) != 2 || got[storetest.Site] != "Harbour in Sea" || !strings.HasSuffix(got[storetest.Paused], " in Uncategorized") {
		t.Errorf("the feeds are %q", got)
	}
	if again := a.fever("feeds"); !slices.Equal(again.Feeds, all.Feeds) || !slices.Equal(again.FeedsGroups, all.FeedsGroups) {
		t.Errorf("the ids change: %+v", again)
	}
}

// Of 100,000 hashes of 31 bits some are equal.
func TestFeverIDsDiffer(t *testing.T) {
	names := make([]string, 100_000)
	for i := range names {
		names[i] = numbered(i)
	}
	known := make(map[int64]bool)
	for _, id := range readers.FeverIDs(names, nil) {
		known[id] = true
		if id <= 0 || id > math.MaxInt32 {
			t.Fatalf("%d is an id", id)
		}
	}
	if len(known) != len(names) {
		t.Errorf("%d names have %d ids", len(names), len(known))
	}
}

// sameHash returns two sources with the same feverHash, of numbered.
func sameHash(t *testing.T) (first, second int) {
	t.Helper()
	known := make(map[int64]int)
	for n := range 1_000_000 {
		hash := readers.FeverHash(numbered(n))
		if other, ok := known[hash]; ok {
			return other, n
		}
		known[hash] = n
	}
	t.Fatal("a million sources have different hashes")
	return 0, 0
}

func TestFeverFeedKeepsItsID(t *testing.T) {
	a := newApp(t)
	one, two := sameHash(t)
	if numbered(one) < numbered(two) { // the order of URLs is not that of time
		one, two = two, one
	}
	ids := func() map[string]int32 {
		all := make(map[string]int32)
		for _, f := range a.fever("feeds").Feeds {
			all[f.URL] = f.ID
		}
		return all
	}
	hash := int32(readers.FeverHash(numbered(one)))
	a.followNumber(two)
	a.Clock.Advance(time.Second)
	a.followNumber(one)
	want := map[string]int32{numbered(two): hash, numbered(one): hash + 1}
	if got := ids(); !maps.Equal(got, want) {
		t.Fatalf("the ids are %v, want %v", got, want)
	}
	if err := a.Unfollow(t.Context(), a.Visitor.Account.ID, numbered(two)); err != nil {
		t.Fatal(err)
	}
	if got := ids(); len(got) != 1 || got[numbered(one)] != hash+1 {
		t.Errorf("without the other one the ids are %v", got)
	}
	title := "Quay"
	if _, err := a.ChangeFollow(t.Context(), a.Visitor.Account.ID, numbered(one), feed.FollowChange{Title: &title}); err != nil {
		t.Fatal(err)
	}
	a.followNumber(two)
	if got := ids(); !maps.Equal(got, want) {
		t.Errorf("followed again, the ids are %v, want %v", got, want)
	}
	if text := a.send(200, "GET", "/follows", ""); strings.Contains(text, "fever") {
		t.Errorf("the API shows %s", text)
	}
}

// Apps read entries from the lowest id up, from the highest id down, or those that other lists name, 50 at a time.
func TestFeverAppReadsEntries(t *testing.T) {
	a := newApp(t)
	for i := range 3 {
		a.followNumber(i)
	}
	for i := range 120 {
		a.publish(i%3, i)
	}
	unread := parseIDs(t, a.fever("unread_item_ids").Unread)
	if len(unread) != 120 {
		t.Fatalf("%d entries are unread", len(unread))
	}
	var up, down []int64
	for since := int64(0); ; since = up[len(up)-1] {
		ids := a.feverItems(fmt.Sprint("since_id=", since))
		if up = append(up, ids...); len(ids) == 0 {
			break
		}
	}
	for before := int64(math.MaxInt32); ; before = down[len(down)-1] {
		ids := a.feverItems(fmt.Sprint("max_id=", before))
		if down = append(down, ids...); len(ids) == 0 {
			break
		}
	}
	if !slices.Equal(up, unread) {
		t.Errorf("from the lowest id: %v", up)
	}
	if slices.Reverse(down); !slices.Equal(down, unread) {
		t.Errorf("from the highest id: %v", down)
	}
	slices.Reverse(unread)
	for _, query := range []string{"", "max_id=0"} {
		if got := a.feverItems(query); !slices.Equal(got, unread[:50]) {
			t.Errorf("the newest are %v", got)
		}
	}
	some := a.fever(fmt.Sprintf("items&with_ids=%d,%d,x,-1,999999", unread[7], unread[3]))
	if len(some.Items) != 2 || some.Items[0].ID != unread[7] || some.Items[1].ID != unread[3] || some.Total != 120 {
		t.Fatalf("got %+v", some)
	}
	e := some.Items[0]
	known := slices.ContainsFunc(a.fever("feeds").Feeds, func(f feverFeed) bool { return f.ID == e.FeedID })
	if e.Title == "" || e.HTML != "<p>Text</p>" || e.Read != 0 || e.Saved != 0 || e.Created == 0 || !known {
		t.Errorf("the entry is %+v", e)
	}
	if got := a.feverItems("with_ids=" + strings.Repeat(fmt.Sprintf("%d,%d,", unread[7], unread[3]), 5000)); !slices.Equal(got, []int64{unread[7], unread[3]}) {
		t.Errorf("two ids that are repeated: %d entries", len(got))
	}
	if got := a.feverItems("with_ids=" + *a.fever("unread_item_ids").Unread); len(got) != 50 {
		t.Errorf("120 ids: %d entries", len(got))
	}
	for _, query := range []string{"items&since_id=x", "items&max_id=-1", "mark=item&as=read&id=x", "mark=item&as=gone&id=1", "mark=feed&as=unread&id=1"} {
		a.call(http.StatusBadRequest, "/api/fever.php?api&"+query, url.Values{"api_key": {"0123"}})
	}
}

func TestFeverAppMarksEntries(t *testing.T) {
	a := newApp(t)
	a.followNumber(1)
	a.followNumber(2)
	for i := range 4 {
		a.publish(1+i%2, i)
	}
	ids := parseIDs(t, a.fever("unread_item_ids").Unread)
	check := func(what string, unread, saved []int64) {
		t.Helper()
		all := a.fever("unread_item_ids&saved_item_ids")
		if got := parseIDs(t, all.Unread); !slices.Equal(got, unread) {
			t.Errorf("%s: unread are %v, want %v", what, got, unread)
		}
		if got := parseIDs(t, all.Saved); !slices.Equal(got, saved) {
			t.Errorf("%s: saved are %v, want %v", what, got, saved)
		}
	}
	a.fever(fmt.Sprint("mark=item&as=read&id=", ids[0]))
	a.fever(fmt.Sprint("mark=item&as=saved&id=", ids[1]))
	check("marked", ids[1:], ids[1:2])
	if e := a.fever(fmt.Sprint("items&with_ids=", ids[0])).Items[0]; e.Read != 1 || e.Saved != 0 {
		t.Errorf("the entry is %+v", e)
	}
	a.fever(fmt.Sprint("mark=item&as=unread&id=", ids[0]))
	a.fever(fmt.Sprint("mark=item&as=unsaved&id=", ids[1]))
	check("no longer marked", ids, nil)

	all := a.fever("feeds&groups")
	later := a.Clock.Time.Unix() + 100
	for _, f := range all.Feeds {
		if f.URL == numbered(1) {
			a.fever(fmt.Sprintf("mark=feed&as=read&id=%d&before=%d", f.ID, later))
		}
	}
	check("a feed", []int64{ids[1], ids[3]}, nil)
	for _, g := range all.Groups {
		a.fever(fmt.Sprintf("mark=group&as=read&id=%d&before=1", g.ID))
		a.fever(fmt.Sprintf("mark=group&as=read&id=%d&before=0", g.ID))
	}
	for _, f := range all.Feeds {
		a.fever(fmt.Sprintf("mark=feed&as=read&id=%d&before=0", f.ID))
	}
	check("groups before there were entries", []int64{ids[1], ids[3]}, nil)
	for _, unknown := range []string{"mark=feed&as=read&id=7", "mark=group&as=read&id=7", "mark=group&as=read&id=-1", "mark=item&as=saved&id=999999"} {
		a.fever(unknown)
	}
	check("what does not exist", []int64{ids[1], ids[3]}, nil)
	for _, g := range all.Groups {
		if g.Title == "Folder 2" {
			a.fever(fmt.Sprintf("mark=group&as=read&id=%d&before=%d", g.ID, later))
		}
	}
	check("a group", nil, nil)
	a.publish(1, 4)
	a.fever("mark=group&as=read&id=0")
	check("the group of all feeds", nil, nil)
}

// Apps fail if an entry is of a feed that is not in the list of feeds.
func TestFeverAppReadsOnlyWhatItsUserFollows(t *testing.T) {
	a := newApp(t)
	a.followNumber(1)
	a.publish(1, 1)
	a.publish(2, 2)
	ids := parseIDs(t, a.fever("unread_item_ids").Unread)
	if len(ids) != 1 {
		t.Fatalf("unread are %v", ids)
	}
	other := fmt.Sprint(ids[0] + 1)
	a.fever("mark=item&as=saved&id=" + other) // the visitor may see it
	if got := a.fever("saved_item_ids&items&with_ids=" + other); len(got.Items) != 0 || *got.Saved != "" {
		t.Errorf("an app reads %+v", got)
	}
}

// A key is needed in the form: pages of other sites can make browsers send cookies and queries.
func TestFeverCallNeedsItsKey(t *testing.T) {
	a := newApp(t)
	call := func(method, target, contentType, body string) string {
		t.Helper()
		r := httptest.NewRequest(method, target, strings.NewReader(body))
		r.Header.Set("Content-Type", contentType)
		rec := httptest.NewRecorder()
		readers.Apps(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			key, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Fever ")
			a.Visitor.ByToken = ok && key == "0123"
			if ok && key != "0123" {
				a.Visitor = feed.Visitor{}
			}
			a.ServeHTTP(w, r)
		})).ServeHTTP(rec, r)
		if rec.Code != http.StatusOK {
			t.Errorf("%s: %d %s", target, rec.Code, rec.Body)
		}
		return strings.TrimSpace(rec.Body.String())
	}
	const (
		form    = "application/x-www-form-urlencoded"
		refused = `{"api_version":3,"auth":0}`
	)
	for _, target := range []string{"/fever/?api", "/fever?api", "/api/fever.php?api", "/api/fever.php/?api"} {
		if got := call("POST", target, form, "api_key=0123&unread_item_ids"); !strings.Contains(got, `"auth":1`) || !strings.Contains(got, "unread_item_ids") {
			t.Errorf("%s: %s", target, got)
		}
		for _, method := range []string{"GET", "POST"} {
			if got := call(method, target+"&api_key=0123", form, ""); got != refused {
				t.Errorf("%s %s with the key in the query: %s", method, target, got)
			}
		}
	}
	parts := "--b\r\nContent-Disposition: form-data; name=\"api_key\"\r\n\r\n0123\r\n--b--\r\n"
	if got := call("POST", "/fever/?api", "multipart/form-data; boundary=b", parts); !strings.Contains(got, `"auth":1`) {
		t.Errorf("a form in parts: %s", got)
	}
	if got := call("POST", "/fever/?api", form, "api_key=wrong"); got != refused {
		t.Errorf("a wrong key: %s", got)
	}
}

func TestAppMarksNothingUpToATimeFarAhead(t *testing.T) {
	a := newApp(t)
	a.followNumber(1)
	a.publish(1, 1)
	const all = "/reader/api/0/mark-all-as-read"
	mark := func(at int64) url.Values {
		return url.Values{"s": {"user/-/state/com.google/reading-list"}, "ts": {fmt.Sprint(at)}}
	}
	tooFar := a.Clock.Time.Add(25 * time.Hour)
	for _, at := range []int64{tooFar.Unix(), 99999999999999, math.MaxInt64} {
		fever := fmt.Sprintf("/fever/?api&mark=group&id=0&as=read&before=%d", at)
		if text := a.call(http.StatusBadRequest, fever, url.Values{"api_key": {"0123"}}); !strings.Contains(text, `"field":"before"`) {
			t.Errorf("%d: %s", at, text)
		}
		a.call(http.StatusBadRequest, all, mark(at))
	}
	a.call(http.StatusBadRequest, all, mark(tooFar.UnixMicro()))
	if unread := parseIDs(t, a.fever("unread_item_ids").Unread); len(unread) != 1 {
		t.Errorf("unread are %v", unread)
	}
	a.call(http.StatusOK, all, mark(a.Clock.Time.Add(23*time.Hour).UnixMicro()))
	if unread := parseIDs(t, a.fever("unread_item_ids").Unread); len(unread) != 0 {
		t.Errorf("by a clock that is ahead: unread are %v", unread)
	}
	if text := a.call(http.StatusBadRequest, "/fever/?api&items&max_id=-5", url.Values{"api_key": {"0123"}}); !strings.Contains(text, "use a number from 0") {
		t.Errorf("a negative id: %s", text)
	}
}

// An app whose call is too long must not forget its key.
func TestCallThatIsTooLongIsNotRefusedAsUnknown(t *testing.T) {
	a := newApp(t)
	ids := url.Values{"api_key": {"0123"}, "with_ids": {strings.Repeat("123456,", 9_500)}}
	a.call(http.StatusRequestEntityTooLarge, "/fever/?api&items", ids)
	long := url.Values{"Email": {"ann"}, "Passwd": {strings.Repeat("x", 1<<20)}}
	a.call(http.StatusRequestEntityTooLarge, "/accounts/ClientLogin", long)
	a.call(http.StatusRequestEntityTooLarge, "/reader/api/0/edit-tag", long)
	parts := "--b\r\nContent-Disposition: form-data; name=\"with_ids\"\r\n\r\n" + ids.Get("with_ids") + "\r\n--b--\r\n"
	r := httptest.NewRequest(http.MethodPost, "/fever/?api", strings.NewReader(parts))
	r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
	rec := httptest.NewRecorder()
	if readers.Apps(a.Desk).ServeHTTP(rec, r); rec.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("a form in parts: %d %s", rec.Code, rec.Body)
	}
}

func FuzzFever(f *testing.F) {
	for _, seed := range []string{
		"items&since_id=1", "items&max_id=0", "items&with_ids=1,2,,x", "groups&feeds&favicons&links", "unread_item_ids&saved_item_ids",
		"mark=item&as=read&id=1", "mark=group&as=read&id=0&before=99999999999999999", "mark=feed&as=read&id=-1&before=1", "%zz&items;=", "items&items",
	} {
		f.Add(seed, "api_key=0123&"+seed)
	}
	a := newApp(f)
	a.followNumber(1)
	a.publish(1, 1)
	f.Fuzz(func(t *testing.T, query, body string) {
		r := httptest.NewRequest(http.MethodPost, "/fever/", strings.NewReader(body))
		r.URL.RawQuery = query
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		rec := httptest.NewRecorder()
		readers.Apps(a.Desk).ServeHTTP(rec, r)
		if rec.Code != http.StatusOK && rec.Code != http.StatusBadRequest {
			t.Errorf("?%s with %s: %d %s", query, body, rec.Code, rec.Body)
		}
		if rec.Code == http.StatusOK && !json.Valid(rec.Body.Bytes()) {
			t.Errorf("?%s with %s: %s", query, body, rec.Body)
		}
	})
}
