package daemon

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"io/fs"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/publish/people"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// What identifies the member of TestErasedMemberLeavesNoTrace.
const (
	erasedName    = "quagga"
	erasedAddress = "203.0.113.77"
	erasedNumber  = 7300418
)

// marked sends requests with the address and the browser of the member.
type marked struct{ http.RoundTripper }

func (m marked) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-Forwarded-For", erasedAddress)
	r.Header.Set("User-Agent", "Okapi/1 curl/8")
	return m.RoundTripper.RoundTrip(r)
}

// TestErasedMemberLeavesNoTrace makes a member with everything that a member can have, removes the account, and searches all of Redis,
// all files and the log.
func TestErasedMemberLeavesNoTrace(t *testing.T) {
	t.Parallel()
	redis, log := storetest.RedisAOF(t), new(notices)
	raw := storetest.Commands(t, redis.Dial)
	raw.Do("SET", "users.count", erasedNumber-1)
	d := startLogging(t, "unix://"+redis.Addr(), "", `people: {sign_up: invited}
auth: {proxy_networks: [127.0.0.0/8]}
community: {enabled: true}
feeds: {production: {}}
fetch: {allow_networks: [127.0.0.0/8], min_interval: 0s}
mail: {host: 127.0.0.1, port: 1, tls: none, from: wire@example.org}
`, log, nil)
	web := wiretest.NewOrigin(t)
	web.Set("/feed.xml", wiretest.Posts(3)...)
	src := d.add(web.URL+"/feed.xml", nil)
	web.Set("/other.xml", wiretest.Posts(1)...)

	// The member signs up with an invitation, and signs in again after a wrong password.
	var invitation people.NewInvitation
	d.do(http.MethodPost, "/api/v1/invitations", nil, &invitation)
	_, secret, _ := strings.Cut(invitation.Link, "invitation=")
	p := d.person(t)
	p.Transport = marked{http.DefaultTransport}
	joins := url.Values{"invitation": {secret}, "name": {erasedName}, "password": {password}, "again": {password}}
	if ended, status, text := p.sends("/sign-up", joins); ended != "/read" || status != http.StatusOK {
		t.Fatalf("the sign-up ends at %s: %d\n%s", ended, status, text)
	}
	p.sends("/login", url.Values{"name": {erasedName}, "password": {"wrong"}})
	p.sends("/login", url.Values{"name": {erasedName}, "password": {password}})
	if got := d.number(erasedName); got != strconv.Itoa(erasedNumber) {
		t.Fatalf("the account has the number %s", got)
	}

	// call sends a request of the member to the API.
	_, token, err := d.app.people.CreateToken(t.Context(), &feed.Visitor{Name: erasedName}, "Axolotl", []feed.Scope{feed.ScopeFollows, feed.ScopePosts}, 0)
	if err != nil {
		t.Fatal(err)
	}
	call := func(method, path, contentType, body string, status int) string {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, d.Base+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", contentType)
		if method == http.MethodPost {
			r.Header.Set("Idempotency-Key", fmt.Sprintf("Tapir %.100q", path+body))
		}
		resp, err := p.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, _ := io.ReadAll(resp.Body)
		if resp.StatusCode != status {
			t.Fatalf("%s %s: got %d, want %d: %s", method, path, resp.StatusCode, status, text)
		}
		return string(text)
	}
	const asJSON = "application/json"
	_, status, text := p.sends("/account/apps", url.Values{"name": {"Dugong"}})
	app := regexp.MustCompile(`<code>(fw_[^<]+)</code>`).FindStringSubmatch(text)
	if status != http.StatusOK || app == nil {
		t.Fatalf("an app password: %d %s", status, text)
	}
	feverKey := feed.FeverKey(erasedName, app[1])
	_, status, text = p.sends("/api/fever.php?api&items&unread_item_ids", url.Values{"api_key": {feverKey}})
	if status != http.StatusOK || !strings.Contains(text, `"auth":1`) {
		t.Fatalf("an app of the Fever API: %d %s", status, text)
	}
	call("PUT", "/api/v1/me/follows/"+src.ID, asJSON, `{"folder": "Numbat", "title": "Kakapo"}`, 201)
	call("POST", "/api/v1/me/follows", asJSON, `{"url": "`+web.URL+`/other.xml"}`, 201)
	call("POST", "/api/v1/me/opml", "text/x-opml", `<opml><body><outline text="Numbat"><outline text="Kakapo" xmlUrl="`+web.URL+`/other.xml"/></outline></body></opml>`, 207)
	call("POST", "/api/v1/me/read", asJSON, `{"entries": ["1"]}`, 204)
	call("POST", "/api/v1/me/read", asJSON, `{"all": true}`, 204)
	call("POST", "/api/v1/me/read", asJSON, `{"entries": ["2"], "state": "unread"}`, 204)
	call("PUT", "/api/v1/me/saved/1", asJSON, `{}`, 204)
	for n, vote := range []string{"up", "down", "up"} {
		call("PUT", fmt.Sprintf("/api/v1/entries/%d/vote", n+1), asJSON, `{"vote": "`+vote+`"}`, 200)
	}
	call("PUT", "/api/v1/entries/3/vote", asJSON, `{"vote": "none"}`, 200)

	// Submissions: one that stays and one that is deleted, and a vote on that of someone else.
	call("POST", "/api/v1/submissions", asJSON, `{"title": "Vaquita", "url": "https://vaquita.example/"}`, 201)
	raw.Do("DEL", fmt.Sprintf("user:%d:submitted_recently", erasedNumber))
	var deleted, others feed.News
	if err := json.Unmarshal([]byte(call("POST", "/api/v1/submissions", asJSON, `{"title": "Ask", "text": "Vaquita?"}`, 201)), &deleted); err != nil {
		t.Fatal(err)
	}
	call("DELETE", fmt.Sprint("/api/v1/submissions/", deleted.ID), asJSON, "", 204)
	d.do(http.MethodPost, "/api/v1/users", map[string]string{"name": "submitter", "role": "member"}, nil)
	d.do(http.MethodPost, "/api/v1/submissions?user=submitter", map[string]string{"title": "T", "url": "https://a.example/"}, &others)
	call("PUT", fmt.Sprintf("/api/v1/submissions/%d/vote", others.ID), asJSON, `{"vote": "up"}`, 200)

	// A profile, and a mail that cannot be sent now.
	call("PATCH", "/api/v1/me/profile", asJSON, `{"about": "Vaquita", "email": "vaquita@example.org", "current": "`+password+`"}`, 200)
	p.sends("/reset-password", url.Values{"name": {erasedName}, "email": {"vaquita@example.org"}})
	wiretest.Eventually(t, "a mail failed", func() bool { return strings.Contains(log.String(), "mail not sent") })
	if raw.Int("ZCARD", "mails") != 1 {
		t.Fatal("no mail waits")
	}

	comments := fmt.Sprintf("/api/v1/entries/%d/comments", others.ID)
	d.do(http.MethodPost, comments+"?user=submitter", map[string]string{"body": "T"}, nil)
	call("POST", comments, asJSON, `{"body": "T", "parent_id": 1}`, 201)
	call("PUT", comments+"/1/vote", asJSON, `{"vote": "up"}`, 204)
	call("POST", fmt.Sprintf("/api/v1/submissions/%d/reports", others.ID), asJSON, `{"reason": "Vaquita"}`, 204)
	d.do(http.MethodPut, "/api/v1/moderation/bans/"+erasedName+"?reason=Vaquita", nil, nil)

	// Posts: two with uploads, one with the URL of an image, one that is published. An editor takes two down.
	number := func(response string) string {
		return regexp.MustCompile(`"id":\s*(\d+)`).FindStringSubmatch(response)[1]
	}
	drawing := func(width int) (picture bytes.Buffer) {
		if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, width, 2))); err != nil {
			t.Fatal(err)
		}
		return picture
	}
	upload := func(width int) string {
		t.Helper()
		var form bytes.Buffer
		parts, picture := multipart.NewWriter(&form), drawing(width)
		_ = parts.WriteField("caption", "Saola upload")
		part, _ := parts.CreateFormFile("media", "saola.png")
		_, _ = part.Write(picture.Bytes())
		_ = parts.Close()
		return number(call("POST", "/posts", parts.FormDataContentType(), form.String(), 201))
	}
	upload(3)
	uploads := func() []string { return filesWith(t, d.app.cfg().DataDir, strconv.Itoa(erasedNumber)) }
	unwanted := upload(4)
	if files := uploads(); len(files) != 2 {
		t.Fatalf("the uploads are %v", files)
	}
	d.do(http.MethodDelete, "/api/v1/entries/"+unwanted, nil, nil)
	wiretest.Eventually(t, "the upload of the removed post is deleted", func() bool { return len(uploads()) == 1 })
	own := feed.MemberURL(erasedNumber)
	var source feed.Source
	d.do(http.MethodPost, "/api/v1/sources", map[string]any{"url": own, "feeds": []string{"production"}, "publish": "auto"}, &source)
	d.do(http.MethodGet, "/api/v1/sources/"+source.ID, nil, &source)
	for _, key := range raw.Keys("answer:*") { // responses to others are stored for a day
		raw.Do("DEL", key)
	}
	picture := drawing(3)
	web.SetRaw("/saola.png", picture.Bytes())
	var numbers []string
	for _, caption := range []string{"Saola taken down", "Saola published", "Saola linked"} {
		text := call("POST", "/posts", asJSON, fmt.Sprintf(`{"caption": %q, "media": ["%s/saola.png"]}`, caption, web.URL), 201)
		numbers = append(numbers, number(text))
	}
	d.do(http.MethodDelete, "/api/v1/entries/"+numbers[0], nil, nil)

	// Others: a subscriber of the posts, and a member who follows them and has saved one.
	follower := newReader(t)
	d.subscribes(follower, source.Republished[0], follower.URL+"/push")
	d.do(http.MethodPost, "/api/v1/users", map[string]string{"name": "bob", "role": "viewer"}, nil)
	d.do(http.MethodPut, "/api/v1/me/follows/"+source.ID+"?user=bob", map[string]string{}, nil)
	d.do(http.MethodPut, "/api/v1/me/saved/"+numbers[2]+"?user=bob", map[string]string{}, nil)
	call("POST", "/posts", asJSON, `{"caption": "Saola pushed", "media": ["`+web.URL+`/saola.png"]}`, 201)
	wiretest.Eventually(t, "a delivery", func() bool { return len(follower.deliveries()) > 0 })

	// Pages: those that are copied for an outage, with the images that they show.
	for _, path := range []string{"/feed", "/posts", "/api/v1/me/feed", "/api/v1/me/follows", "/api/v1/me/saved", "/users/feed?userid=" + strconv.Itoa(erasedNumber)} {
		call("GET", path, "", "", 200)
	}
	_, _, page := p.sees("/read/entries/" + numbers[2])
	images := regexp.MustCompile(`/read/images/[^"]+`).FindAllString(page, -1)
	if len(images) == 0 {
		t.Fatalf("the page shows no image:\n%s", page)
	}
	p.sees(strings.ReplaceAll(images[0], "&amp;", "&"))

	needles := []string{
		erasedName, erasedAddress, strings.ReplaceAll(erasedAddress, ".", "-"), "Saola", "saola.png", "Axolotl", "Dugong", "Numbat", "Kakapo",
		"Okapi", "Tapir", feverKey, feed.HashSecret(feverKey), "Vaquita", "vaquita",
	}
	tokens, err := d.app.store.People.Tokens(t.Context())
	if err != nil || len(tokens) != 2 {
		t.Fatalf("tokens %+v, %v", tokens, err)
	}
	for _, token := range tokens {
		needles = append(needles, token.ID)
	}
	id := strconv.Itoa(erasedNumber)
	if n := raw.Int("EXISTS", "voted:"+id, "user.voting:"+id, "user.posted:"+id, "user.saved:"+id, "tokens:fever"); n != 5 {
		t.Fatalf("the member has %d of five keys", n)
	}
	d.person(t).sends("/login", url.Values{"name": {erasedName}, "password": {"wrong"}}) // by someone else
	if ended, status, text := p.sends("/account/remove", url.Values{"current": {password}}); ended != "/login" || status != http.StatusOK {
		t.Fatalf("the removal ends at %s: %d\n%s", ended, status, text)
	}
	wiretest.Eventually(t, "erased", func() bool {
		if err := d.app.eraseAccounts(t.Context()); err != nil { // as the job does every minute
			t.Fatal(err)
		}
		return len(leftovers(t, d, raw, needles)) == 0
	})
	raw.Do("ZADD", "users.removed", 1, erasedNumber) // long ago
	if err := d.app.eraseAccounts(t.Context()); err != nil {
		t.Fatal(err)
	}
	// Only the number of the account remains.
	keys := raw.Containing(strconv.Itoa(erasedNumber))
	if !slices.Equal(keys, []string{"audit", "signals"}) || len(uploads()) > 0 {
		t.Errorf("the keys %v and the files %v have the number of the account", keys, uploads())
	}
	for line := range strings.Lines(log.String()) {
		// Operators bar those who guess passwords by the log.
		if slices.ContainsFunc(needles, func(text string) bool { return strings.Contains(line, text) }) && !strings.Contains(line, "sign-in refused") {
			t.Errorf("the log has %s", line)
		}
	}
	audit, err := d.app.store.Audit.Audit(t.Context(), "", 1)
	if err != nil || len(audit) != 1 || audit[0].Action != "account_remove" || audit[0].Who != fmt.Sprint("removed account ", erasedNumber) {
		t.Errorf("the audit log ends with %+v, %v", audit, err)
	}
}

// leftovers returns where texts are in Redis and in the data directory.
func leftovers(t *testing.T, d *daemon, raw *storetest.Redigo, texts []string) (all []string) {
	for _, text := range texts {
		for _, key := range raw.Containing(text) {
			// An address is counted by itself, for hours: otherwise who removes an account could make another one at once.
			if key != "attempts:from "+text && key != "attempts:as "+text && key != "limit:reset:"+text || text == erasedName {
				all = append(all, text+" in the key "+key)
			}
		}
		for _, file := range filesWith(t, d.app.cfg().DataDir, text) {
			all = append(all, text+" in the file "+file)
		}
	}
	return all
}

// filesWith returns the files below a directory whose name or content has a text.
func filesWith(t *testing.T, dir, text string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return nil //nolint:nilerr // it was removed meanwhile
		}
		content, _ := os.ReadFile(path)
		if strings.Contains(strings.TrimPrefix(path, dir), text) || bytes.Contains(content, []byte(text)) {
			all = append(all, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
