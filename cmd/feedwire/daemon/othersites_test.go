//go:build !race

package daemon

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// visits matches keys that change by the visit of an account, and by an attempt to sign in.
var visits = regexp.MustCompile(`^(auth:|user:\d+:|attempts:)`)

// openToStrangers matches what changes something for those who have no account, or identifies its visitors itself.
var openToStrangers = regexp.MustCompile(`^/(login|welcome|sign-up|reset-password|lists/entries/\{n\}/vote|api/v1/entries/\{n\}/anonymous-vote|community/api/[\w-]+)$`)

// content returns what the store holds, without what follows from visits.
func (d *town) content() (all []string) {
	d.t.Helper()
	for _, key := range d.raw.Keys("*") {
		switch {
		case visits.MatchString(key):
		case strings.HasPrefix(key, "user:"):
			account := d.raw.StringMap("HGETALL", key)
			delete(account, "karma_incr_time")
			all = append(all, fmt.Sprint(key, " ", account))
		default:
			all = append(all, fmt.Sprintf("%s %x", key, d.raw.Do("DUMP", key)))
		}
	}
	slices.Sort(all)
	return all
}

// A page of another site makes the browser of an admin change nothing, by no route that there is. The calls of Lamer News need a secret.
func TestPagesOfOtherSitesChangeNothing(t *testing.T) {
	d := newTown(t)
	d.fill()
	root, err := d.app.store.People.Account(t.Context(), "root")
	filled(t, err)
	token := strings.Repeat("0a", 20)
	d.signInAs("root", token)
	_, err = d.app.store.People.AddAPISecret(t.Context(), root.ID, strings.Repeat("0b", 20), feed.SessionSum(token))
	filled(t, err)
	cookie := fmt.Sprintf("auth=%s; feedwire=%d.root", token, root.ID)
	form := url.Values{}
	for _, field := range strings.Fields("title text url body vote back reason note name email password again username about role news_id comment_id parent_id comment vote_type object do entry current") {
		form.Set(field, "1")
	}
	for field, value := range map[string]string{"apisecret": "guessed", "name": "newcomer", "username": "newcomer", "password": password, "again": password} {
		form.Set(field, value)
	}
	before, changing := d.content(), 0
	for _, route := range d.app.kit.Routes() {
		method, pattern, _ := strings.Cut(route.Pattern, " ")
		if method == http.MethodGet {
			if route.Action != nil && !strings.HasPrefix(pattern, "/api/greader.php/") { // which needs the password of an app
				t.Errorf("%s changes something", route.Pattern)
			}
			continue
		}
		changing++
		path := d.paths(route.Pattern)[0]
		if open := slices.Contains([]feed.Scope{web.Public, web.Anyone, web.Optional}, route.Scope); open != openToStrangers.MatchString(pattern) {
			t.Errorf("whether %s is open to strangers is %t", route.Pattern, open)
		} else if !open {
			const fever = `{"api_version":3,"auth":0}` // a refusal of that API
			if rec := d.send("", method, path, form.Encode()); rec.Code != http.StatusUnauthorized && strings.TrimSpace(rec.Body.String()) != fever {
				t.Errorf("%s without a session: got %d %.300s", route.Pattern, rec.Code, rec.Body)
			}
		}
		for _, header := range [][]string{
			{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Sec-Fetch-Site", "", "Origin", "https://evil.example"}, {"Sec-Fetch-Site", "", "Origin", "null"},
		} {
			rec := d.send("", method, path, form.Encode(), append(header, "Cookie", cookie, "Content-Type", "application/x-www-form-urlencoded")...)
			refused := rec.Code == http.StatusForbidden || web.IsAPI(pattern) && rec.Code == http.StatusUnauthorized // a reader app has no cookie
			if strings.HasPrefix(pattern, "/community/api/") {
				refused = rec.Code == http.StatusOK && strings.Contains(rec.Body.String(), `"status":"err"`) && !strings.Contains(rec.Body.String(), "auth")
			}
			if !refused {
				t.Errorf("%s with %v: got %d %.300s", route.Pattern, header, rec.Code, rec.Body)
			}
		}
	}
	if after := d.content(); !slices.Equal(before, after) {
		t.Errorf("the store has changed:\n%s", strings.Join(slices.DeleteFunc(after, func(key string) bool { return slices.Contains(before, key) }), "\n"))
	}
	if changing < 100 {
		t.Errorf("there are %d routes that change something", changing)
	}
}
