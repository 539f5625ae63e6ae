package config

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/feedwire/feedwire/publish/blocklist"
	"github.com/feedwire/feedwire/store/feed"
)

// check reports contradictions between options.
func (l *loader) check() {
	l.checkListen()
	l.checkAuth()
	l.checkSources()
	l.checkWebhooks()
	l.checkFeeds()
	l.checkBucket()
	l.checkCommunity()
	l.checkMail()
}

// checkCommunity rejects a source that appears twice, and a host that is the one of everything else.
func (l *loader) checkCommunity() {
	for i, url := range l.config.Community.Sources {
		if slices.Contains(l.config.Community.Sources[:i], url) {
			l.problem(l.config.places["community.sources"], "community.sources", quote(url)+" appears twice", "remove one")
		}
	}
	l.checkBlocklist("community.words", len(l.config.Community.Words))
	l.checkBlocklist("community.domains", len(l.config.Community.Domains))
	const key = "community.host"
	host, ways := l.config.Community.Host, []string{l.config.PublicURL, "http://" + l.config.Listen}
	for _, way := range ways {
		if u, err := url.Parse(way); err == nil && host != "" && strings.EqualFold(u.Hostname(), host) {
			l.problem(l.config.places[key], key, quote(host)+" is the host of the other pages", "choose another name, or remove it to have the site at /community")
			return
		}
	}
}

// checkBlocklist rejects a list with too many rules.
func (l *loader) checkBlocklist(key string, rules int) {
	if rules > blocklist.MaxRules {
		l.problem(l.config.places[key], key, fmt.Sprintf("%d items are too many", rules), fmt.Sprintf("list at most %d", blocklist.MaxRules))
	}
}

// checkBucket rejects a bucket without keys, and one beside a directory.
func (l *loader) checkBucket() {
	const key = "posts.s3_url"
	p := &l.config.Posts
	switch {
	case p.S3.URL == "" || l.reported["posts.s3_secret_key"] || l.reported["posts.s3_secret_key_file"]:
	case p.S3.AccessKey == "" || p.S3.SecretKey.Reveal() == "":
		l.problem(l.config.places[key], key, "a bucket needs keys", "set posts.s3_access_key, and posts.s3_secret_key or posts.s3_secret_key_file")
	case p.Media != "":
		l.problem(l.config.places[key], key, "there is posts.media, too", "keep one of the two")
	}
}

// checkMail rejects a server without a sender, an incomplete sign-in, and a password in plain text.
func (l *loader) checkMail() {
	m := &l.config.Mail
	refuse := func(key, reason, hint string) { l.problem(l.nearest(key, "mail.host"), key, reason, hint) }
	hasPassword := m.Password.Reveal() != ""
	switch {
	case m.Host == "" || l.reported["mail.password"] || l.reported["mail.password_file"] || l.reported["mail.from"]:
	case m.From == "":
		refuse("mail.host", "mail needs a sender", "set mail.from, like talk@example.org")
	case m.User == "" && hasPassword:
		refuse("mail.user", "there is a password without a user name", "set mail.user, or remove the password")
	case m.User != "" && !hasPassword:
		refuse("mail.user", "there is a user name without a password", "set mail.password or mail.password_file, or remove mail.user")
	case m.User != "" && m.TLS == "none":
		refuse("mail.tls", "a password would be sent without encryption", "use starttls or tls, or remove mail.user and the password")
	}
}

// checkListen rejects a public address without authentication, and listeners with the same address.
func (l *loader) checkListen() {
	c := l.config
	open := c.API.Token.Reveal() == "" && !c.InsecureNoAuth && !l.reported["api.token"] && !l.reported["api.token_file"]
	if open && !isLoopback(c.Listen) {
		l.problem(c.places["listen"], "listen", quote(c.Listen)+" is a public address, and there is no api.token",
			"set api.token or api.token_file, or listen on 127.0.0.1, or set insecure_no_auth if a proxy authenticates people")
	}
	if c.Admin.Listen != "" && c.Admin.Listen == c.Listen && !strings.HasSuffix(c.Listen, ":0") {
		l.problem(c.places["admin.listen"], "admin.listen", quote(c.Listen)+" is the address of listen",
			"choose another port, or remove it to use one address for both")
	}
	if c.Debug.Listen != "" && (c.Debug.Listen == c.Listen || c.Debug.Listen == c.Admin.Listen) && !strings.HasSuffix(c.Debug.Listen, ":0") {
		l.problem(c.places["debug.listen"], "debug.listen", quote(c.Debug.Listen)+" is the address of another listener", "choose another port")
	}
}

// checkAuth rejects a header that would be trusted from no address, and names that both a proxy and people choose.
func (l *loader) checkAuth() {
	c := l.config
	if c.Auth.ProxyHeader != "" && len(c.Auth.ProxyNetworks) == 0 && !l.reported["auth.proxy_networks"] {
		l.problem(c.places["auth.proxy_header"], "auth.proxy_header", "auth.proxy_networks is empty, so the header is never trusted",
			"add the address of the proxy to auth.proxy_networks")
	}
	if c.Auth.ProxyHeader != "" && c.People.SignUp != "closed" && !l.reported["people.sign_up"] {
		l.problem(c.places["people.sign_up"], "people.sign_up", "auth.proxy_header names people, and an account with the name of one of them would be theirs",
			"leave people.sign_up closed, or remove auth.proxy_header")
	}
}

func (l *loader) checkSources() {
	c := l.config
	l.checkItems("source", len(c.Sources), func(i int) (id, what string) { return c.Sources[i].URL, quote(c.Sources[i].URL) })
	for i, s := range c.Sources {
		for _, typ := range s.Feeds {
			if key := itemKey("sources", i); !slices.ContainsFunc(c.Feeds, func(f Feed) bool { return f.Type == typ }) {
				l.problem(l.nearest(key+".feeds", key), key+".feeds", "there is no feed "+quote(typ),
					"use some of "+feedList(&c.Feeds).show()+", or add it to feeds")
			}
		}
	}
}

func (l *loader) checkWebhooks() {
	l.checkItems("webhook", len(l.config.Webhooks), func(i int) (id, what string) {
		w := &l.config.Webhooks[i]
		if w.URL.Reveal() != "" {
			id = feed.SubscriptionID(w.Filter().Topic(), w.URL.Reveal())
		}
		return id, "the same URL with the same choices"
	})
}

// checkItems reports sources or webhooks without a URL, whose id is empty, and duplicates.
func (l *loader) checkItems(noun string, n int, identify func(i int) (id, what string)) {
	first := make(map[string]string, n) // key of the first item with an id
	for i := range n {
		key := itemKey(noun+"s", i)
		id, what := identify(i)
		other, twice := first[id]
		switch {
		case id == "" && l.reported[key+".url"]:
		case id == "":
			l.problem(l.config.places[key], key, "a "+noun+" needs a url", "write - url: https://…")
		case twice:
			l.problem(l.config.places[key+".url"], key+".url", what+" appears twice",
				fmt.Sprintf("remove one; the first is %s (%s)", other, l.config.places[other+".url"]))
		default:
			first[id] = key
		}
	}
}

func (l *loader) checkFeeds() {
	c := l.config
	seen := make(map[string]bool, len(c.Feeds))
	for _, f := range c.Feeds {
		if seen[f.Type] {
			l.problem(c.places["feeds"], "feeds", quote(f.Type)+" appears twice", "remove one")
		}
		seen[f.Type] = true
		l.checkTop(&f)

		auth, hasPassword := feedKey(f.Type)+".auth", f.Password.Reveal() != ""
		switch {
		case l.reported[auth+".username"] || l.reported[auth+".password"] || l.reported[auth+".password_file"]:
		case f.Username != "" && !hasPassword:
			l.problem(c.places[auth+".username"], auth+".username", "there is a user name without a password",
				"set auth.password or auth.password_file, or remove auth.username")
		case f.Username == "" && hasPassword:
			l.problem(l.nearest(auth+".password", auth+".password_file"), auth, "there is a password without a user name",
				"set auth.username, or remove the password")
		}
	}
}

// checkTop rejects a number of entries of no list. The default is no mistake: the example of a configuration has it.
func (l *loader) checkTop(f *Feed) {
	key := feedKey(f.Type)
	at, set := l.config.places[key+".top"]
	if set && f.Top != newFeed(f.Type).Top && f.List() == "" && f.TwinOf == "" && !l.reported[key+".top"] && !l.reported[key+".from"] {
		l.problem(at, key+".top", "the feed takes the entries of no list", "set from, like list:sport, or remove top")
	}
}

// nearest returns the place of the first key that has one.
func (l *loader) nearest(keys ...string) place {
	for _, key := range keys {
		if at, ok := l.config.places[key]; ok {
			return at
		}
	}
	return place{}
}
