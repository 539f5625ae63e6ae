package config_test

import (
	"os"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/config"
	"github.com/feedwire/feedwire/store/feed"
)

// Whatever a file holds, Load gives either a configuration that can be used, or problems that point into the file.
func FuzzLoad(f *testing.F) {
	for _, name := range []string{"good-full", "bad-keys", "bad-types", "bad-values", "bad-twice"} {
		src, err := os.ReadFile("testdata/" + name + ".yaml")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
	for _, s := range []string{
		"", "---\n---\n", "a: &x [*x]", "[[[[", "? ? ?", "listen: |\n  x", "\ufeffa: 1\r\n# c\r\n", "\x00", "a: \"\\", "<<: {}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		path := write(t, string(src))
		c, err := config.Load(path, home, nil)
		if err == nil {
			if len(c.Settings()) == 0 {
				t.Error("no settings")
			}
			for _, o := range c.Outgoing() {
				if feed.CheckType(o.Type) != nil || o.Link == "" {
					t.Errorf("feed %+v", o)
				}
			}
			for _, s := range c.Sources {
				if s.ID == "" || s.URL == "" {
					t.Errorf("source %+v", s)
				}
			}
			return
		}
		problems := config.Problems(err)
		if len(problems) == 0 {
			t.Errorf("an error without problem: %v", err)
		}
		lines := strings.Count(string(src), "\n") + strings.Count(string(src), "\r") + 1
		for _, p := range problems {
			if p.Reason == "" || p.Hint == "" || p.File != path && p.File != "" || p.Line < 0 || p.Line > lines {
				t.Errorf("got %+v in a file of %d lines", p, lines)
			}
			if strings.ContainsAny(p.Key+p.Reason+p.Hint, "\x00\x1b\n") {
				t.Errorf("control characters in %+v", p)
			}
		}
	})
}

// Whatever a cron spec holds, it is accepted or refused, and never harms.
func FuzzCronSpec(f *testing.F) {
	for _, s := range []string{
		"17 * * * *", "@every 1h", "TZ=", "CRON_TZ=UTC", "*/0 * * * *", "0 0 31 2 *", "1-2/3,4 ? * JAN SUN",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, spec string) {
		_, err := config.Load("", append([]string{"FEEDWIRE_HOUSEKEEPING_TRIM=" + spec}, home...), nil)
		if err != nil && len(config.Problems(err)) == 0 {
			t.Errorf("an error without problem: %v", err)
		}
	})
}
