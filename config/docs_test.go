package config

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The example and docs/reference/configuration.md are generated from options.yaml.
func TestShippedFilesAreUpToDate(t *testing.T) {
	for path, want := range map[string]string{
		"example.yaml":                       generateExample(),
		"../docs/reference/configuration.md": reference(),
	} {
		if flag.Lookup("update").Value.String() == "true" {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%s differs (-want +got); run go test ./config -update:\n%s", path, diff)
		}
	}
}

func TestExampleLoadsWithAndWithoutItsComments(t *testing.T) {
	env := []string{"HOME=/home/wire"}
	defaults, err := Load("", env, nil)
	if err != nil {
		t.Fatal(err)
	}
	comment := regexp.MustCompile(`(?m)^( *)#(\S)`)
	for name, content := range map[string]string{
		"as it is":    Example(),
		"uncommented": comment.ReplaceAllString(strings.TrimPrefix(Example(), exampleHead), "$1$2"),
	} {
		path := filepath.Join(t.TempDir(), "feedwire.yaml")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := Load(path, env, nil)
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, content)
		}
		if name == "uncommented" {
			if len(c.Sources) != 1 || len(c.places) < 40 {
				t.Errorf("got %d sources and %d options from the file", len(c.Sources), len(c.places))
			}
			if len(c.Profiles) != 1 {
				t.Errorf("got %d profiles from the file", len(c.Profiles))
			}
			if len(c.Groups) != 1 || len(c.Groups[0].Rules) != 2 {
				t.Errorf("got the groups %v from the file", c.Groups)
			}
			c.Sources, c.Webhooks, c.Profiles, c.Groups = defaults.Sources, defaults.Webhooks, defaults.Profiles, defaults.Groups
		}
		c.places = nil
		defaults.places = nil
		if got, want := fmt.Sprintf("%+v", c), fmt.Sprintf("%+v", defaults); got != want {
			t.Errorf("%s: the example is not the default\n got %s\nwant %s", name, got, want)
		}
	}
}

func TestExampleExplainsEveryOption(t *testing.T) {
	example := Example()
	check := func(key string) {
		name := key[strings.LastIndexByte(key, '.')+1:]
		if !regexp.MustCompile(`(?m)^ *# .+\n *#` + name + `:|^` + name + `:`).MatchString(example) {
			t.Errorf("%s is not explained", key)
		}
	}
	eachOption(check)
}

func TestOptionsAreWellFormed(t *testing.T) {
	seen := map[string]bool{}
	for _, o := range tables().Options {
		for _, name := range []string{o.Key, o.env(), o.flag()} {
			if seen[name] && name != o.Key {
				t.Errorf("%s: the name %s is taken", o.Key, name)
			}
			seen[name] = true
		}
		if !strings.HasSuffix(o.Doc, ".") {
			t.Errorf("%s: the doc is not a sentence: %s", o.Key, o.Doc)
		}
	}
}

func eachOption(f func(key string)) {
	for _, o := range tables().Options {
		f(o.Key)
	}
	for _, o := range tables().Source {
		f(o.Key)
	}
	for _, o := range tables().Webhook {
		f(o.Key)
	}
	for _, o := range tables().Profile {
		f(o.Key)
	}
	for _, o := range tables().Feed {
		f(o.Key)
	}
}

// reference is docs/reference/configuration.md.
func reference() string {
	var b strings.Builder
	b.WriteString(`# Configuration

feedwire reads one YAML file, the environment and its flags. Flags override the environment, the environment overrides the
file, and the file overrides the defaults. The file is that of ` + "`--config`" + ` or ` + "`FEEDWIRE_CONFIG`" + `, or
/etc/feedwire/feedwire.yaml if it exists. No file is required.

` + "`feedwire config example`" + ` prints a file with every option, ` + "`feedwire config check`" + ` reports all mistakes, and
` + "`feedwire config show --origin`" + ` prints the values in force and their origin, with secrets masked.

In the environment and in flags, list items are separated by commas. An empty variable counts as not set. YAML anchors,
aliases and tags are not supported.

[Reload the configuration](../how-to/reload-the-configuration.md) applies changes to a running daemon. Options marked *requires a
restart* apply at the next start.

This page is generated from the options in config/options.yaml: ` + "`go test ./config -update`" + `.

## Options

`)
	for _, o := range tables().Options {
		names := fmt.Sprintf(" · `%s` · `--%s`", o.env(), o.flag())
		if o.Restart {
			names += " · *requires a restart*"
		}
		describe(&b, o, names)
	}
	b.WriteString("## A source\n\nEach item of `sources` has these keys, or is a URL.\n\n")
	for _, o := range tables().Source {
		describe(&b, o, "")
	}
	b.WriteString("## A webhook\n\nEach item of `webhooks` has these keys, or is a URL.\n\n")
	for _, o := range tables().Webhook {
		describe(&b, o, "")
	}
	b.WriteString("## Groups\n\n" + groupsDoc + " Each member of `groups` is a list of rules; its name is the name of the group.\n\n")
	b.WriteString("## A profile\n\n" + profilesDoc + " A profile has these keys.\n\n### `extend`\n\n" + extendDoc + "\n\n")
	for _, o := range tables().Profile {
		describe(&b, o, "")
	}
	b.WriteString("## A feed\n\nEach member of `feeds` has these keys; its name is the name of the feed.\n\n")
	for _, o := range tables().Feed {
		describe(&b, o, "")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func describe(b *strings.Builder, o *option, names string) {
	fmt.Fprintf(b, "### `%s`\n\n%s\n\n%s", o.Key, strings.ReplaceAll(o.Doc, "<", "&lt;"), o.kind)
	if o.Default != "" {
		fmt.Fprintf(b, " · default `%s`", o.Default)
	}
	fmt.Fprintf(b, "%s\n\n", names)
}
