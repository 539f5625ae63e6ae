package config

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/store/feed"
)

// another returns a value other than the default for an option.
func another(o *option, dir string) string {
	switch o.Key {
	case "listen":
		return "127.0.0.1:9999"
	case "public_url":
		return "https://other.example"
	case "api.token":
		return "another-token-of-the-tests"
	case "data_dir", "api.token_file", "store.redis_file", "posts.s3_secret_key_file", "mail.password_file":
		return filepath.Join(dir, strings.ReplaceAll(o.Key, ".", "_"))
	case "admin.listen", "debug.listen":
		return "127.0.0.1:9998"
	case "posts.s3_url":
		return "https://s3.example.org/images\nposts.s3_access_key: wire\nposts.s3_secret_key: secret"
	case "mail.host":
		return "mail.example\nmail.from: wire@example.org"
	case "mail.tls":
		return "tls"
	case "mail.from":
		return "wire@example.org"
	case "community.sources":
		return "https://blog.example/feed.xml"
	case "community.domains":
		return "spam.example"
	case "community.host":
		return "talk.example"
	case "auth.proxy_header":
		return "X-User\nauth.proxy_networks: 10.0.0.1"
	case "store.redis":
		return "redis://other.example/1"
	case "fetch.contact":
		return "mailto@example.org"
	case "fetch.proxy":
		return "http://proxy.example:3128"
	case "housekeeping.expire", "housekeeping.trim":
		return "1 2 3 * *"
	case "hub.open_hosts":
		return "other.example"
	case "hub.topic_leases":
		return "https://other.example/* 1m 1h 24h"
	case "hub.open_distribution":
		return "news"
	case "community.review":
		return "all"
	case "people.sign_up":
		return "invited"
	case "timeline.deep", "lists.public", "search.enabled":
		return "false"
	case "timeline.pull_followers":
		return "9000"
	case "hub.ping", "webhooks", "sources":
		return "https://other.example/hub"
	case "feeds":
		return "production,other"
	case "auth.proxy_networks", "fetch.allow_networks", "hub.allow_networks":
		return "10.0.0.0/8"
	}
	for _, value := range []string{"true", "warn", "text", "editor", "always", "memory", "full", "sha512", "72h", "30s", "7m", "20", "3MiB", "96MiB", "other", "36h", "21"} {
		var c Config
		if v := o.value(&c); value != o.Default && v.set([]string{value}) == nil {
			return value
		}
	}
	return ""
}

// Each option either takes effect at once, or requires a restart and keeps its value until then.
func TestEveryOptionIsAdoptedOrKept(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"api_token_file": "a-token-of-the-tests", "store_redis_file": "redis://file.example", "posts_s3_secret_key_file": "secret", "mail_password_file": "secret"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, o := range tables().Options {
		env := []string{"HOME=/home/wire"}
		running, err := Load("", env, nil)
		if err != nil {
			t.Fatal(err)
		}
		value, more, _ := strings.Cut(another(o, dir), "\n")
		env = append(env, o.env()+"="+value)
		for line := range strings.Lines(more) {
			key, text, _ := strings.Cut(strings.TrimSpace(line), ": ")
			env = append(env, envPrefix+strings.ToUpper(strings.ReplaceAll(key, ".", "_"))+"="+text)
		}
		read, err := Load("", env, nil)
		if err != nil {
			t.Fatalf("%s=%s: %v", o.Key, value, err)
		}
		wanted := o.value(read).show()
		changes := read.Adopt(running)
		i := slices.IndexFunc(changes, func(c feed.SettingChange) bool {
			return c.Key == o.Key || strings.HasPrefix(c.Key, o.Key+"[") || o.Key == "feeds" && strings.HasPrefix(c.Key, "feeds.")
		})
		if i < 0 {
			t.Errorf("%s: that it is %s now is not told: %v", o.Key, value, changes)
			continue
		}
		got, restart := o.value(read).show(), changes[i].Restart
		if was := o.value(running).show(); restart && got != was {
			t.Errorf("%s holds after a restart, but is %q at once and was %q", o.Key, got, was)
		} else if !restart && got != wanted {
			t.Errorf("%s is %q, want %q", o.Key, got, wanted)
		}
		if restart != o.Restart {
			t.Errorf("%s: restart is %v", o.Key, restart)
		}
	}
}

func TestAdoptReportsListChangesByName(t *testing.T) {
	load := func(text string) *Config {
		t.Helper()
		path := filepath.Join(t.TempDir(), "feedwire.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := Load(path, []string{"HOME=/home/wire"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	was := load(`
sources: [{url: "http://a.example/f", password: one, username: u}, {url: "http://gone.example/f"}]
feeds: {production: {window: 24h}, old: {}}
`)
	is := load(`
sources: [{url: "http://new.example/f"}, {url: "http://a.example/f", password: two, username: u}]
feeds: {production: {window: 12h}}
profiles: {kiosk: {extend: msn}}
`)
	var got []string
	for _, c := range is.Adopt(was) {
		got = append(got, fmt.Sprintf("%s: %s -> %s", c.Key, c.From, c.To))
	}
	want := []string{
		"feeds.old: configured -> ", "feeds.production.window: 24h -> 12h", "profiles.kiosk:  -> configured",
		"sources[http://a.example/f].password: •••• -> ••••", "sources[http://gone.example/f]: configured -> ",
		"sources[http://new.example/f]:  -> configured",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if again := is.Adopt(is); len(again) > 0 {
		t.Errorf("a configuration differs from itself in %v", again)
	}
}
