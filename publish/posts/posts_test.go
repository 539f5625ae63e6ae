package posts_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish/desk/entries"
	"github.com/feedwire/feedwire/publish/limits"
	"github.com/feedwire/feedwire/publish/media"
	"github.com/feedwire/feedwire/publish/posts"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// site serves posts to ann and bob, who have accounts.
type site struct {
	*webtest.Desk
	*storetest.Newsroom
	t      *testing.T
	raw    *storetest.Redigo
	perDay int
	ids    map[string]int64
}

// each runs a test on each engine and in both layouts.
func each(t *testing.T, test func(s *site)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, opts core.Options, now *storetest.Clock, raw *storetest.Redigo) {
		n := storetest.NewsroomOver(storetest.New(t, opts), now)
		s := &site{webtest.Over(n, now.Now), n, t, raw, 100, make(map[string]int64)}
		written := entries.New(n, s.Kit, entries.Options{Takedown: func(take func() error) error { return take() }})
		images := media.New(n, s.Kit, media.Options{Files: media.Dir(t.TempDir()), Limits: func() media.Limits { return media.Limits{Day: 1 << 20, Total: 1 << 20} }})
		s.Mount(images, posts.New(n, s.Kit, posts.Options{
			PerDay: func() int { return s.perDay }, Create: written.Create, Save: images.Save, Remove: written.Remove,
		}))
		for _, name := range []string{"ann", "bob"} {
			s.ok(n.AddAccount(t.Context(), feed.Account{Name: name, Role: feed.RoleViewer}))
			a, err := n.Account(t.Context(), name)
			s.ok(err)
			s.ids[name] = a.ID
		}
		s.as("ann")
		test(s)
	})
}

func (s *site) ok(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// as makes a person with an account send the following requests.
func (s *site) as(name string) {
	s.t.Helper()
	a, err := s.Account(s.t.Context(), name)
	s.ok(err)
	s.Visitor = feed.Visitor{Name: name, Scopes: a.Role.Scopes(), Account: a}
}

// send sends a request and fails the test if it gets another status.
func (s *site) send(status int, method, path, body string, header ...string) string {
	s.t.Helper()
	rec := s.Call(method, path, body, header...)
	if rec.Code != status {
		s.t.Fatalf("%s %s %.200s: got %d, want %d: %s", method, path, body, rec.Code, status, rec.Body)
	}
	return rec.Body.String()
}

type shown struct {
	ID        int64
	UserID    int64  `json:"user_id"`
	FeedURL   string `json:"feed_url"`
	Caption   string
	CreatedAt time.Time `json:"created_at"`
	LikeCount *int      `json:"like_count"`
	HasLiked  *bool     `json:"has_liked"`
	Comments  *int      `json:"comment_count"`
	Media     []struct {
		Position int
		URL      string
		Type     string
	}
}

type shownPage struct {
	Posts      []shown
	NextCursor *string `json:"next_cursor"`
	HasMore    bool    `json:"has_more"`
}

// post writes a post with one image and returns its number.
func (s *site) post(caption string) int64 {
	s.t.Helper()
	body := fmt.Sprintf(`{"caption": %q, "media": ["https://img.example/%s.jpg"]}`, caption, caption)
	rec := s.Call(http.MethodPost, "/posts", body)
	if rec.Code != http.StatusCreated {
		s.t.Fatalf("%d %s", rec.Code, rec.Body)
	}
	return webtest.Read[shown](s.t, rec).ID
}

// walk returns the captions or numbers of all pages at a path.
func (s *site) walk(path string) (all []int64) {
	s.t.Helper()
	for cursor := ""; ; {
		p := webtest.Get[shownPage](s.t, s.Desk, path+cursor)
		for _, one := range p.Posts {
			all = append(all, one.ID)
		}
		if p.HasMore != (p.NextCursor != nil) || p.HasMore && len(p.Posts) != 10 {
			s.t.Fatalf("has_more is %v with next_cursor %v and %d posts", p.HasMore, p.NextCursor, len(p.Posts))
		}
		if !p.HasMore {
			return all
		}
		cursor = "&cursor=" + *p.NextCursor
	}
}

// drain does what the fan-out does.
func (s *site) drain() {
	s.t.Helper()
	ctx := s.t.Context()
	for {
		signals, err := s.NextSignals(ctx, "timelines", "test", 100, 0)
		s.ok(err)
		if len(signals) == 0 {
			break
		}
		s.ok(s.PlanFanout(ctx, signals))
		for _, one := range signals {
			s.ok(s.AckSignals(ctx, "timelines", one.ID))
		}
	}
	chunks, err := s.NextChunks(ctx, "test", 100, 0)
	s.ok(err)
	for _, c := range chunks {
		_, err := s.ApplyChunk(ctx, c)
		s.ok(err)
		s.ok(s.FinishChunk(ctx, c))
	}
}

func TestC12PostsOfAUserAreThumbnailsForAnyone(t *testing.T) {
	each(t, func(s *site) {
		s.perDay = 1000
		var want []int64
		for i := range 23 {
			if i%4 == 0 {
				s.Clock.Advance(time.Second)
			}
			want = append(want, s.post(strconv.Itoa(i)))
		}
		s.Visitor = feed.Visitor{}
		mine := fmt.Sprintf("/users/feed?userid=%d", s.ids["ann"])
		got := s.walk(mine)
		if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
			t.Errorf("in pages: %v, want %v", got, want)
		}
		first := webtest.Get[shownPage](t, s.Desk, mine).Posts[0]
		if first.ID < want[20] || first.Caption != "" || first.LikeCount == nil || len(first.Media) != 1 || first.Media[0].Position != 0 {
			t.Errorf("the newest thumbnail is %+v", first)
		}
		s.send(200, "GET", fmt.Sprintf("/users/feed?userid=%d", s.ids["bob"]), "")
		s.send(404, "GET", "/users/feed?userid=99", "")
		s.send(400, "GET", "/users/feed", "")
		s.send(400, "GET", "/users/feed?userid=ann", "")
		for _, cursor := range []string{"1", "x:1", "1:y", "1:123456789012", "12345678901234567890:1", "1:1:1"} {
			s.send(400, "GET", mine+"&cursor="+cursor, "")
		}
	})
}

func TestC13PostIsForAnyoneUntilItIsRemoved(t *testing.T) {
	each(t, func(s *site) {
		n := s.post("one")
		path := fmt.Sprintf("/posts/%d", n)
		s.Visitor = feed.Visitor{}
		p := webtest.Get[shown](t, s.Desk, path)
		if p.ID != n || p.UserID != s.ids["ann"] || p.FeedURL != "" || p.Caption != "one" || !p.CreatedAt.Equal(s.Clock.Time) {
			t.Errorf("the post is %+v", p)
		}
		if p.HasLiked == nil || *p.HasLiked || p.LikeCount == nil || len(p.Media) != 1 || p.Media[0].URL != "https://img.example/one.jpg" {
			t.Errorf("the post is %+v", p)
		}
		s.send(401, "GET", path, "", "Authorization", "Bearer wrong")
		s.send(404, "GET", "/posts/999", "")
		s.send(404, "GET", "/posts/x", "")

		e := feed.Entry{FeedURL: storetest.Harbour, GUID: "g", Title: "Not a post", Timestamp: s.Clock.Time}
		s.ok(s.SaveEntry(t.Context(), &e))
		s.send(404, "GET", "/posts/"+e.Number(), "")
		s.as("bob")
		entry := "/posts/" + e.Number()
		for _, source := range []string{"no source", storetest.Harbour} {
			_, err := s.Newsroom.Follow(t.Context(), s.ids["bob"], feed.Follow{FeedURL: source})
			s.ok(err)
			s.Visitor.Scopes = feed.RoleMember.Scopes()
			s.send(map[bool]int{false: 404, true: 200}[source == storetest.Harbour], "GET", entry, "")
			s.Visitor.Scopes = []feed.Scope{feed.ScopePosts}
			s.send(404, "GET", entry, "")
		}
		s.as("bob")
		if p := webtest.Get[shown](t, s.Desk, entry); p.FeedURL != storetest.Harbour || p.UserID != 0 {
			t.Errorf("an entry of a source is %+v", p)
		}
		s.ok(s.AddSaved(t.Context(), s.ids["ann"], e.ID))
		s.ok(s.SaveEntry(t.Context(), &feed.Entry{FeedURL: storetest.Harbour, GUID: "h", Timestamp: s.Clock.Time.Add(time.Second)}))
		_, err := s.ExpireEntries(t.Context(), storetest.Harbour, 1)
		s.ok(err)
		s.send(404, "GET", entry, "") // it is there for ann only

		s.send(403, "DELETE", path, "")
		s.send(404, "GET", "/api/v1/me"+path, "")
		post := feed.EntryRef{FeedURL: feed.MemberURL(s.ids["ann"]), ID: fmt.Sprint("Entry:", n)}
		s.ok(s.HideEntry(t.Context(), post)) // by a moderator
		for who, status := range map[string]int{"bob": 404, "ann": 200} {
			s.as(who)
			s.send(status, "GET", path, "")
		}
		s.Visitor = feed.Visitor{}
		s.send(404, "GET", path, "")
		s.ok(s.ShowEntry(t.Context(), post))
		s.send(200, "GET", path, "")
		s.as("ann")
		s.send(200, "GET", "/api/v1/me"+path, "")
		s.send(204, "DELETE", path, "")
		s.send(410, "GET", path, "")
		s.send(404, "DELETE", path, "")
		s.drain()
		if all := s.walk("/posts?"); all != nil {
			t.Errorf("after the removal there are %v", all)
		}
	})
}

// 004: like_count and has_liked are upvotes.
// 004-7
func TestCommentsOfMembersAreCounted(t *testing.T) {
	each(t, func(s *site) {
		n := s.post("one")
		e := feed.Entry{ID: fmt.Sprint("Entry:", n), FeedURL: feed.MemberURL(s.ids["ann"]), Timestamp: s.Clock.Time}
		counts := func(what string, want int) {
			t.Helper()
			got := []shown{webtest.Get[shown](t, s.Desk, fmt.Sprint("/posts/", n))}
			for _, path := range []string{"/posts", "/feed", fmt.Sprint("/users/feed?userid=", s.ids["ann"])} {
				got = append(got, webtest.Get[shownPage](t, s.Desk, path).Posts[0])
			}
			for i := range got {
				if got[i].ID != n || got[i].Comments == nil || *got[i].Comments != want {
					t.Errorf("%s: response %d is %+v, want %d comments", what, i, got[i], want)
				}
			}
		}
		s.raw.Of(e.FeedURL).Do("HSET", e.ID, "comment_count", 7)
		counts("of another site", 7)
		s.ok(s.Submit(t.Context(), &e, &feed.Submission{Title: "one", Text: "One"}, true))
		counts("without a community", 7)
		s.Reload(core.Options{Community: true})
		counts("of a submission without comments", 0)
		for range 2 {
			s.Clock.Advance(time.Second)
			_, err := s.AddComment(t.Context(), n, s.ids["bob"], feed.NoParent, "Fine")
			s.ok(err)
		}
		_, err := s.ModerateComment(t.Context(), n, 1, feed.Hidden)
		s.ok(err)
		counts("two comments, one of them hidden", 1)
	})
}

func TestLikesAreUpvotes(t *testing.T) {
	each(t, func(s *site) {
		n := s.post("one")
		e := feed.Entry{ID: fmt.Sprint("Entry:", n), FeedURL: feed.MemberURL(s.ids["ann"]), Timestamp: s.Clock.Time}
		likes := func(path string) string {
			t.Helper()
			p := webtest.Get[shownPage](t, s.Desk, path).Posts[0]
			if p.HasLiked == nil { // a thumbnail
				return fmt.Sprint(*p.LikeCount)
			}
			return fmt.Sprint(*p.LikeCount, *p.HasLiked)
		}
		one := func() string {
			t.Helper()
			p := webtest.Get[shown](t, s.Desk, fmt.Sprint("/posts/", n))
			return fmt.Sprint(*p.LikeCount, *p.HasLiked)
		}
		if got := one(); got != "0 false" {
			t.Errorf("before the votes: %s", got)
		}
		s.ok(s.RankEntry(t.Context(), &e)) // with the upvote of its author
		for path, want := range map[string]string{"/posts": "1 true", "/feed": "1 true", fmt.Sprint("/users/feed?userid=", s.ids["ann"]): "1"} {
			if got := likes(path); got != want {
				t.Errorf("ann sees %s at %s, want %s", got, path, want)
			}
		}
		s.as("bob")
		for _, step := range []struct {
			vote feed.Vote
			want string
		}{{feed.VoteDown, "1 false"}, {feed.VoteUp, "2 true"}, {feed.VoteNone, "1 false"}, {feed.VoteUp, "2 true"}} {
			_, err := s.Vote(t.Context(), &e, s.ids["bob"], step.vote)
			s.ok(err)
			if got := one(); got != step.want {
				t.Errorf("bob sees %s after %s, want %s", got, step.vote, step.want)
			}
		}
		s.Visitor = feed.Visitor{}
		if got := one(); got != "2 false" {
			t.Errorf("a stranger sees %s", got)
		}
		s.raw.Do("DEL", "upvoted:"+e.Number()) // it expires a day after voting has closed
		if got := one(); got != "2 false" {
			t.Errorf("after those who voted were deleted: %s", got)
		}
	})
}

// images returns the body of a post with so many images.
func images(n int) string {
	urls := make([]string, n)
	for i := range urls {
		urls[i] = fmt.Sprintf(`"https://img.example/%d.png"`, i)
	}
	return `{"media": [` + strings.Join(urls, ", ") + `]}`
}

func TestC14PostReachesFollowersAtOnce(t *testing.T) {
	each(t, func(s *site) {
		s.send(422, "POST", "/posts", `{"caption": "none", "media": []}`)
		s.send(422, "POST", "/api/v1/me/posts", images(11))
		for _, wrong := range []string{
			"https://img.example/0.png", "javascript:alert(1)", "https://:80/a.png", "https://ann:secret@img.example/a.png", "https://ann@img.example/a.png",
			"https://img.example:99999/a.png", "https://img.example:0/a.png", "https://img.example:x/a.png",
		} {
			for _, path := range []string{"/posts", "/api/v1/me/posts"} {
				if text := s.send(400, "POST", path, `{"media": ["https://img.example/0.png", "`+wrong+`"]}`); !strings.Contains(text, `"media.1"`) {
					t.Errorf("%s: %s", wrong, text)
				}
			}
		}
		s.send(400, "POST", "/posts", `{"media": ["https://img.example/a.png"], "caption": "`+strings.Repeat("x", 2201)+`"}`)
		s.Visitor = feed.Visitor{}
		for _, path := range []string{"GET /feed", "GET /posts", "POST /posts", "DELETE /posts/1", "POST /api/v1/me/posts"} {
			method, path, _ := strings.Cut(path, " ")
			s.send(401, method, path, "{}")
		}
		s.as("ann")
		ten := s.send(201, "POST", "/api/v1/me/posts", images(10))
		webtest.Contains(t, ten, feed.MemberURL(s.ids["ann"]), "https://img.example/9.png")

		s.as("bob")
		_, err := s.Newsroom.Follow(t.Context(), s.ids["bob"], feed.Follow{FeedURL: feed.MemberURL(s.ids["ann"])})
		s.ok(err)
		s.drain()
		if all := s.walk("/feed?"); len(all) != 1 {
			t.Fatalf("bob reads %v", all)
		}
		s.as("ann")
		s.Clock.Advance(time.Second)
		n := s.post("two")
		if all := s.walk("/posts?"); len(all) != 2 || all[0] != n {
			t.Errorf("ann has posted %v, the last of them is %d", all, n)
		}
		s.drain()
		for _, name := range []string{"ann", "bob"} { // an author reads the own posts
			s.as(name)
			if all := s.walk("/feed?"); len(all) != 2 || all[0] != n {
				t.Errorf("%s reads %v, the last post is %d", name, all, n)
			}
		}
		s.as("ann")
		s.send(204, "DELETE", fmt.Sprintf("/api/v1/me/posts/%d", n), "")
		s.as("bob")
		if all := s.walk("/feed?"); slices.Contains(all, n) {
			t.Errorf("after the removal bob reads %v", all)
		}
	})
}

func TestE17OwnPostsAreInTheOwnTimelineUntilTheAuthorUnfollows(t *testing.T) {
	each(t, func(s *site) {
		first := s.post("one")
		if all := s.walk("/feed?"); !slices.Equal(all, []int64{first}) {
			t.Errorf("the author reads %v, and has posted %d", all, first)
		}
		s.ok(s.Unfollow(t.Context(), s.ids["ann"], feed.MemberURL(s.ids["ann"])))
		s.post("two")
		s.drain()
		if all := s.walk("/feed?"); len(all) != 0 {
			t.Errorf("after the unfollow the author reads %v", all)
		}
	})
}

// form returns a form with a caption, a URL and files, and its type.
func form(t *testing.T, caption, url string, files ...[]byte) (body, contentType string) {
	t.Helper()
	var out bytes.Buffer
	w := multipart.NewWriter(&out)
	err := w.WriteField("caption", caption)
	if url != "" {
		err = errors.Join(err, w.WriteField("media", url))
	}
	for _, file := range files {
		part, failed := w.CreateFormFile("media", "photo.svg")
		_, written := part.Write(file)
		err = errors.Join(err, failed, written)
	}
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return out.String(), w.FormDataContentType()
}

func TestC14ImagesAreUploaded(t *testing.T) {
	var small bytes.Buffer
	if err := png.Encode(&small, image.NewGray(image.Rect(0, 0, 3, 2))); err != nil {
		t.Fatal(err)
	}
	padded := func(size int) []byte {
		return append(small.Bytes()[:small.Len():small.Len()], make([]byte, size-small.Len())...)
	}
	each(t, func(s *site) {
		send := func(status int, path, url string, files ...[]byte) shown {
			t.Helper()
			body, contentType := form(t, "Photos", url, files...)
			rec := s.Call("POST", path, body, "Content-Type", contentType)
			if rec.Code != status {
				t.Fatalf("got %d, want %d: %s", rec.Code, status, rec.Body)
			}
			if status != 201 || path != "/posts" {
				return shown{}
			}
			return webtest.Read[shown](t, rec)
		}
		p := send(201, "/posts", "https://img.example/a.jpg", small.Bytes())
		if p.Caption != "Photos" || len(p.Media) != 2 || p.Media[0].URL != "https://img.example/a.jpg" || p.Media[1].Type != "image/png" {
			t.Fatalf("the post is %+v", p)
		}
		s.send(200, "GET", strings.TrimPrefix(p.Media[1].URL, "https://wire.example"), "")
		send(201, "/api/v1/me/posts", "", padded(5<<20))
		send(413, "/posts", "", padded(5<<20+1))
		send(422, "/posts", "", []byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`))
		send(422, "/posts", "", slices.Repeat([][]byte{small.Bytes()}, 11)...)
		send(422, "/posts", "")
		send(400, "/posts", "", small.Bytes(), small.Bytes())
		s.send(400, "POST", "/posts", "--x\r\nContent-Disposition: form-data; name=\"media\"\r\n\r\nhttps://", "Content-Type", "multipart/form-data; boundary=x")
		if all := s.walk("/posts?"); len(all) != 2 {
			t.Errorf("ann has posted %v", all)
		}
	})
}

// The memory of a daemon for requests is less than the largest post takes if its images are in memory together.
func TestC14PostOfTenLargeImages(t *testing.T) {
	var files [][]byte
	for i := range feed.MaxPostMedia {
		var file bytes.Buffer
		if err := png.Encode(&file, image.NewGray(image.Rect(0, 0, 3, 2+i))); err != nil {
			t.Fatal(err)
		}
		files = append(files, append(file.Bytes(), make([]byte, 5<<20-file.Len())...))
	}
	body, contentType := form(t, "Photos", "", files...)
	each(t, func(s *site) {
		r := httptest.NewRequestWithContext(t.Context(), "POST", "/api/v1/me/posts", strings.NewReader(body))
		r.Header.Set("Content-Type", contentType)
		r.Header.Set("Idempotency-Key", "once")
		rec := httptest.NewRecorder()
		limits.New(limits.Options{}).Handler(s.Desk).ServeHTTP(rec, r)
		if rec.Code != 201 || strings.Count(rec.Body.String(), "img src=") != len(files) {
			t.Errorf("got %d: %s", rec.Code, rec.Body)
		}
	})
}

// A daemon that was killed between the write of a post and that of the list left the signal.
func TestListOfPostsIsRepairedBySignals(t *testing.T) {
	each(t, func(s *site) {
		s.post("one")
		e := feed.Entry{FeedURL: feed.MemberURL(s.ids["ann"]), GUID: "two", Title: "two", Timestamp: s.Clock.Time.Add(time.Second)}
		s.ok(s.SaveSeenEntry(t.Context(), &e, ""))
		s.drain()
		all := s.walk("/posts?")
		if len(all) != 2 || strconv.FormatInt(all[0], 10) != e.Number() {
			t.Errorf("ann has posted %v, the last of them is %s", all, e.Number())
		}
		_, err := s.TakeDownEntry(t.Context(), e.ID) // as an editor does
		s.ok(err)
		s.drain()
		if all := s.walk("/posts?"); len(all) != 1 {
			t.Errorf("after the takedown: %v", all)
		}
		s.send(410, "GET", "/posts/"+e.Number(), "")
	})
}

func TestRepeatedRequestWritesOnePost(t *testing.T) {
	each(t, func(s *site) {
		const body = `{"caption": "once", "media": ["https://img.example/a.png"]}`
		first := s.send(201, "POST", "/posts", body, "Idempotency-Key", "k")
		if again := s.send(201, "POST", "/posts", body, "Idempotency-Key", "k"); again != first {
			t.Errorf("got %s, then %s", first, again)
		}
		if all := s.walk("/posts?"); len(all) != 1 {
			t.Errorf("there are %v", all)
		}
	})
}

func TestTokensOfTwoAccountsWithTheSameNameShareNoResponse(t *testing.T) {
	each(t, func(s *site) {
		for _, name := range []string{"ann", "bob"} {
			s.as(name)
			s.Visitor.Name, s.Visitor.Creator = "token phone", name
			rec := s.Call("POST", "/posts", `{"caption": "once", "media": ["https://img.example/a.png"]}`, "Idempotency-Key", "1")
			p := webtest.Read[shown](t, rec)
			if rec.Code != http.StatusCreated || p.UserID != s.ids[name] {
				t.Errorf("%s got %d %s", name, rec.Code, rec.Body)
			}
		}
	})
}

func TestPostsOfADayAreBounded(t *testing.T) {
	each(t, func(s *site) {
		s.perDay = 2
		s.post("one")
		s.post("two")
		rec := s.Call("POST", "/posts", `{"media": ["https://img.example/a.png"]}`)
		if wait, _ := strconv.Atoi(rec.Header().Get("Retry-After")); rec.Code != 429 || wait < 86000 {
			t.Errorf("the third post got %d %v", rec.Code, rec.Header())
		}
		s.as("bob")
		s.post("three")
		s.perDay = 0
		s.send(403, "POST", "/posts", `{"media": ["https://img.example/a.png"]}`)
	})
}

func TestRemovedAccountLeavesNoPosts(t *testing.T) {
	each(t, func(s *site) {
		n := s.post("one")
		s.as("bob")
		_, err := s.Newsroom.Follow(t.Context(), s.ids["bob"], feed.Follow{FeedURL: feed.MemberURL(s.ids["ann"])})
		s.ok(err)
		_, err = s.RemoveAccount(t.Context(), "ann")
		s.ok(err)
		s.ok(s.EraseAccounts(t.Context()))
		s.ok(s.EraseAccounts(t.Context()))
		s.drain()
		s.send(410, "GET", fmt.Sprintf("/posts/%d", n), "")
		s.send(404, "GET", fmt.Sprintf("/users/feed?userid=%d", s.ids["ann"]), "")
		if all := s.walk("/feed?"); all != nil {
			t.Errorf("bob reads %v", all)
		}
		if _, err := s.Source(t.Context(), feed.SourceID(feed.MemberURL(s.ids["ann"]))); err == nil {
			t.Error("the source of the posts exists")
		}
		if follows, err := s.Follows(t.Context(), s.ids["bob"]); err != nil || len(follows) != 0 {
			t.Errorf("bob follows %+v, %v", follows, err)
		}
	})
}
