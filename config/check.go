package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// check reports what is wrong between options, each of which is right alone.
func (l *loader) check() {
	l.checkListen()
	l.checkAuth()
	l.checkSources()
	l.checkWebhooks()
	l.checkFeeds()
}

// checkListen refuses to serve pages and an API that can publish to whoever comes by.
func (l *loader) checkListen() {
	c := l.config
	open := c.API.Token.Reveal() == "" && !c.InsecureNoAuth && !l.reported["api.token"] && !l.reported["api.token_file"]
	if open && !isLoopback(c.Listen) {
		l.problem(c.places["listen"], "listen", quote(c.Listen)+" can be reached by others, and there is no api.token",
			"set api.token or api.token_file, or listen on 127.0.0.1, or set insecure_no_auth if something else asks who comes")
	}
	if c.Admin.Listen != "" && c.Admin.Listen == c.Listen && !strings.HasSuffix(c.Listen, ":0") {
		l.problem(c.places["admin.listen"], "admin.listen", quote(c.Listen)+" is the address of listen",
			"choose another port, or leave it out to have both on one")
	}
	if c.Debug.Listen != "" && (c.Debug.Listen == c.Listen || c.Debug.Listen == c.Admin.Listen) && !strings.HasSuffix(c.Debug.Listen, ":0") {
		l.problem(c.places["debug.listen"], "debug.listen", quote(c.Debug.Listen)+" is the address of another listener", "choose another port")
	}
}

// checkAuth refuses a header that would count from nowhere, so that nobody could sign in by it.
func (l *loader) checkAuth() {
	c := l.config
	if c.Auth.ProxyHeader != "" && len(c.Auth.ProxyNetworks) == 0 && !l.reported["auth.proxy_networks"] {
		l.problem(c.places["auth.proxy_header"], "auth.proxy_header", "there are no auth.proxy_networks, so it counts from nowhere",
			"name the address of the proxy in auth.proxy_networks")
	}
}

func (l *loader) checkSources() {
	c := l.config
	first := make(map[string]int, len(c.Sources)) // by URL
	for i, s := range c.Sources {
		key := sourceKey(i)
		if s.URL == "" {
			if !l.reported[key+".url"] {
				l.problem(c.places[key], key, "a source needs a url", "write - url: https://…")
			}
			continue
		}
		if j, twice := first[s.URL]; twice {
			l.problem(c.places[key+".url"], key+".url", quote(s.URL)+" is here for the second time",
				fmt.Sprintf("remove one; the first is %s (%s)", sourceKey(j), c.places[sourceKey(j)+".url"]))
		} else {
			first[s.URL] = i
		}
		for _, typ := range s.Feeds {
			if !slices.ContainsFunc(c.Feeds, func(f Feed) bool { return f.Type == typ }) {
				l.problem(l.nearest(key+".feeds", key), key+".feeds", "there is no feed "+quote(typ),
					"use some of "+feedList(&c.Feeds).show()+", or add it to feeds")
			}
		}
	}
}

func (l *loader) checkWebhooks() {
	c := l.config
	first := make(map[string]int, len(c.Webhooks)) // by what tells them apart
	for i := range c.Webhooks {
		w, key := &c.Webhooks[i], itemKey("webhooks", i)
		if w.URL.Reveal() == "" {
			if !l.reported[key+".url"] {
				l.problem(c.places[key], key, "a webhook needs a url", "write - url: https://…")
			}
			continue
		}
		id := feed.SubscriptionID(w.Filter().Topic(), w.URL.Reveal())
		if j, twice := first[id]; twice {
			l.problem(c.places[key+".url"], key+".url", "the same URL with the same choices is here for the second time",
				fmt.Sprintf("remove one; the first is %s (%s)", itemKey("webhooks", j), c.places[itemKey("webhooks", j)+".url"]))
		} else {
			first[id] = i
		}
	}
}

func (l *loader) checkFeeds() {
	c := l.config
	seen := make(map[string]bool, len(c.Feeds))
	for _, f := range c.Feeds {
		if seen[f.Type] {
			l.problem(c.places["feeds"], "feeds", quote(f.Type)+" is here for the second time", "remove one")
		}
		seen[f.Type] = true

		auth, hasPassword := feedKey(f.Type)+".auth", f.Password.Reveal() != ""
		switch {
		case l.reported[auth+".username"] || l.reported[auth+".password"] || l.reported[auth+".password_file"]:
		case f.Username != "" && !hasPassword:
			l.problem(c.places[auth+".username"], auth+".username", "there is a user name, but no password",
				"set auth.password or auth.password_file beside it, or leave both out")
		case f.Username == "" && hasPassword:
			l.problem(l.nearest(auth+".password", auth+".password_file"), auth, "there is a password, but no user name",
				"set auth.username beside it, or leave both out")
		}
	}
}

// nearest is the place of the first key that has one.
func (l *loader) nearest(keys ...string) place {
	for _, key := range keys {
		if at, ok := l.config.places[key]; ok {
			return at
		}
	}
	return place{}
}
